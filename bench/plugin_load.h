/* A plug-in from the inside: in a process of its own, which loads it. */
#ifndef BENCH_PLUGIN_LOAD_H
#define BENCH_PLUGIN_LOAD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "plugin_abi.h"

enum { PLUGIN_TEXT = 512 };

/* Loads the shared object into this process and looks whether it fits: its version, its sizes, its table. What it prints from then on goes
 * to stderr: stdout is this process's answer. NULL: with the reason, without the file's name, in error. It is never unloaded. */
const struct plugin *plugin_load(const char *path, char error[PLUGIN_TEXT]);

/* The same of {"file": PATH, "checksum": TEXT}, which plugins_request() makes, unless the file has another checksum by now. *out is where
 * this process's answer goes from then on, instead of stdout; NULL: it has nowhere to go. The file's name is in error, too. */
const struct plugin *plugin_load_asked(const json_t *request, FILE **out, char error[PLUGIN_TEXT]);

/* The contents' checksum, by which a file is known that changes while a run goes on. False: it can't be read; errno says why. */
bool plugin_checksum(const char *path, uint64_t *checksum, uint64_t *bytes);

/* The whole of `twopoint probe REQUEST`: {"file": PATH} is answered by what the plug-in says of itself, {…, "footprints": [[message bytes,
 * capacity, batch, producers, consumers, outstanding], …]} by [[status, bytes], …]; {"error": WHY} is what does not fit. Returns the exit
 * status. */
int plugin_probe_main(const char *request);

#endif
