#include "form.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static bool form_fail(char why[FORM_TEXT], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, FORM_TEXT, format, arguments);
	va_end(arguments);
	return false;
}

static bool has_name(const char *name, char why[FORM_TEXT])
{
	if (!name || !*name || strlen(name) >= FORM_NAME_MAX ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name))
		return form_fail(why, "its queue's name '%.40s' is none: small letters, digits and dashes, at most %d of them",
				 name ? name : "", FORM_NAME_MAX - 1);
	return true;
}

/* In lists and records it stands in a line, and a terminal may read it. */
static bool is_one_line(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			return false;
	return true;
}

bool form_has_table(const struct queue *queue, char why[FORM_TEXT])
{
	const struct queue_traits *traits = &queue->traits;
	const struct {
		const char *name;
		bool there, due;
	} entries[] = {
		{"summary", queue->summary && *queue->summary, true},
		{"source", queue->source && *queue->source, true},
		{"footprint", queue->footprint, true},
		{"create", queue->create, true},
		{"destroy", queue->destroy, true},
		{"producer", queue->producer, true},
		{"consumer", queue->consumer, true},
		{"prewrite_span", queue->prewrite_span, true},
		{"flush", queue->flush, true},
		{"preread", queue->preread, true},
		{"read_span", queue->read_span, true},
		{"sleep", queue->sleep, traits->reports_sleeper},
		{"flush_wait", queue->flush_wait, traits->blocks_natively},
		{"preread_wait", queue->preread_wait, traits->blocks_natively},
	};

	if (queue->contract != QUEUE_CONTRACT)
		return form_fail(why, "its table is made for contract %u, this program's is %u%s", queue->contract, QUEUE_CONTRACT,
				 queue->contract ? "" : ": does it end with QUEUE_TABLE(…) = { .contract = QUEUE_CONTRACT, … }?");
	if (!has_name(queue->name, why))
		return false;
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		if (entries[i].there != entries[i].due)
			return form_fail(why, "its table is incomplete: %s is %s", entries[i].name,
					 entries[i].due ? "missing" : "there, though the traits don't announce it");
	if (!is_one_line(queue->summary) || !is_one_line(queue->source))
		return form_fail(why, "its summary or source is not one line of text");
	return true;
}

bool form_has_traits(const struct queue_traits *traits, char why[FORM_TEXT])
{
	bool one_producer = traits->shape == QUEUE_SPSC || traits->shape == QUEUE_SPMC;
	bool one_consumer = traits->shape == QUEUE_SPSC || traits->shape == QUEUE_MPSC;

	if (traits->role > QUEUE_PEER || traits->shape > QUEUE_MPMC || traits->progress > QUEUE_WAITS_FOR_PREEMPTED ||
	    traits->order > QUEUE_ORDER_NONE)
		return form_fail(why, "its traits: a role, shape, progress or order that is none");
	if (one_producer != (traits->producers_max == 1) || one_consumer != (traits->consumers_max == 1))
		return form_fail(why, "its traits: shape and greatest numbers of endpoints (%u, %u) contradict each other",
				 traits->producers_max, traits->consumers_max);
	if (traits->message_min < QUEUE_MESSAGE_MIN || traits->message_max > QUEUE_MESSAGE_MAX ||
	    traits->message_min > traits->message_max)
		return form_fail(why, "its traits: messages of %zu to %zu bytes, beyond the contract's %d to %d", traits->message_min,
				 traits->message_max, QUEUE_MESSAGE_MIN, QUEUE_MESSAGE_MAX);
	if (traits->bounded ? !traits->capacity_min || (traits->capacity_max && traits->capacity_max < traits->capacity_min) :
			      traits->capacity_min || traits->capacity_max || traits->capacity_power_of_two || traits->capacity_approximate)
		return form_fail(why, "its traits: bounded is %s, and its capacities are %zu to %zu%s%s",
				 traits->bounded ? "true" : "false", traits->capacity_min, traits->capacity_max,
				 traits->capacity_power_of_two ? ", powers of two" : "",
				 traits->capacity_approximate ? ", approximate" : "");
	return true;
}
