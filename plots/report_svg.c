#include "report_svg.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report_html.h"

/* What gnuplot draws with; of anything else the picture is refused. */
static const char *const elements[] = {"svg", "g", "path", "use", "text", "tspan", "rect", "circle", "polygon", "polyline", "line", "defs",
				       "filter", "feFlood", "feComposite", "title", "desc"};

struct tag {
	const char *name, *rest; /* rest: the attributes */
	size_t name_length;
	const char *end;         /* behind its '>' */
	bool closes, empty;      /* </a>, <a/> */
};

struct embedding {
	FILE *out;
	const char *prefix, *label;
	char *group;       /* a group's tag that nothing is known to be in yet; NULL: there is none */
	size_t group_size;
};

static bool is(const char *name, size_t length, const char *other)
{
	return strlen(other) == length && !memcmp(name, other, length);
}

static bool is_known(const struct tag *tag)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if (is(tag->name, tag->name_length, elements[i]))
			return true;
	return false;
}

/* at: a '<'. */
static bool tag_read(struct tag *tag, const char *at)
{
	char quote = 0;

	tag->closes = at[1] == '/';
	tag->name = at + 1 + tag->closes;
	for (tag->name_length = 0; isalnum((unsigned char)tag->name[tag->name_length]);)
		tag->name_length++;
	tag->rest = tag->name + tag->name_length;
	for (at = tag->rest; *at && (quote || *at != '>'); at++) {
		if (*at == '<')
			return false;
		if (quote ? *at == quote : *at == '"' || *at == '\'')
			quote = quote ? 0 : *at;
	}
	tag->empty = at[-1] == '/';
	tag->end = at + 1;
	return *at == '>' && tag->name_length;
}

/* ` name="value"`: ids with their prefix, colours without blanks. */
static void attribute_write(FILE *out, const char *name, size_t name_length, const char *value, size_t length, const char *prefix)
{
	bool colour = length > 4 && !memcmp(value, "rgb(", 4);

	fprintf(out, " %.*s=\"", (int)name_length, name);
	if (is(name, name_length, "id"))
		fprintf(out, "%s-", prefix);
	for (size_t i = 0; i < length; i++) {
		if (value[i] == '"')
			fputs("&quot;", out);
		else if (!colour || value[i] != ' ')
			fputc(value[i], out);
		if (value[i] == '#' && ((i == 0 && is(name, name_length, "href")) || (i >= 4 && !memcmp(value + i - 4, "url(", 4))))
			fprintf(out, "%s-", prefix);
	}
	fputc('"', out);
}

/* Whether it can do nothing but draw. */
static bool attribute_is_good(const char *name, size_t name_length, const char *value, size_t length)
{
	const char *url = memmem(value, length, "url(", 4);

	if (name_length > 2 && !strncasecmp(name, "on", 2))
		return false;
	if (is(name, name_length, "href"))
		return length && value[0] == '#';
	return !is(name, name_length, "style") && strncmp(name, "xml", 3) && strncmp(name, "src", 3) && (!url || url[4] == '#');
}

/* Returns false where the tag is not made of attributes. */
static bool attributes_write(FILE *out, const struct tag *tag, const char *prefix)
{
	const char *at = tag->rest, *end = tag->end - 1 - tag->empty;

	while (at < end) {
		const char *name = at, *value;
		size_t name_length = 0;

		if (isspace((unsigned char)*at)) {
			at++;
			continue;
		}
		while (isalnum((unsigned char)name[name_length]) || strchr(":-_", name[name_length]))
			name_length++;
		at = name + name_length + strspn(name + name_length, " ");
		if (!name_length || *at != '=')
			return false;
		at += 1 + strspn(at + 1, " ");
		if (*at != '"' && *at != '\'')
			return false;
		value = at + 1;
		at = strchr(value, *at);
		if (!at || at >= end)
			return false;
		if (name_length > 6 && !strncmp(name, "xlink:", 6)) {
			name += 6;
			name_length -= 6;
		}
		if (attribute_is_good(name, name_length, value, (size_t)(at - value)))
			attribute_write(out, name, name_length, value, (size_t)(at - value), prefix);
		at++;
	}
	return true;
}

static void group_flush(struct embedding *embedding)
{
	if (embedding->group)
		fputs(embedding->group, embedding->out);
	free(embedding->group);
	embedding->group = NULL;
}

/* An opened group waits for what is in it; one that has an id is a line of the figure, be it empty. */
static int group_open(struct embedding *embedding, const struct tag *tag)
{
	FILE *out;
	bool good;

	group_flush(embedding);
	out = open_memstream(&embedding->group, &embedding->group_size);
	if (!out)
		return -ENOMEM;
	fputs("<g", out);
	good = attributes_write(out, tag, embedding->prefix);
	fputc('>', out);
	if (fclose(out))
		return -ENOMEM;
	if (strstr(embedding->group, " id=\""))
		group_flush(embedding);
	return good ? 0 : -EINVAL;
}

/* The root has the figure's size by its view box alone. One that a page of a desk's width would make too small to be read is marked. */
static int root_open(struct embedding *embedding, const struct tag *tag)
{
	enum { WIDE = 1700 };
	const char *box = memmem(tag->rest, (size_t)(tag->end - tag->rest), "viewBox=\"", 9);
	double width, height;

	if (!box || sscanf(box + 9, "0 0 %lf %lf", &width, &height) != 2 || !(width > 0) || !(height > 0))
		return -EINVAL;
	fprintf(embedding->out, "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\"%s", width, height, width,
		height, width > WIDE ? " class=\"wide\"" : "");
	html_attribute(embedding->out, "aria-label", "%s", embedding->label);
	fputs(">\n", embedding->out);
	return 0;
}

static int tag_write(struct embedding *embedding, const struct tag *tag)
{
	bool group = is(tag->name, tag->name_length, "g");

	if (tag->closes && group && embedding->group) {
		free(embedding->group);
		embedding->group = NULL;
		return 0;
	}
	if (!tag->closes && group && !tag->empty)
		return group_open(embedding, tag);
	group_flush(embedding);
	if (!tag->closes && is(tag->name, tag->name_length, "svg"))
		return root_open(embedding, tag);
	fprintf(embedding->out, "<%s%.*s", tag->closes ? "/" : "", (int)tag->name_length, tag->name);
	if (!tag->closes && !attributes_write(embedding->out, tag, embedding->prefix))
		return -EINVAL;
	fputs(tag->empty ? "/>" : ">", embedding->out);
	return 0;
}

static void text_write(struct embedding *embedding, const char *text, size_t length)
{
	size_t blank = 0;

	while (blank < length && isspace((unsigned char)text[blank]))
		blank++;
	if (blank < length) {
		group_flush(embedding);
		fwrite(text, 1, length, embedding->out);
	} else if (length && !embedding->group) {
		fputc('\n', embedding->out);
	}
}

static int embed(struct embedding *embedding, const char *at)
{
	while (*at) {
		size_t text = strcspn(at, "<");
		struct tag tag;
		int error;

		text_write(embedding, at, text);
		at += text;
		if (!*at)
			break;
		if (!tag_read(&tag, at) || !is_known(&tag))
			return -EINVAL;
		at = tag.end;
		if (!tag.closes && !tag.empty && (is(tag.name, tag.name_length, "title") || is(tag.name, tag.name_length, "desc"))) {
			at = strstr(at, tag.name[0] == 't' ? "</title>" : "</desc>");
			if (!at)
				return -EINVAL;
			at = strchr(at, '>') + 1;
			continue;
		}
		error = tag_write(embedding, &tag);
		if (error)
			return error;
	}
	return 0;
}

int svg_embed(FILE *out, const char *svg, const char *prefix, const char *label)
{
	struct embedding embedding = {.prefix = prefix, .label = label};
	char *text = NULL;
	size_t size;
	int error;

	svg = strstr(svg, "<svg");
	if (!svg)
		return -EINVAL;
	embedding.out = open_memstream(&text, &size);
	if (!embedding.out)
		return -ENOMEM;
	error = embed(&embedding, svg);
	group_flush(&embedding);
	if (fclose(embedding.out) && !error)
		error = -ENOMEM;
	if (!error)
		fputs(text, out);
	free(text);
	return error;
}
