#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "message.h"

enum { SIZE_MOST = 200, MESSAGES_MOST = 9 };

static const unsigned char UNTOUCHED = 0xa5;

struct buffer {
	uint64_t words[MESSAGES_MOST * SIZE_MOST / 8 + 8];
};

static void buffer_fill(struct buffer *buffer, enum message_class class, size_t stride, size_t touched, size_t n,
			uint64_t header)
{
	memset(buffer, UNTOUCHED, sizeof(*buffer));
	message_fill(class, buffer->words, stride, touched, n, header);
}

static void what_was_written_is_what_is_expected(void **state)
{
	struct buffer buffer;

	(void)state;
	for (size_t size = 8; size <= SIZE_MOST; size++)
		for (size_t n = 1; n <= MESSAGES_MOST; n++) {
			size_t stride = queue_stride(size);
			uint64_t header = message_header(3, PHASE_MEASURED, 0xfffffffe);

			buffer_fill(&buffer, message_class(stride, size), stride, size, n, header);
			assert_int_equal(message_differs(message_class(stride, size), buffer.words, stride, size, n, header), 0);
			assert_int_not_equal(message_differs(message_class(stride, size), buffer.words, stride, size, n, header + 1), 0);
		}
}

static void any_changed_bit_of_any_byte_is_found(void **state)
{
	enum { N = 3 };
	struct buffer buffer;

	(void)state;
	for (size_t size = 8; size <= SIZE_MOST; size++) {
		size_t stride = queue_stride(size);
		enum message_class class = message_class(stride, size);
		uint64_t header = message_header(0, PHASE_MEASURED, 77);
		unsigned char *bytes = (unsigned char *)buffer.words;

		buffer_fill(&buffer, class, stride, size, N, header);
		for (size_t i = 0; i < N * stride; i++) {
			unsigned char flip = (unsigned char)(1u << i % 8);
			bool differs;

			bytes[i] ^= flip;
			differs = message_differs(class, buffer.words, stride, size, N, header) != 0;
			bytes[i] ^= flip;
			if (differs != (i % stride < size))
				fail_msg("size %zu, byte %zu: expected %d, got %d", size, i, i % stride < size, differs);
		}
	}
}

static void all_classes_write_the_same_bytes(void **state)
{
	static const size_t sizes[] = {8, 24, 64};
	struct buffer one, other;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_not_equal(message_class(sizes[i], sizes[i]), MESSAGE_ANY);
		for (size_t n = 1; n <= MESSAGES_MOST; n++) {
			uint64_t header = message_header(1, PHASE_WARM_UP, 41);

			buffer_fill(&one, message_class(sizes[i], sizes[i]), sizes[i], sizes[i], n, header);
			buffer_fill(&other, MESSAGE_ANY, sizes[i], sizes[i], n, header);
			assert_memory_equal(&one, &other, sizeof(one));
		}
	}
}

static void only_the_bytes_to_be_touched_are_written_and_read(void **state)
{
	static const size_t touched[] = {8, 13, 40};
	struct buffer buffer;
	unsigned char *bytes = (unsigned char *)buffer.words;

	(void)state;
	for (size_t k = 0; k < sizeof(touched) / sizeof(touched[0]); k++) {
		uint64_t header = message_header(0, PHASE_LAST, 9);

		assert_int_equal(message_class(64, touched[k]), MESSAGE_ANY);
		buffer_fill(&buffer, MESSAGE_ANY, 64, touched[k], 2, header);
		for (size_t i = 0; i < 128; i++)
			if (i % 64 >= touched[k])
				assert_int_equal(bytes[i], UNTOUCHED);
		assert_int_equal(message_differs(MESSAGE_ANY, buffer.words, 64, touched[k], 2, header), 0);
	}
}

static void nothing_is_written_behind_the_last_message(void **state)
{
	struct buffer buffer;
	unsigned char *bytes = (unsigned char *)buffer.words;

	(void)state;
	for (size_t size = 8; size <= SIZE_MOST; size++)
		for (size_t n = 1; n <= MESSAGES_MOST; n++) {
			size_t stride = queue_stride(size);

			buffer_fill(&buffer, message_class(stride, size), stride, size, n, message_header(0, PHASE_WARM_UP, 1));
			for (size_t i = (n - 1) * stride + size; i < sizeof(buffer); i++)
				assert_int_equal(bytes[i], UNTOUCHED);
		}
}

static void a_header_gives_back_its_parts(void **state)
{
	(void)state;
	for (unsigned phase = PHASE_WARM_UP; phase <= PHASE_LAST; phase++) {
		uint64_t header = message_header(0, (enum message_phase)phase, MESSAGE_SEQUENCE_MASK);

		assert_int_equal(message_phase(header), phase);
		assert_true(message_sequence(header) == MESSAGE_SEQUENCE_MASK);
		assert_true(message_header(0, (enum message_phase)phase, 0) != 0);
		assert_true(message_header(1, (enum message_phase)phase, 1) != message_header(0, (enum message_phase)phase, 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_what_is_expected),
		cmocka_unit_test(any_changed_bit_of_any_byte_is_found),
		cmocka_unit_test(all_classes_write_the_same_bytes),
		cmocka_unit_test(only_the_bytes_to_be_touched_are_written_and_read),
		cmocka_unit_test(nothing_is_written_behind_the_last_message),
		cmocka_unit_test(a_header_gives_back_its_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
