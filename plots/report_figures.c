/* The figures of a record, drawn by gnuplot into a folder that vanishes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "figures.h"
#include "report_html.h"
#include "report_parts.h"
#include "report_svg.h"

enum { FOLDER = 4096, PATH = FOLDER + 64 };

/* How the script finds the name of what is pointed at: by its panel's legend, by the label of its row, or by what stands over its panel. */
static const char *naming(const struct figure *figure)
{
	static const char *const others[][2] = {{"rate", "rows"}, {"split", "rows"}, {"stamps", "rows"}, {"pitfalls", "lines rows"},
						{"windows", "panels"}, {"load", "panels"}, {"curves", "panels"}};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(figure->name, others[i][0]))
			return others[i][1];
	return "lines";
}

static char *text_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

static void head_write(const struct report_part *part, const struct figure *figure)
{
	fprintf(part->out, "<figure class=\"chart\" id=\"r%zu-figure-%s\" data-names=\"%s\">\n<figcaption><h4>", part->number, figure->name,
		naming(figure));
	html_say(part->out, "%s", figure->title);
	fputs("</h4><p>", part->out);
	html_say(part->out, "%s ", figure->question);
	fprintf(part->out, "<a class=\"term\" href=\"#w-figure-%s\">How to read it</a></p></figcaption>\n", figure->name);
}

/* Drawn and made part of the page. Returns 0; 1 where there is nothing to draw; -errno with words in message. */
static int figure_write(const struct report_part *part, const struct figure *figure, const char *folder, char *message, size_t size)
{
	const struct figure_request request = {.terminal = "svg", .folder = folder};
	char path[PATH], prefix[64];
	char *svg;
	int error = figure_draw(figure, part->record, part->summary, &request, path, sizeof(path), message, size);

	if (error)
		return error;
	svg = text_read(path);
	if (!svg) {
		snprintf(message, size, "%.500s: %s", path, strerror(errno));
		return -EIO;
	}
	head_write(part, figure);
	fputs("<div class=\"scroll\" tabindex=\"0\">", part->out);
	snprintf(prefix, sizeof(prefix), "r%zu-%s", part->number, figure->name);
	error = svg_embed(part->out, svg, prefix, figure->title);
	if (error)
		snprintf(message, size, "%s", error == -EINVAL ? "gnuplot drew something that is not known here" : strerror(-error));
	fputs("</div>\n", part->out);
	if (error) {
		fputs("<p class=\"warning\">Not shown: ", part->out);
		html_say(part->out, "%s", message);
		fputs("</p>\n", part->out);
	}
	fputs("</figure>\n", part->out);
	free(svg);
	return error;
}

static void files_remove(const char *folder, const struct figure *figure)
{
	static const char *const endings[] = {"svg", "tsv", "gp"};
	char path[PATH];

	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s.%s", folder, figure->name, endings[i]);
		unlink(path);
	}
}

static void undrawn_write(const struct report_part *part, const char *lines)
{
	if (!*lines)
		return;
	fputs("<details class=\"undrawn\"><summary>Figures that this record has nothing for</summary>\n", part->out);
	report_lines(part->out, lines);
	fputs("</details>\n", part->out);
}

static const char *temporary_folder(void)
{
	const char *asked = getenv("TMPDIR");

	return asked && *asked ? asked : "/tmp";
}

static int folder_make(char folder[FOLDER])
{
	if (snprintf(folder, FOLDER, "%s/twopoint-XXXXXX", temporary_folder()) >= FOLDER)
		return -ENAMETOOLONG;
	return mkdtemp(folder) ? 0 : -errno;
}

/* All figures that there is something for. lines: of the others, why not. Returns 0 or the last error. */
static int all_write(const struct report_part *part, const char *folder, FILE *lines, char *message, size_t size)
{
	char said[2048];
	size_t count;
	const struct figure *figures = figure_list(&count);
	int worst = 0;

	for (size_t i = 0; i < count; i++) {
		int error = figure_write(part, &figures[i], folder, said, sizeof(said));

		files_remove(folder, &figures[i]);
		if (error > 0)
			fprintf(lines, "%s: %s\n", figures[i].name, said);
		if (error >= 0)
			continue;
		fputs("<p class=\"warning\">", part->out);
		html_say(part->out, "Figure %s was not drawn: %s", figures[i].name, said);
		fputs("</p>\n", part->out);
		snprintf(message, size, "figure %s: %s", figures[i].name, said);
		worst = error;
		if (error == -ENOENT) /* no gnuplot: nor will it be there for the next one */
			break;
	}
	return worst;
}

int report_figures(const struct report_part *part, char *message, size_t size)
{
	char folder[FOLDER], *undrawn = NULL;
	size_t undrawn_size;
	FILE *lines = open_memstream(&undrawn, &undrawn_size);
	int error = lines ? folder_make(folder) : -ENOMEM;

	fprintf(part->out, "<h3 id=\"r%zu-figures\">Figures</h3>\n", part->number);
	if (error) {
		snprintf(message, size, "no folder to draw figures in: TMPDIR: '%.200s': %s", temporary_folder(), strerror(-error));
		fputs("<p class=\"warning\">Figures were not drawn.</p>\n", part->out);
	} else {
		error = all_write(part, folder, lines, message, size);
		rmdir(folder);
	}
	if (lines && !fclose(lines))
		undrawn_write(part, undrawn);
	free(undrawn);
	return error;
}
