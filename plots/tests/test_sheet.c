#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sheet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void text_without_surprises_stays_as_it_is(void **state)
{
	char clean[64];

	(void)state;
	sheet_clean(clean, sizeof(clean), "ypipe µs {a_b}", 40);
	assert_string_equal(clean, "ypipe µs {a_b}");
}

static void control_characters_broken_utf8_and_turned_text_become_question_marks(void **state)
{
	char clean[64];

	(void)state;
	sheet_clean(clean, sizeof(clean), "a\tb\nc\x1b\x7f", 40);
	assert_string_equal(clean, "a?b?c??");
	sheet_clean(clean, sizeof(clean), "a\xff\xc3", 40);
	assert_string_equal(clean, "a??");
	sheet_clean(clean, sizeof(clean), "a\u202eb\u2066c\u200d", 40);
	assert_string_equal(clean, "a?b?c?");
}

static void a_long_text_loses_its_middle(void **state)
{
	char clean[64];

	(void)state;
	sheet_clean(clean, sizeof(clean), "0123456789", 7);
	assert_string_equal(clean, "012…789");
	assert_int_equal(sheet_length(clean), 7);
}

static void text_never_outgrows_its_buffer(void **state)
{
	char clean[16];

	(void)state;
	sheet_clean(clean, sizeof(clean), "ääääääääääääääääääää", 400);
	assert_true(strlen(clean) < sizeof(clean));
}

/* What a sheet writes for one text. Freed by the caller. */
static char *setting_of(const char *text)
{
	struct sheet sheet;
	char *copy;

	assert_int_equal(sheet_open(&sheet, false), 0);
	sheet_set_text(&sheet, "name", text);
	assert_int_equal(sheet_finish(&sheet), 0);
	copy = strdup(sheet.settings_text);
	sheet_close(&sheet);
	assert_non_null(copy);
	return copy;
}

static void quotes_are_doubled_and_nothing_else_is_special(void **state)
{
	char *setting = setting_of("it's `id` @m \\n \"x\"");

	(void)state;
	assert_string_equal(setting, "name = 'it''s `id` @m \\n \"x\"'\n");
	free(setting);
	setting = setting_of("a'\nsystem('id')");
	assert_string_equal(setting, "name = 'a''?system(''id'')'\n");
	free(setting);
}

static void data_keep_one_line_and_one_cell_a_text(void **state)
{
	struct sheet sheet;

	(void)state;
	assert_int_equal(sheet_open(&sheet, false), 0);
	sheet_data_text(&sheet, "a\"b\tc\nd");
	assert_int_equal(sheet_finish(&sheet), 0);
	assert_string_equal(sheet.data_text, "a'b?c?d");
	sheet_close(&sheet);
}

static void letters_are_as_wide_as_they_are_drawn_and_one_column_each_in_a_terminal(void **state)
{
	struct sheet drawn = { .dumb = false }, dumb = { .dumb = true };

	(void)state;
	assert_int_equal(sheet_columns(&drawn, ""), 0);
	assert_int_equal(sheet_columns(&drawn, "WWWWW"), 9);
	assert_int_equal(sheet_columns(&drawn, "iiiii"), 4);
	assert_int_equal(sheet_columns(&drawn, "a…b"), 4);
	assert_int_equal(sheet_columns(&dumb, "WWWWW"), 5);
	assert_int_equal(sheet_columns(&dumb, "a…b"), 3);
}

static void paragraphs_are_wrapped_where_they_are_too_wide(void **state)
{
	struct sheet sheet;

	(void)state;
	assert_int_equal(sheet_open(&sheet, false), 0);
	sheet.width = 12;
	assert_int_equal(sheet_write_paragraphs(&sheet, sheet.settings, "notes", "WWW WWW lilililili\n"), 3);
	assert_int_equal(sheet_finish(&sheet), 0);
	assert_string_equal(sheet.settings_text, "array notes[3]\nnotes[1] = 'WWW'\nnotes[2] = 'WWW'\nnotes[3] = 'lilililili'\n"
						 "notes_count = 3\n");
	sheet_close(&sheet);
}

static void paragraphs_are_wrapped_at_spaces(void **state)
{
	struct sheet sheet;

	(void)state;
	assert_int_equal(sheet_open(&sheet, true), 0);
	sheet.width = 12;
	assert_int_equal(sheet_write_paragraphs(&sheet, sheet.settings, "notes",
						"one two three four\nfive\nsixseveneightnine\n"),
			 5);
	assert_int_equal(sheet_finish(&sheet), 0);
	assert_string_equal(sheet.settings_text, "array notes[5]\nnotes[1] = 'one two'\nnotes[2] = 'three "
						 "four'\nnotes[3] = 'five'\n"
						 "notes[4] = 'sixsevenei'\nnotes[5] = 'ghtnine'\nnotes_count = 5\n");
	sheet_close(&sheet);
}

static void no_paragraphs_are_an_array_that_gnuplot_takes(void **state)
{
	struct sheet sheet;

	(void)state;
	assert_int_equal(sheet_open(&sheet, false), 0);
	sheet.width = 12;
	assert_int_equal(sheet_write_paragraphs(&sheet, sheet.settings, "notes", ""), 0);
	assert_int_equal(sheet_finish(&sheet), 0);
	assert_string_equal(sheet.settings_text, "array notes[1]\nnotes_count = 0\n");
	sheet_close(&sheet);
}

static void a_range_of_one_value_has_two_ends(void **state)
{
	double low = 5, high = 5;

	(void)state;
	sheet_log_range(&low, &high);
	assert_true(low > 0 && low < 5 && high > 5);
}

static void tick_steps_are_round_and_few(void **state)
{
	(void)state;
	for (double high = 1e-3; high < 1e9; high *= 1.07) {
		double step = sheet_tick_step(high), digits = step / pow(10, floor(log10(step) + 1e-9));

		assert_true(high / step <= 6.000001 && high / step > 2);
		assert_true(fabs(digits - 1) < 1e-6 || fabs(digits - 2) < 1e-6 || fabs(digits - 5) < 1e-6);
	}
	assert_true(sheet_tick_step(0) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_without_surprises_stays_as_it_is),
		cmocka_unit_test(control_characters_broken_utf8_and_turned_text_become_question_marks),
		cmocka_unit_test(a_long_text_loses_its_middle),
		cmocka_unit_test(text_never_outgrows_its_buffer),
		cmocka_unit_test(quotes_are_doubled_and_nothing_else_is_special),
		cmocka_unit_test(data_keep_one_line_and_one_cell_a_text),
		cmocka_unit_test(letters_are_as_wide_as_they_are_drawn_and_one_column_each_in_a_terminal),
		cmocka_unit_test(paragraphs_are_wrapped_at_spaces),
		cmocka_unit_test(paragraphs_are_wrapped_where_they_are_too_wide),
		cmocka_unit_test(no_paragraphs_are_an_array_that_gnuplot_takes),
		cmocka_unit_test(tick_steps_are_round_and_few),
		cmocka_unit_test(a_range_of_one_value_has_two_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
