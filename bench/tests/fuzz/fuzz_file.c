#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int fuzz_file_make(char path[FUZZ_PATH], const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) {
		perror("fuzz: a file in memory");
		abort();
	}
	snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
	return fd;
}
