/* Lines of a table: columns of fixed width, texts made harmless. */
#ifndef RESULTS_TABLE_PRINT_H
#define RESULTS_TABLE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_TEXT = 128 }; /* one cell's text */
enum { TABLE_WIDE = 120, TABLE_NARROW = 80 }; /* columns that a line has at most */

struct table_column {
	const char *upper, *lower; /* the head's two lines */
	int width;
	bool left;      /* flush */
	bool wide_only; /* left out of a narrow table */
};

/* Where a table goes, and in which form. */
struct table_form {
	FILE *out;
	bool wide;
	int first_width; /* the first column is so wide at least: a longer name would shift what follows it */
};

/* As fprintf, with control characters (a record may come from anywhere) shown as '?', but for a newline at either end.
 */
void table_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line's texts from column `first` on; what is before it is the label. texts[count - 1] is the last column's. */
void table_cells(const struct table_form *form, const struct table_column *columns, size_t first, size_t count, const char *label,
		 const char (*texts)[TABLE_TEXT]);
/* Letters that the last column has room for. */
int table_last_room(const struct table_form *form, const struct table_column *columns, size_t count);
void table_head(const struct table_form *form, const struct table_column *columns, size_t count);

#endif
