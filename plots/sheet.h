/* A figure in the making: its data (tab-separated), its settings (gnuplot variables) and its words. Lengths are in
 * characters and lines, which are 7 x 16 pixels, or a cell of a terminal: so one layout serves all of gnuplot's
 * terminals. */
#ifndef PLOTS_SHEET_H
#define PLOTS_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SHEET_LABEL = 32, SHEET_TEXT = 512 };

struct sheet {
	FILE *data, *settings, *header, *notes; /* in memory; header and notes: a paragraph a line */
	char *data_text, *settings_text, *header_text, *notes_text;
	size_t data_bytes, settings_bytes, header_bytes, notes_bytes;
	bool dumb;              /* characters only */
	unsigned width, height; /* of the panels' area; header and notes are added to the height */
	char complaint[SHEET_TEXT];
};

/* Returns 0 or -ENOMEM. To be closed in any case. */
int sheet_open(struct sheet *sheet, bool dumb);
/* All text is in the buffers from here on. Returns 0 or -ENOMEM. */
int sheet_finish(struct sheet *sheet);
void sheet_close(struct sheet *sheet);

/* What is missing from the record. Returns 1. */
__attribute__((format(printf, 2, 3))) int sheet_complain(struct sheet *sheet, const char *format, ...);
/* A paragraph above or below the panels; wrapped to the figure's width when it is written. */
__attribute__((format(printf, 2, 3))) void sheet_head(struct sheet *sheet, const char *format, ...);
__attribute__((format(printf, 2, 3))) void sheet_note(struct sheet *sheet, const char *format, ...);

/* Settings: gnuplot variables and arrays. Text is quoted so that nothing in it means anything to gnuplot. */
void sheet_set_number(struct sheet *sheet, const char *name, double value);
void sheet_set_text(struct sheet *sheet, const char *name, const char *text);
/* An array whose elements are then set one by one; index from 1 on. */
void sheet_set_array(struct sheet *sheet, const char *name, size_t count);
void sheet_set_element(struct sheet *sheet, const char *name, size_t index, double value);
void sheet_set_element_text(struct sheet *sheet, const char *name, size_t index, const char *text);
void sheet_set_numbers(struct sheet *sheet, const char *name, const double *values, size_t count);
void sheet_set_texts(struct sheet *sheet, const char *name, const char *const *texts, size_t count);
/* A paragraph buffer, wrapped, as an array of lines and NAME_count. Returns the number of lines. */
unsigned sheet_write_paragraphs(const struct sheet *sheet, FILE *settings, const char *name, const char *paragraphs);

/* A cell of the data file, text last in its line: tabs, newlines and double quotes, which would part it, are replaced.
 */
void sheet_data_text(struct sheet *sheet, const char *text);

/* text as valid UTF-8 without control characters, of at most width characters (… stands for the middle of a longer
 * one). */
void sheet_clean(char *into, size_t size, const char *text, size_t width);
/* Characters, not bytes. */
size_t sheet_length(const char *text);
/* Columns that text takes at most, drawn with the widest of the usual fonts; of a figure in characters each takes one. */
size_t sheet_columns(const struct sheet *sheet, const char *text);

/* Ends of a log axis that shows low..high with room beside; they differ even where low == high. */
void sheet_log_range(double *low, double *high);
/* A round step, 1, 2 or 5 times a power of ten, that parts a linear axis from 0 to high into six parts at most. high > 0, else 1. */
double sheet_tick_step(double high);

#endif
