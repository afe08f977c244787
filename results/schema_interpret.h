/* JSON Schema (draft 7), as much of it as record.schema.json needs. */
#ifndef RESULTS_SCHEMA_INTERPRET_H
#define RESULTS_SCHEMA_INTERPRET_H

#include "schema.h"

/* Checks a value against `schema`, a part of `whole`, where references point into. Returns 0, or -EINVAL with the place
 * (a JSON pointer) and the reason in error. A keyword that is not known is an error too: what isn't checked must not
 * seem so. Stricter than the draft in one thing: 1.0 is no integer. */
int schema_interpret(const json_t *whole, const json_t *schema, const json_t *value, char error[SCHEMA_TEXT]);

#endif
