/* A cell's parameters as one types them. */
#ifndef BENCH_CELL_TEXT_H
#define BENCH_CELL_TEXT_H

#include "cell.h"

/* A field of a cell as an option's value: times with their unit, lists by commas; what does not apply is "-". Returns text. */
char *cell_field_text(const char *field, const json_t *value, char text[CELL_TEXT]);
/* The option that sets a field: "duration" of "duration_ns". Returns name. */
char *cell_field_option(const char *field, char name[CELL_TEXT]);

#endif
