/* ypipe-membarrier where the kernel refuses membarrier: it goes on by exchanges, says so, and loses no wake-up. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "conformance.h"
#include "list.h"
#include "rig.h"
#include "stress.h"

enum { CHECK_SECONDS = 60, ALL_SECONDS = 600 };

/* From now on membarrier fails with this error, in this process and its children. */
static void refuse_membarrier(int error, struct verdict *verdict)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		verdict_skip(verdict, "no filter of system calls can be set here");
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) != -1 || errno != error)
		verdict_fail(verdict, "the filter does not refuse membarrier");
}

static bool is_refused(const struct rig *rig)
{
	char text[200];

	rig->queue->describe(rig->instance, text, sizeof(text));
	return strstr(text, "membarrier is refused");
}

static void open_pipe(struct rig *rig, struct verdict *verdict)
{
	const struct queue *queue = queue_find("ypipe-membarrier");

	rig_open(rig, queue, verdict, rig_config(queue, 0, 24, 1));
}

static void go_without(const void *error, struct verdict *verdict)
{
	const struct check_plan plan = case_plan_of_tests();
	struct verdict found;
	unsigned cases = 0;
	struct rig rig;

	refuse_membarrier(*(const int *)error, verdict);
	open_pipe(&rig, verdict);
	if (!is_refused(&rig))
		verdict_fail(verdict, "refused when it was created: describe does not say so");
	rig_close(&rig);
	for (const struct conformance_check *check = conformance_checks; check->name; check++) {
		found = conformance_run(rig.queue, check, CHECK_SECONDS);
		if (found.kind == VERDICT_FAILED)
			verdict_fail(verdict, "%s: %s", check->name, found.text);
	}
	found = case_run_all(rig.queue, &plan, stress_run, &cases);
	if (found.kind == VERDICT_FAILED || !cases)
		verdict_fail(verdict, "%u cases of stress: %s", cases, found.text);
}

/* What can't be ordered must not sleep. */
static void lose_it_on_the_way(const void *error, struct verdict *verdict)
{
	struct rig rig;

	open_pipe(&rig, verdict);
	if (is_refused(&rig))
		verdict_skip(verdict, "this build, or this kernel, has no membarrier");
	if (rig_preread(&rig) || !rig.queue->sleep(rig.consumer))
		verdict_fail(verdict, "membarrier allowed: expected asleep");
	if (!rig_stage(&rig, 1) || rig_flush(&rig) != QUEUE_FLUSHED_READER_SLEEPS)
		verdict_fail(verdict, "membarrier allowed: expected QUEUE_FLUSHED_READER_SLEEPS");
	rig_drain(&rig);
	refuse_membarrier(*(const int *)error, verdict);
	for (unsigned round = 0; round < 100; round++) {
		if (rig_preread(&rig) || rig.queue->sleep(rig.consumer))
			verdict_fail(verdict, "refused later: expected awake");
		if (!rig_stage(&rig, 1) || rig_flush(&rig) != QUEUE_FLUSHED)
			verdict_fail(verdict, "refused later: expected QUEUE_FLUSHED");
		rig_drain(&rig);
	}
	rig_close(&rig);
}

static void expect_pass(void (*body)(const void *error, struct verdict *verdict), int error)
{
	struct verdict verdict = verdict_run(body, &error, ALL_SECONDS);

	if (verdict.kind == VERDICT_NOT_APPLICABLE) {
		print_message("%s\n", verdict.text);
		skip();
	}
	if (verdict.kind == VERDICT_FAILED)
		print_error("%s\n", verdict.text);
	assert_int_equal(verdict.kind, VERDICT_PASSED);
}

static void test_forbidden_it_exchanges(void **state)
{
	(void)state;
	expect_pass(go_without, EPERM);
}

static void test_on_an_old_kernel_it_exchanges(void **state)
{
	(void)state;
	expect_pass(go_without, ENOSYS);
}

static void test_forbidden_later_it_polls(void **state)
{
	(void)state;
	expect_pass(lose_it_on_the_way, EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forbidden_it_exchanges),
		cmocka_unit_test(test_on_an_old_kernel_it_exchanges),
		cmocka_unit_test(test_forbidden_later_it_polls),
	};

	return cmocka_run_group_tests_name("membarrier", tests, NULL, NULL);
}
