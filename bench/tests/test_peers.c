/* Peers: each is what it says, in the suites and in queues/README.md, whether it was built or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "form.h"
#include "list.h"
#include "peers.h"
#include "plugins.h"
#include "suite.h"

enum { TEXT_MAX = 1 << 17 };

static void each_peer_has_its_own_name(void **state)
{
	(void)state;
	for (const struct peer_entry *entry = peer_entries; entry->name; entry++) {
		assert_ptr_equal(peer_find(entry->name), entry);
		assert_null(queue_find(entry->name));
		assert_true(*entry->package && *entry->version);
	}
	assert_null(peer_find("no-such-peer"));
}

static void each_built_peer_is_one_with_a_table(void **state)
{
	char why[FORM_TEXT];

	(void)state;
	for (const struct peer_entry *entry = peer_entries; entry->name; entry++) {
		const struct queue *queue;

		if (!entry->target) {
			assert_null(peer_find_queue(entry->name));
			continue;
		}
		queue = peer_find_queue(entry->name);
		assert_ptr_equal(queue, entry->target->queue);
		assert_ptr_equal(target_find(entry->name), entry->target);
		assert_string_equal(queue->name, entry->name);
		assert_int_equal(queue->traits.role, QUEUE_PEER);
		if (!form_has_table(queue, why) || !form_has_traits(&queue->traits, why))
			fail_msg("%s: %s", entry->name, why);
		if (!strstr(queue->source, entry->version))
			fail_msg("%s: its source '%s' does not say its version, %s", entry->name, queue->source, entry->version);
	}
}

/* Of its own queues a build has all, whatever there is of others. */
static void peers_come_where_they_are_asked_for_alone(void **state)
{
	const struct queue *queues[QUEUES_MAX];
	size_t own = plugins_all(NULL, queues), all, built = 0;

	(void)state;
	for (size_t i = 0; i < own; i++)
		assert_int_not_equal(queues[i]->traits.role, QUEUE_PEER);
	all = peers_add(queues, own, QUEUES_MAX);
	for (const struct peer_entry *entry = peer_entries; entry->name; entry++)
		built += entry->target != NULL;
	assert_int_equal(all, own + built);
	assert_null(queues[all]);
	assert_int_equal(peers_add(queues, own, own + 1), own); /* no room */
}

static void an_absent_peer_is_told_how_to_be_had(void **state)
{
	const struct peer_entry absent = {"some-peer", "libsome-dev", "<some.h> was not found", NULL};
	char text[256];

	(void)state;
	peer_tell_absent(&absent, text, sizeof(text));
	assert_non_null(strstr(text, "some-peer"));
	assert_non_null(strstr(text, "libsome-dev"));
	assert_non_null(strstr(text, "<some.h> was not found"));
	assert_non_null(strstr(text, "make deps-peers"));
	for (const struct peer_entry *entry = peer_entries; entry->name; entry++)
		if (!entry->target) {
			assert_null(plugins_choose(NULL, entry->name, text, sizeof(text)));
			assert_non_null(strstr(text, entry->package));
		}
}

/* They need not be changed for a new one. */
static void each_suite_of_peers_has_all(void **state)
{
	unsigned suites = 0;

	(void)state;
	for (const struct suite_text *suite = suite_texts; suite->name; suite++) {
		if (strncmp(suite->name, "peers", strlen("peers")))
			continue;
		suites++;
		if (!strstr(suite->text, ", peers\n"))
			fail_msg("the suite %s has no line of queues that ends with peers", suite->name);
	}
	assert_int_equal(suites, 3);
}

/* A record type's peer stands there without its size. */
static void the_readme_names_each(void **state)
{
	char *text = malloc(TEXT_MAX), name[80];
	FILE *file = fopen("queues/README.md", "r");
	size_t length;

	(void)state;
	if (!file)
		fail_msg("queues/README.md: run this in the repository's top folder");
	assert_non_null(text);
	length = fread(text, 1, TEXT_MAX, file);
	fclose(file);
	assert_true(length < TEXT_MAX);
	text[length] = '\0';
	for (const struct peer_entry *entry = peer_entries; entry->name; entry++) {
		char *size;

		snprintf(name, sizeof(name), "`%s", entry->name);
		size = strstr(name, "-64");
		snprintf(size ? size : name + strlen(name), 2, "`");
		if (!strstr(text, name))
			fail_msg("queues/README.md lacks %s", name);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_peer_has_its_own_name),
		cmocka_unit_test(each_built_peer_is_one_with_a_table),
		cmocka_unit_test(peers_come_where_they_are_asked_for_alone),
		cmocka_unit_test(an_absent_peer_is_told_how_to_be_had),
		cmocka_unit_test(each_suite_of_peers_has_all),
		cmocka_unit_test(the_readme_names_each),
	};

	return cmocka_run_group_tests_name("peers", tests, NULL, NULL);
}
