/* All queues × all checks of conformance.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "conformance.h"
#include "each_queue.h"
#include "rig.h"

enum { CHECK_SECONDS = 60 }; /* tells a hang from a slow machine */

static void test_queue_conforms(void **state)
{
	const struct queue *queue = *state;
	struct queue_config config = rig_config(queue, 7, 24, 8);
	unsigned failed = 0, passed = 0;
	size_t bytes;
	int status = queue->footprint(&config, 1, &bytes);

	for (const struct conformance_check *check = conformance_checks; check->name; check++) {
		struct verdict verdict = conformance_run(queue, check, CHECK_SECONDS);

		passed += verdict.kind == VERDICT_PASSED;
		failed += verdict.kind == VERDICT_FAILED;
		if (verdict.kind == VERDICT_FAILED)
			print_error("%s: %s: %s\n", queue->name, check->name, verdict.text);
	}
	assert_int_equal(failed, 0);
	if (status == -ENOSYS || status == -EPERM)
		skip(); /* this machine does not offer what it rests on */
	assert_true(passed >= 10);
}

int main(int argc, char **argv)
{
	return each_queue_run("conformance", test_queue_conforms, argc, argv);
}
