/* Where what was installed with this program is found: relative to the program itself, so that the whole can be moved. */
#ifndef BENCH_INSTALLATION_H
#define BENCH_INSTALLATION_H

enum { INSTALLATION_PATH = 4096 };

/* The folder that holds twopoint/plugin.h: beside the program (a build's), or in include/ beside the program's folder. 0, or −ENOENT with
 * the reason in error. */
int installation_include(char path[INSTALLATION_PATH], char error[INSTALLATION_PATH]);

#endif
