/* The settings of limits.h: one row of a table each, one short function where a file is not simply copied. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sysfile.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* value = first line of a file; an empty one says that there are none. */
static void copy_line(struct limits_setting *setting, const char *root, const char *path, const char *why_not)
{
	if (!sysfile_line(root, path, setting->value, sizeof(setting->value)))
		snprintf(setting->note, sizeof(setting->note), "%s", why_not);
	else if (setting->value[0] == '\0' || strcmp(setting->value, "(null)") == 0)
		snprintf(setting->value, sizeof(setting->value), "none");
}

/* Appends to a value, words apart by ", "; a value that is full ends in "...". */
static void append(struct limits_setting *setting, const char *text)
{
	size_t used = strlen(setting->value), space = sizeof(setting->value) - used;

	if (used >= 3 && strcmp(setting->value + used - 3, "...") == 0)
		return;
	if (strlen(text) + sizeof(", ...") > space)
		text = "...";
	snprintf(setting->value + used, space, "%s%s", used ? ", " : "", text);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Calls visit for each entry of a folder, by name. Returns how many there were. */
static size_t folder_visit(struct limits_setting *setting, const char *root, const char *folder,
			   void (*visit)(struct limits_setting *setting, const char *root, const char *path,
					 const char *name))
{
	char path[SYSFILE_TEXT];
	struct dirent **entries;

	snprintf(path, sizeof(path), "%s%s", root, folder);
	int count = scandir(path, &entries, is_visible, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		visit(setting, root, path, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count > 0 ? (size_t)count : 0;
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',' || at[length] == ' '))
			return true;
	return false;
}

static void visit_policy(struct limits_setting *setting, const char *root, const char *path, const char *name)
{
	char file[SYSFILE_TEXT], governor[LIMITS_TEXT];

	(void)name;
	snprintf(file, sizeof(file), "%.4000s/scaling_governor", path);
	if (sysfile_line(root, file, governor, sizeof(governor)) && !has_word(setting->value, governor))
		append(setting, governor);
}

/* Every governor that some CPU has. */
static void read_governor(struct limits_setting *setting, const char *root)
{
	folder_visit(setting, root, "/sys/devices/system/cpu/cpufreq", visit_policy);
	if (setting->value[0] == '\0')
		snprintf(setting->note, sizeof(setting->note), "no CPU frequency driver");
}

static void read_boost(struct limits_setting *setting, const char *root)
{
	uint64_t flag;

	if (sysfile_number(root, "/sys/devices/system/cpu/cpufreq/boost", &flag))
		snprintf(setting->value, sizeof(setting->value), "%s", flag ? "on" : "off");
	else if (sysfile_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", &flag))
		snprintf(setting->value, sizeof(setting->value), "%s", flag ? "off" : "on");
	else
		snprintf(setting->note, sizeof(setting->note), "no CPU frequency driver that tells");
}

static void read_smt(struct limits_setting *setting, const char *root)
{
	copy_line(setting, root, "/sys/devices/system/cpu/smt/control", "this kernel does not tell");
}

static void read_isolated(struct limits_setting *setting, const char *root)
{
	copy_line(setting, root, "/sys/devices/system/cpu/isolated", "this kernel does not tell");
}

static void read_nohz_full(struct limits_setting *setting, const char *root)
{
	copy_line(setting, root, "/sys/devices/system/cpu/nohz_full", "not built into this kernel");
}

/* "always [madvise] never": the one in brackets. */
static void read_transparent_huge_pages(struct limits_setting *setting, const char *root)
{
	char line[LIMITS_TEXT] = "";

	sysfile_line(root, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line));
	char *word = strchr(line, '[');
	if (word) {
		word[strcspn(word, "]")] = '\0';
		snprintf(setting->value, sizeof(setting->value), "%s", word + 1);
	} else {
		snprintf(setting->note, sizeof(setting->note), "not built into this kernel");
	}
}

static void read_numa_balancing(struct limits_setting *setting, const char *root)
{
	copy_line(setting, root, "/proc/sys/kernel/numa_balancing", "not built into this kernel");
}

static void read_aslr(struct limits_setting *setting, const char *root)
{
	copy_line(setting, root, "/proc/sys/kernel/randomize_va_space", "this kernel does not tell");
}

static void visit_vulnerability(struct limits_setting *setting, const char *root, const char *path, const char *name)
{
	char state[2 * LIMITS_TEXT], text[4 * LIMITS_TEXT];

	if (!sysfile_line(root, path, state, sizeof(state)) || strcmp(state, "Not affected") == 0)
		return;
	snprintf(text, sizeof(text), "%.128s: %s", name, state);
	append(setting, text);
}

/* The vulnerabilities that this CPU has and what is done about each. */
static void read_mitigations(struct limits_setting *setting, const char *root)
{
	if (folder_visit(setting, root, "/sys/devices/system/cpu/vulnerabilities", visit_vulnerability) == 0)
		snprintf(setting->note, sizeof(setting->note), "this kernel does not tell");
	else if (setting->value[0] == '\0')
		snprintf(setting->value, sizeof(setting->value), "none needed");
}

static void read_clock_source(struct limits_setting *setting, const char *root)
{
	copy_line(setting, root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  "this kernel does not tell");
}

/* The 12 letters that a hypervisor gives as its name to CPUID. */
static bool hypervisor_name(char name[13])
{
	name[0] = '\0';
#if defined(__x86_64__) || defined(__i386__)
	unsigned eax, letters[3] = {0};

	__cpuid(0x40000000, eax, letters[0], letters[1], letters[2]);
	memcpy(name, letters, sizeof(letters));
	name[12] = '\0';
#endif
	return name[0] != '\0';
}

/* The CPU's flag tells whether there is one (x86 only); CPUID, which speaks of this machine alone, names it. */
static void read_hypervisor(struct limits_setting *setting, const char *root)
{
	char flags[SYSFILE_TEXT], name[13];

	if (sysfile_line(root, "/sys/hypervisor/type", setting->value, sizeof(setting->value)))
		return;
	if (!sysfile_value(root, "/proc/cpuinfo", "flags", flags, sizeof(flags)))
		snprintf(setting->note, sizeof(setting->note), "this kind of CPU does not tell");
	else if (!has_word(flags, "hypervisor"))
		snprintf(setting->value, sizeof(setting->value), "none");
	else if (root[0] == '\0' && hypervisor_name(name))
		snprintf(setting->value, sizeof(setting->value), "%s", name);
	else
		snprintf(setting->value, sizeof(setting->value), "unnamed");
}

/* Arm kernels give numbers in place of a name. */
static void read_cpu_model(struct limits_setting *setting, const char *root)
{
	char implementer[LIMITS_TEXT], part[LIMITS_TEXT];

	if (sysfile_value(root, "/proc/cpuinfo", "model name", setting->value, sizeof(setting->value)))
		return;
	if (sysfile_value(root, "/proc/cpuinfo", "CPU implementer", implementer, sizeof(implementer)) &&
	    sysfile_value(root, "/proc/cpuinfo", "CPU part", part, sizeof(part)))
		snprintf(setting->value, sizeof(setting->value), "implementer %s part %s", implementer, part);
	else
		snprintf(setting->note, sizeof(setting->note), "/proc/cpuinfo does not tell");
}

static void read_kernel(struct limits_setting *setting, const char *root)
{
	copy_line(setting, root, "/proc/sys/kernel/osrelease", "this kernel does not tell");
}

static void read_swap_bytes(struct limits_setting *setting, const char *root)
{
	uint64_t bytes;

	if (sysfile_meminfo_bytes(root, "SwapTotal", &bytes))
		snprintf(setting->value, sizeof(setting->value), "%llu", (unsigned long long)bytes);
	else
		snprintf(setting->note, sizeof(setting->note), "/proc/meminfo does not tell");
}

static const struct {
	const char *name;
	void (*read)(struct limits_setting *setting, const char *root);
} settings[] = {
	{"governor", read_governor},
	{"boost", read_boost},
	{"smt", read_smt},
	{"isolated", read_isolated},
	{"nohz_full", read_nohz_full},
	{"transparent_huge_pages", read_transparent_huge_pages},
	{"numa_balancing", read_numa_balancing},
	{"aslr", read_aslr},
	{"mitigations", read_mitigations},
	{"clock_source", read_clock_source},
	{"hypervisor", read_hypervisor},
	{"cpu_model", read_cpu_model},
	{"kernel", read_kernel},
	{"swap_bytes", read_swap_bytes},
};

bool limits_setting(size_t index, struct limits_setting *setting, const char *root)
{
	if (index >= sizeof(settings) / sizeof(settings[0]))
		return false;
	*setting = (struct limits_setting){.name = settings[index].name};
	settings[index].read(setting, root);
	return true;
}
