/* Text as HTML. Whatever comes out of a record goes through html_say() or html_attribute(). */
#ifndef PLOTS_REPORT_HTML_H
#define PLOTS_REPORT_HTML_H

#include <stdio.h>

/* As fprintf, but what comes of it is text: nothing in it is a tag, an entity or the end of an attribute, and what can't be seen is '?'. */
void html_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* ` name="text"`, the text as of html_say(). */
void html_attribute(FILE *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A text that leads to what the word means: `word` is an id of the glossary, without its "w-". */
void html_term(FILE *out, const char *word, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* <dt>, the term; <dd> is left open for what is said of it. */
void html_fact(FILE *out, const char *word, const char *name);
void html_fact_end(FILE *out);

#endif
