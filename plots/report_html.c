#include "report_html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sheet.h"

static void escape(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		case '\'': fputs("&#39;", out); break;
		default: fputc(*text, out);
		}
}

static void say(FILE *out, const char *format, va_list arguments)
{
	char *text, *clean;
	int length = vasprintf(&text, format, arguments);

	if (length < 0)
		return;
	clean = malloc((size_t)length + 16); /* cleaning makes nothing longer; it wants some room for an ellipsis that is never put */
	if (clean) {
		sheet_clean(clean, (size_t)length + 16, text, (size_t)length + 1);
		escape(out, clean);
	}
	free(clean);
	free(text);
}

void html_say(FILE *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(out, format, arguments);
	va_end(arguments);
}

void html_attribute(FILE *out, const char *name, const char *format, ...)
{
	va_list arguments;

	fprintf(out, " %s=\"", name);
	va_start(arguments, format);
	say(out, format, arguments);
	va_end(arguments);
	fputc('"', out);
}

void html_term(FILE *out, const char *word, const char *format, ...)
{
	va_list arguments;

	fprintf(out, "<a class=\"term\" href=\"#w-%s\">", word);
	va_start(arguments, format);
	say(out, format, arguments);
	va_end(arguments);
	fputs("</a>", out);
}

void html_fact(FILE *out, const char *word, const char *name)
{
	fputs("<div><dt>", out);
	if (word)
		html_term(out, word, "%s", name);
	else
		html_say(out, "%s", name);
	fputs("</dt><dd>", out);
}

void html_fact_end(FILE *out)
{
	fputs("</dd></div>\n", out);
}
