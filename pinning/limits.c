/* See limits.h; its settings are in settings.c. Control groups: /proc/self/cgroup says in which group of each hierarchy
 * we are, /proc/self/mountinfo where the hierarchies are mounted and which group a mount shows as its root. */
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sysfile.h"

/* What is gathered over all groups that this process is in. */
struct gathered {
	double quota_cpus;
	uint64_t memory_limit_bytes;
	int64_t throttled_ns;
};

static void gather_quota(struct gathered *gathered, double quota_us, double period_us)
{
	double cpus = quota_us / period_us;

	if (quota_us > 0 && period_us > 0 && (gathered->quota_cpus < 0 || cpus < gathered->quota_cpus))
		gathered->quota_cpus = cpus;
}

/* The field of a cpu.stat. A group above or below may be throttled at the same time: the sum is the most it can be. */
static void gather_throttled(struct gathered *gathered, const char *root, const char *group, const char *field,
			     int64_t ns_per_unit)
{
	char path[SYSFILE_TEXT], text[LIMITS_TEXT];

	snprintf(path, sizeof(path), "%.4000s/cpu.stat", group);
	if (!sysfile_value(root, path, field, text, sizeof(text)))
		return;
	if (gathered->throttled_ns < 0)
		gathered->throttled_ns = 0;
	gathered->throttled_ns += strtoll(text, NULL, 10) * ns_per_unit;
}

/* v1 writes "no limit" as the largest multiple of a page. No machine has 4 EiB. */
static void gather_memory(struct gathered *gathered, uint64_t bytes)
{
	const uint64_t unlimited = UINT64_C(1) << 62;

	if (bytes < unlimited && bytes < gathered->memory_limit_bytes)
		gathered->memory_limit_bytes = bytes;
}

static void group_read_v1(struct gathered *gathered, const char *root, const char *group)
{
	char path[SYSFILE_TEXT];
	uint64_t quota_us, period_us, bytes;

	/* A quota of -1 is none, and no number by sysfile_number(). */
	snprintf(path, sizeof(path), "%.4000s/cpu.cfs_quota_us", group);
	bool limited = sysfile_number(root, path, &quota_us);
	snprintf(path, sizeof(path), "%.4000s/cpu.cfs_period_us", group);
	if (limited && sysfile_number(root, path, &period_us))
		gather_quota(gathered, (double)quota_us, (double)period_us);
	snprintf(path, sizeof(path), "%.4000s/memory.limit_in_bytes", group);
	if (sysfile_number(root, path, &bytes))
		gather_memory(gathered, bytes);
	gather_throttled(gathered, root, group, "throttled_time", 1);
}

static void group_read_v2(struct gathered *gathered, const char *root, const char *group)
{
	char path[SYSFILE_TEXT], text[LIMITS_TEXT];
	double quota_us, period_us;
	uint64_t bytes;

	/* "50000 100000", or "max 100000" */
	snprintf(path, sizeof(path), "%.4000s/cpu.max", group);
	if (sysfile_line(root, path, text, sizeof(text)) && sscanf(text, "%lf %lf", &quota_us, &period_us) == 2)
		gather_quota(gathered, quota_us, period_us);
	snprintf(path, sizeof(path), "%.4000s/memory.max", group);
	if (sysfile_number(root, path, &bytes))
		gather_memory(gathered, bytes);
	gather_throttled(gathered, root, group, "throttled_usec", 1000);
}

/* A mounted hierarchy: its type is cgroup2, or cgroup with its controllers among the options. */
struct mount {
	char root[SYSFILE_TEXT], point[SYSFILE_TEXT], type[LIMITS_TEXT], options[SYSFILE_TEXT];
};

/* "31 23 0:28 ROOT POINT options [optional fields] - TYPE source OPTIONS" */
static bool mount_parse(const char *line, struct mount *mount)
{
	const char *tail = strstr(line, " - ");

	return tail && sscanf(line, "%*s %*s %*s %4095s %4095s", mount->root, mount->point) == 2 &&
	       sscanf(tail, " - %127s %*s %4095s", mount->type, mount->options) == 2 &&
	       strncmp(mount->type, "cgroup", strlen("cgroup")) == 0;
}

static bool list_has(const char *list, const char *word, size_t length)
{
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
			return true;
	return false;
}

/* Does a line of /proc/self/cgroup with these controllers speak of this mount? That of v2 has none. */
static bool mount_serves(const struct mount *mount, const char *controllers)
{
	if (strcmp(mount->type, "cgroup2") == 0)
		return controllers[0] == '\0';
	return controllers[0] && list_has(mount->options, controllers, strcspn(controllers, ","));
}

/* From our group up to the mount point. A path outside the mount's root (another namespace's) leaves that point. */
static void groups_walk(struct gathered *gathered, const char *root, const struct mount *mount, const char *path)
{
	char group[SYSFILE_TEXT];
	size_t root_length = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
	size_t point_length = strlen(mount->point);
	bool below = strncmp(path, mount->root, root_length) == 0 &&
		     (path[root_length] == '/' || path[root_length] == '\0') && !strstr(path, "..");

	if (snprintf(group, sizeof(group), "%s%s", mount->point, below ? path + root_length : "") >= (int)sizeof(group))
		return;
	for (;;) {
		size_t length = strlen(group);
		while (length > point_length && group[length - 1] == '/')
			group[--length] = '\0';
		if (strcmp(mount->type, "cgroup2") == 0)
			group_read_v2(gathered, root, group);
		else
			group_read_v1(gathered, root, group);
		if (length <= point_length)
			return;
		*strrchr(group, '/') = '\0';
	}
}

/* Reads our group in one hierarchy, through the first place where that is mounted. */
static void hierarchy_read(struct gathered *gathered, const char *root, const char *controllers, const char *path)
{
	FILE *file = sysfile_open(root, "/proc/self/mountinfo");
	char line[3 * SYSFILE_TEXT];
	struct mount mount;

	while (file && fgets(line, sizeof(line), file)) {
		if (!mount_parse(line, &mount) || !mount_serves(&mount, controllers))
			continue;
		groups_walk(gathered, root, &mount, path);
		break;
	}
	if (file)
		fclose(file);
}

static struct gathered groups_gather(const char *root)
{
	struct gathered gathered = {.quota_cpus = -1, .memory_limit_bytes = UINT64_MAX, .throttled_ns = -1};
	FILE *file = sysfile_open(root, "/proc/self/cgroup");
	char line[SYSFILE_TEXT];

	/* "id:controllers:path" */
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		hierarchy_read(&gathered, root, controllers + 1, path);
	}
	if (file)
		fclose(file);
	return gathered;
}

void limits_read(struct limits *limits, const char *root)
{
	struct gathered gathered = groups_gather(root);
	struct rlimit memlock;

	limits->quota_cpus = gathered.quota_cpus;
	limits->memory_limit_bytes = gathered.memory_limit_bytes;
	if (!sysfile_meminfo_bytes(root, "MemAvailable", &limits->memory_available_bytes))
		limits->memory_available_bytes = 0;
	limits->memlock_bytes = UINT64_MAX;
	if (getrlimit(RLIMIT_MEMLOCK, &memlock) == 0 && memlock.rlim_cur != RLIM_INFINITY)
		limits->memlock_bytes = memlock.rlim_cur;
}

int64_t limits_throttled_ns(const char *root)
{
	return groups_gather(root).throttled_ns;
}
