#include "sheet.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* Bytes of the well-formed UTF-8 character at text, 0 where there is none. */
static size_t character_bytes(const unsigned char *text)
{
	size_t bytes = text[0] < 0x80   ? 1
		       : text[0] < 0xc2 ? 0
		       : text[0] < 0xe0 ? 2
		       : text[0] < 0xf0 ? 3
		       : text[0] < 0xf5 ? 4
					: 0;

	for (size_t i = 1; i < bytes; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return bytes;
}

size_t sheet_length(const char *text)
{
	size_t length = 0;

	for (; *text; text++)
		length += ((unsigned char)*text & 0xc0) != 0x80;
	return length;
}

/* Tenths of a column that a character takes at most, given by its first byte; those that follow take none. */
static unsigned tenths(const struct sheet *sheet, unsigned char first)
{
	if ((first & 0xc0) == 0x80)
		return 0;
	if (sheet->dumb)
		return 10;
	if (first >= 0x80 || strchr("%@MWm", first))
		return 18;
	if (strchr(" !'(),-./:;I[]fijlrt|", first))
		return 7;
	return (first >= 'a' && first <= 'z' && first != 'w') || (first >= '0' && first <= '9') ? 11 : 15;
}

size_t sheet_columns(const struct sheet *sheet, const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += tenths(sheet, (unsigned char)*text);
	return (columns + 9) / 10;
}

/* Control characters, and those that turn the direction of writing or part lines. */
static bool character_is_plain(const unsigned char *text, size_t bytes)
{
	if (bytes < 2)
		return bytes && text[0] >= ' ' && text[0] != 0x7f;
	if (bytes == 2)
		return text[0] != 0xc2 || text[1] >= 0xa0;
	if (text[0] == 0xe2 && text[1] == 0x80)
		return text[2] < 0x8b || (text[2] > 0x8f && text[2] < 0xa8) || text[2] > 0xae;
	return text[0] != 0xe2 || text[1] != 0x81 || text[2] < 0xa0 || text[2] > 0xaf;
}

/* One character of text as it may be shown. Returns how many bytes of text it took. */
static size_t character_clean(const char *text, char *into, size_t *used)
{
	size_t bytes = character_bytes((const unsigned char *)text);

	if (!character_is_plain((const unsigned char *)text, bytes)) {
		into[(*used)++] = '?';
		return bytes ? bytes : 1;
	}
	memcpy(into + *used, text, bytes);
	*used += bytes;
	return bytes;
}

void sheet_clean(char *into, size_t size, const char *text, size_t width)
{
	static const char ellipsis[] = "…";
	size_t length = sheet_length(text), used = 0, at = 0;
	size_t first = length > width ? width / 2 : length,
	       last = length > width ? length - (width - 1 - first) : length;

	/* What is too long loses its middle: names often differ at their ends. */
	for (; *text && used + 4 + sizeof(ellipsis) < size; at++) {
		char skipped[8];
		size_t none = 0;

		if (at == first && first < last) {
			memcpy(into + used, ellipsis, sizeof(ellipsis) - 1);
			used += sizeof(ellipsis) - 1;
		}
		text += at >= first && at < last ? character_clean(text, skipped, &none)
						 : character_clean(text, into, &used);
	}
	into[used] = '\0';
}

/* Inside single quotes gnuplot knows one special character, the quote itself, which is doubled: no backquote runs a
 * command, no macro and no backslash is expanded. A newline would end the string, so text must be clean. */
static void quoted(FILE *out, const char *text, size_t bytes)
{
	fputc('\'', out);
	for (size_t i = 0; i < bytes; i++) {
		/* at the beginning two quotes would be an empty string: there it becomes a typographic one */
		if (text[i] == '\'' && !i) {
			fputs("\u2019", out);
			continue;
		}
		if (text[i] == '\'')
			fputc('\'', out);
		fputc(text[i], out);
	}
	fputc('\'', out);
}

void sheet_data_text(struct sheet *sheet, const char *text)
{
	for (; *text; text++)
		fputc(*text == '"' ? '\'' : (unsigned char)*text < ' ' ? '?' : *text, sheet->data);
}

static void paragraph(FILE *out, const char *format, va_list arguments)
{
	char raw[4 * SHEET_TEXT], clean[4 * SHEET_TEXT];

	vsnprintf(raw, sizeof(raw), format, arguments);
	sheet_clean(clean, sizeof(clean), raw, sizeof(clean));
	fprintf(out, "%s\n", clean);
}

void sheet_head(struct sheet *sheet, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	paragraph(sheet->header, format, arguments);
	va_end(arguments);
}

void sheet_note(struct sheet *sheet, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	paragraph(sheet->notes, format, arguments);
	va_end(arguments);
}

int sheet_complain(struct sheet *sheet, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sheet->complaint, sizeof(sheet->complaint), format, arguments);
	va_end(arguments);
	return 1;
}

/* ---- settings ---- */

void sheet_set_number(struct sheet *sheet, const char *name, double value)
{
	fprintf(sheet->settings, "%s = %.9g\n", name, value);
}

void sheet_set_text(struct sheet *sheet, const char *name, const char *text)
{
	char clean[4 * SHEET_TEXT];

	sheet_clean(clean, sizeof(clean), text, sizeof(clean));
	fprintf(sheet->settings, "%s = ", name);
	quoted(sheet->settings, clean, strlen(clean));
	fputc('\n', sheet->settings);
}

/* gnuplot has no array of no elements. */
static void array_open(FILE *out, const char *name, size_t count)
{
	fprintf(out, "array %s[%zu]\n", name, count ? count : 1);
}

void sheet_set_array(struct sheet *sheet, const char *name, size_t count)
{
	array_open(sheet->settings, name, count);
}

void sheet_set_element(struct sheet *sheet, const char *name, size_t index, double value)
{
	fprintf(sheet->settings, "%s[%zu] = %.9g\n", name, index, value);
}

void sheet_set_element_text(struct sheet *sheet, const char *name, size_t index, const char *text)
{
	char element[64];

	snprintf(element, sizeof(element), "%s[%zu]", name, index);
	sheet_set_text(sheet, element, text);
}

void sheet_set_numbers(struct sheet *sheet, const char *name, const double *values, size_t count)
{
	array_open(sheet->settings, name, count);
	for (size_t i = 0; i < count; i++)
		sheet_set_element(sheet, name, i + 1, values[i]);
}

void sheet_set_texts(struct sheet *sheet, const char *name, const char *const *texts, size_t count)
{
	array_open(sheet->settings, name, count);
	for (size_t i = 0; i < count; i++)
		sheet_set_element_text(sheet, name, i + 1, texts[i]);
}

/* The bytes of the next line of at most width columns; breaks at a space where there is one. */
static size_t line_bytes(const struct sheet *sheet, const char *text, size_t width)
{
	size_t length = 0, at = 0, space = 0;

	for (; text[at] && text[at] != '\n'; at++) {
		length += tenths(sheet, (unsigned char)text[at]);
		if (length > 10 * width)
			return space ? space : at;
		if (text[at] == ' ')
			space = at;
	}
	return at;
}

unsigned sheet_write_paragraphs(const struct sheet *sheet, FILE *settings, const char *name, const char *paragraphs)
{
	unsigned lines = 0, count = 0;

	for (int pass = 0; pass < 2; pass++) {
		count = lines;
		lines = 0;
		if (pass)
			array_open(settings, name, count);
		for (const char *at = paragraphs; *at; lines++) {
			size_t bytes = line_bytes(sheet, at, sheet->width - 2);

			if (pass) {
				fprintf(settings, "%s[%u] = ", name, lines + 1);
				quoted(settings, at, bytes);
				fputc('\n', settings);
			}
			at += bytes;
			at += *at == ' ' || *at == '\n';
		}
	}
	fprintf(settings, "%s_count = %u\n", name, count);
	return count;
}

void sheet_log_range(double *low, double *high)
{
	double room = fmax(1.4, sqrt(6.25 / (*high / *low))); /* ticks are 2.5 times apart at most: a narrow range has two of them */

	*low /= room;
	*high *= room;
}

double sheet_tick_step(double high)
{
	static const double factors[] = { 1, 2, 5, 10 };
	double power = high > 0 ? pow(10, floor(log10(high / 6))) : 1;

	for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		if (high <= 6 * factors[i] * power)
			return factors[i] * power;
	return 10 * power;
}

/* ---- opening and closing ---- */

int sheet_open(struct sheet *sheet, bool dumb)
{
	memset(sheet, 0, sizeof(*sheet));
	sheet->dumb = dumb;
	sheet->data = open_memstream(&sheet->data_text, &sheet->data_bytes);
	sheet->settings = open_memstream(&sheet->settings_text, &sheet->settings_bytes);
	sheet->header = open_memstream(&sheet->header_text, &sheet->header_bytes);
	sheet->notes = open_memstream(&sheet->notes_text, &sheet->notes_bytes);
	return sheet->data && sheet->settings && sheet->header && sheet->notes ? 0 : -ENOMEM;
}

static bool stream_complete(FILE *stream)
{
	return !fflush(stream) && !ferror(stream);
}

int sheet_finish(struct sheet *sheet)
{
	bool complete = stream_complete(sheet->data) && stream_complete(sheet->header) && stream_complete(sheet->notes);

	return complete && stream_complete(sheet->settings) ? 0 : -ENOMEM;
}

void sheet_close(struct sheet *sheet)
{
	FILE *const streams[] = { sheet->data, sheet->settings, sheet->header, sheet->notes };

	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (streams[i])
			fclose(streams[i]);
	free(sheet->data_text);
	free(sheet->settings_text);
	free(sheet->header_text);
	free(sheet->notes_text);
}
