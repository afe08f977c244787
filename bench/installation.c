#include "installation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int installation_include(char path[INSTALLATION_PATH], char error[INSTALLATION_PATH])
{
	static const char *const places[] = {"include", "../include"};
	char program[INSTALLATION_PATH] = "", place[INSTALLATION_PATH + 64], *slash, *found;
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[length > 0 ? length : 0] = '\0';
	slash = strrchr(program, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(*places); i++) {
		snprintf(place, sizeof(place), "%s/%s/twopoint/plugin.h", program, places[i]);
		if (access(place, R_OK))
			continue;
		snprintf(place, sizeof(place), "%s/%s", program, places[i]);
		found = realpath(place, NULL);
		if (found) {
			snprintf(path, INSTALLATION_PATH, "%s", found);
			free(found);
			return 0;
		}
	}
	snprintf(error, INSTALLATION_PATH, "no headers are installed with %.512s/twopoint: neither in include nor in ../include", program);
	return -ENOENT;
}
