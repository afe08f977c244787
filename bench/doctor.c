#include "doctor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

const char *const doctor_state_names[] = {"good", "note", "costs", "unfit"};

/* Beyond these a part of the verdict falls. */
static const double STALLS_TAILS = 0.001, STALLS_RATES = 0.1; /* shares of time: at 0.1 % every p99.9 is the machine's */
static const double STEAL_TAILS = 0.001, STEAL_RATES = 0.05;
static const double DELAY_TAILS = 0.001, DELAY_RATES = 0.05;
static const double LINE_MOVES = 1.5;   /* as that of a trial is called moved */
static const double READ_SLOW_NS = 100; /* a trapped counter takes a microsecond and more */

struct finding_list {
	const struct doctor_facts *facts;
	struct doctor_finding *findings;
	size_t count;
};

__attribute__((format(printf, 3, 4))) static struct doctor_finding *add(struct finding_list *list, const char *name, const char *format, ...)
{
	struct doctor_finding *finding = &list->findings[list->count++];
	va_list arguments;

	*finding = (struct doctor_finding){.name = name};
	va_start(arguments, format);
	vsnprintf(finding->is, sizeof(finding->is), format, arguments);
	va_end(arguments);
	return finding;
}

/* Marks it, unless it is worse already. */
static void mark(struct doctor_finding *finding, enum doctor_state state, const char *costs, const char *mend)
{
	finding->state = state > finding->state ? state : finding->state;
	snprintf(finding->costs, sizeof(finding->costs), "%s", costs);
	snprintf(finding->mend, sizeof(finding->mend), "%s", mend);
}

static void unfit(struct doctor_finding *finding, bool rates, bool tails)
{
	if (!rates && !tails)
		return;
	finding->state = DOCTOR_UNFIT;
	finding->rates = rates;
	finding->tails = tails;
}

static const char *setting(const struct finding_list *list, const char *name)
{
	return list->facts->setting(list->facts->context, name);
}

static bool is_set(const struct finding_list *list, const char *name, const char *value)
{
	const char *text = setting(list, name);

	return text && !strcmp(text, value);
}

/* ---- what may be used ---- */

static void find_cpus(struct finding_list *list)
{
	const struct doctor_facts *facts = list->facts;
	struct doctor_finding *finding = add(list, "CPUs", "%u of %u may be used", facts->cpus_usable, facts->cpus_online);

	if (facts->cpus_usable < 2) {
		mark(finding, DOCTOR_UNFIT, "two endpoints share one CPU: what is measured is the scheduler, not the queue",
		     "allow more: taskset, the cgroup's cpuset, the virtual machine's number of CPUs");
		unfit(finding, true, true);
	} else if (facts->cpus_usable < facts->cpus_online) {
		mark(finding, DOCTOR_NOTE, "placements on the others can't be measured", "taskset, or the cgroup's cpuset, if that was not meant");
	}
}

static void find_quota(struct finding_list *list)
{
	const struct doctor_facts *facts = list->facts;
	double quota = facts->limits.quota_cpus, throttled = facts->measured.throttled_ns;
	char text[NUMBER_TEXT], time[NUMBER_TEXT];
	struct doctor_finding *finding;

	if (quota < 0) {
		add(list, "CPU quota", "none");
		return;
	}
	finding = add(list, "CPU quota", "%s CPUs' worth of time; held back %s while watched", number_decimal(text, quota),
		      throttled >= 0 ? number_time(time, throttled) : "(not told)");
	if (throttled <= 0 && quota >= facts->cpus_usable)
		return;
	mark(finding, DOCTOR_COSTS, "threads that use it up stand still until the next period, some 100 ms", "lift cpu.max (cpu.cfs_quota_us) of the cgroup");
	unfit(finding, throttled > 0 || quota < 2, quota < facts->cpus_usable);
}

/* ---- the clock ---- */

static void find_clock(struct finding_list *list)
{
	const struct clock *clock = &list->facts->clock;
	char read[NUMBER_TEXT], ordered[NUMBER_TEXT], step[NUMBER_TEXT];
	struct doctor_finding *finding =
		add(list, "clock", "%s; a reading takes %s, one that is ordered after loads %s; it steps by %s", clock_name(clock->source),
		    number_time(read, clock->read_ns), number_time(ordered, clock->ordered_read_ns),
		    number_time(step, clock_ns((double)clock->quantum_ticks, clock->ticks_per_s)));

	if (clock->source == CLOCK_SYSTEM) {
		mark(finding, DOCTOR_COSTS, "", "a processor and a hypervisor with an invariant counter that the kernel trusts (dmesg | grep -i tsc)");
		snprintf(finding->costs, sizeof(finding->costs), "the processor's counter is not used: %.120s; stamps cost more", clock->why);
	} else if (clock->read_ns > READ_SLOW_NS) {
		mark(finding, DOCTOR_COSTS, "the hypervisor traps the counter: each stamp costs as much", "let it pass (KVM: -cpu host,+invtsc)");
	}
}

static void find_offset(struct finding_list *list)
{
	const struct doctor_measured *measured = &list->facts->measured;
	char low[NUMBER_TEXT], high[NUMBER_TEXT], bound[NUMBER_TEXT];
	double half = fmax(fabs(measured->offset_low_ns), fabs(measured->offset_high_ns));
	struct doctor_finding *finding;

	if (!measured->lines)
		return;
	if (measured->offset_low_ns > measured->offset_high_ns) {
		finding = add(list, "clock offset", "readings on two CPUs contradict each other");
		mark(finding, DOCTOR_UNFIT, "one-way latencies are of no use: the clock of a CPU moved", "a machine whose counters are in step; see the kernel's log");
		unfit(finding, false, true);
		return;
	}
	finding = add(list, "clock offset", "the nearest two CPUs' clocks are apart by %s to %s", number_time(low, measured->offset_low_ns),
		      number_time(high, measured->offset_high_ns));
	if (half <= measured->line_ns[measured->lines / 2] / 4)
		return;
	mark(finding, DOCTOR_NOTE, "", "longer runs narrow it; or read round trips");
	snprintf(finding->costs, sizeof(finding->costs), "one-way latencies below %s are clock-limited", number_time(bound, 4 * half));
}

/* ---- what moves and stalls ---- */

static void find_line(struct finding_list *list)
{
	const struct doctor_measured *measured = &list->facts->measured;
	char least[NUMBER_TEXT], middle[NUMBER_TEXT], most[NUMBER_TEXT];
	struct doctor_finding *finding;

	if (!measured->lines)
		return;
	finding = add(list, "line", "a cache line's round trip between the nearest two CPUs: %s, %s to %s of %zu looks",
		      number_time(middle, measured->line_ns[measured->lines / 2]), number_time(least, measured->line_ns[0]),
		      number_time(most, measured->line_ns[measured->lines - 1]), measured->lines);
	if (measured->line_ns[measured->lines - 1] > LINE_MOVES * measured->line_ns[0])
		mark(finding, DOCTOR_COSTS, "the CPUs move: trials fall into several regimes, and each has fewer",
		     "pin the virtual CPUs to the host's (libvirt: vcpupin), or use a machine of one's own");
}

static void find_stalls(struct finding_list *list)
{
	const struct doctor_measured *measured = &list->facts->measured;
	char share[NUMBER_TEXT], watched[NUMBER_TEXT], longest[NUMBER_TEXT], often[NUMBER_TEXT];
	struct doctor_finding *finding =
		add(list, "stalls", "%s of %s stood still on the usable CPUs; the longest about %s; %s a second beyond 10 us on each",
		    number_percent(share, measured->stall_share), number_time(watched, (double)measured->watched_ns),
		    number_time(longest, measured->longest_stall_ns), number_decimal(often, measured->long_stalls_per_s));

	if (measured->stall_share <= STALLS_TAILS)
		return;
	mark(finding, DOCTOR_COSTS, "no p99.9, and perhaps no p99, tells of a queue: it tells of the machine",
	     "end other programs; isolcpus=, nohz_full= and irqaffinity= for the CPUs; a machine of one's own");
	unfit(finding, measured->stall_share > STALLS_RATES, true);
}

static void find_steal(struct finding_list *list)
{
	double share = list->facts->measured.steal_share;
	const char *hypervisor = setting(list, "hypervisor");
	bool virtual = hypervisor && strcmp(hypervisor, "none") != 0;
	char text[NUMBER_TEXT];
	struct doctor_finding *finding = add(list, "hypervisor", "%s; it took %s of the time, by its own account",
					     hypervisor ? hypervisor : "not told", share < 0 ? "(not told)" : number_percent(text, share));

	if (virtual)
		mark(finding, DOCTOR_NOTE, "it may stop or move a CPU at any time, and need not account for it", "a machine of one's own");
	if (share > STEAL_TAILS) {
		mark(finding, DOCTOR_COSTS, "others have these CPUs for that time", "a machine of one's own, or one with CPUs of its own");
		unfit(finding, share > STEAL_RATES, true);
	}
}

static void find_others(struct finding_list *list)
{
	const struct doctor_measured *measured = &list->facts->measured;
	char delay[NUMBER_TEXT], switches[NUMBER_TEXT];
	struct doctor_finding *finding;

	if (measured->delay_share < 0 && measured->switches_per_s < 0) {
		mark(add(list, "other programs", "this kernel does not tell"), DOCTOR_NOTE, "what else runs is seen as stalls alone", "");
		return;
	}
	finding = add(list, "other programs", "had the CPUs for %s of the time, and took each %s times a second",
		      measured->delay_share < 0 ? "(not told)" : number_percent(delay, measured->delay_share),
		      measured->switches_per_s < 0 ? "(not told)" : number_decimal(switches, measured->switches_per_s));
	if (measured->delay_share <= DELAY_TAILS)
		return;
	mark(finding, DOCTOR_COSTS, "trials are disturbed, and told to be", "end them, or keep them off these CPUs (taskset, cpuset)");
	unfit(finding, measured->delay_share > DELAY_RATES, true);
}

/* ---- settings ---- */

static void find_frequency(struct finding_list *list)
{
	const char *governor = setting(list, "governor"), *boost = setting(list, "boost");
	struct doctor_finding *finding = add(list, "frequency", "governor %s, boost %s", governor ? governor : "not told", boost ? boost : "not told");

	if (governor && strcmp(governor, "performance") != 0)
		mark(finding, DOCTOR_COSTS, "the CPUs wake up slowly: the first milliseconds after silence are slower", "cpupower frequency-set -g performance");
	else if (boost && !strcmp(boost, "on"))
		mark(finding, DOCTOR_NOTE, "rates go with temperature, and with what other cores do", "/sys/devices/system/cpu/cpufreq/boost, if steadiness matters more");
}

static void find_isolation(struct finding_list *list)
{
	const char *isolated = setting(list, "isolated"), *nohz = setting(list, "nohz_full");
	struct doctor_finding *finding = add(list, "isolation", "isolated CPUs: %s; without ticks: %s", isolated ? isolated : "not told", nohz ? nohz : "not told");

	if (!isolated || !strcmp(isolated, "none"))
		mark(finding, DOCTOR_NOTE, "the scheduler's ticks and other threads come in between", "isolcpus=, nohz_full=, rcu_nocbs= on the kernel's command line, where tails matter");
}

static void find_memory(struct finding_list *list)
{
	const struct doctor_facts *facts = list->facts;
	bool thp = is_set(list, "transparent_huge_pages", "always"), balancing = is_set(list, "numa_balancing", "1");
	struct doctor_finding *finding = add(list, "memory", "%llu MiB free; huge pages by themselves: %s; pages moved between nodes: %s",
					     (unsigned long long)facts->limits.memory_available_bytes >> 20,
					     setting(list, "transparent_huge_pages") ? setting(list, "transparent_huge_pages") : "not told",
					     balancing ? "yes" : "no");

	if (balancing)
		mark(finding, DOCTOR_COSTS, "pages are unmapped and moved in the midst of a trial", "sysctl kernel.numa_balancing=0");
	else if (thp)
		mark(finding, DOCTOR_NOTE, "the kernel may stop a thread to put pages together", "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

static void find_layout(struct finding_list *list)
{
	const char *aslr = setting(list, "aslr");
	struct doctor_finding *finding = add(list, "layout", "addresses are %s", !aslr ? "not told to be random" : strcmp(aslr, "0") ? "random" : "always the same");

	if (aslr && !strcmp(aslr, "0"))
		mark(finding, DOCTOR_COSTS, "all trials have one layout: its luck is in every number", "sysctl kernel.randomize_va_space=2");
}

static void find_kernel(struct finding_list *list)
{
	const struct doctor_measured *measured = &list->facts->measured;
	char call[NUMBER_TEXT], wake[NUMBER_TEXT];

	add(list, "kernel", "a system call takes %s, waking a thread on another CPU %s", number_time(call, measured->call_ns),
	    measured->wake_ns < 0 ? "(not measured)" : number_time(wake, measured->wake_ns));
}

size_t doctor_find(struct doctor_finding findings[DOCTOR_FINDINGS], const struct doctor_facts *facts)
{
	struct finding_list list = {.facts = facts, .findings = findings};

	find_cpus(&list);
	find_quota(&list);
	find_clock(&list);
	find_offset(&list);
	find_line(&list);
	find_stalls(&list);
	find_steal(&list);
	find_others(&list);
	find_frequency(&list);
	find_isolation(&list);
	find_memory(&list);
	find_layout(&list);
	find_kernel(&list);
	return list.count;
}
