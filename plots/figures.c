#include "figures.h"
#include "figure_fill.h"
#include "gnuplot.h"
#include "sheet.h"
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct figure figures[] = {
	{ "rate", "Messages per second at each endpoint",
	  "How many messages a second does each queue take at its sender and give at its receiver?", "rate", figure_fill_rate, false },
	{ "latency", "Round trip by percentile",
	  "How long does a message take there and back, and from which percentile on is it the machine?", "latency", figure_fill_latency,
	  false },
	{ "batch", "Time per message at the reader against batch size", "What does batching buy, and from which size on no more?", "chart",
	  figure_fill_batch, false },
	{ "ablation", "What makes a message cheap: the queue, or its batches",
	  "From which batch on does a mutex overtake a lock-free queue, and which half of the batching does it?", "chart",
	  figure_fill_ablation, true },
	{ "capacity", "Messages per second at the reader against capacity",
	  "How much room does each queue need, and whose rank hangs on it?", "chart", figure_fill_capacity, false },
	{ "map", "Which queue is ahead where", "Which queue is the best at which batch size and capacity, and by how much?", "map",
	  figure_fill_map, false },
	{ "fan", "Messages per second against the number of producers, consumers or stages",
	  "Who scales with the number of threads, lanes or a shared queue, and does each thread get its share?", "chart", figure_fill_fan,
	  false },
	{ "split", "Where a message spends its time, by batch size",
	  "Does a message wait for its flush, in the queue, or for its turn to be read, and what do larger batches make of that?", "split",
	  figure_fill_split, false },
	{ "position", "Latency against the place in the batch", "How much longer is the first message of a batch under way than the last?",
	  "chart", figure_fill_position, false },
	{ "windows", "Messages per second at the reader over time",
	  "Did the rate hold, or are there stalls, two modes, a warm-up that was too short?", "windows", figure_fill_windows, true },
	{ "load", "Latency against the offered rate",
	  "Up to which share of its capacity does a queue answer as if it were idle, and where is the knee?", "load", figure_fill_load,
	  false },
	{ "idle", "Latency after a silence", "What does the first message after a pause wait for, by way of waiting?", "chart",
	  figure_fill_idle, false },
	{ "stamps", "Messages per second at the reader, by how many of them are stamped",
	  "How much of a rate does the measurement of latency take away?", "bars", figure_fill_stamps, false },
	{ "pitfalls", "How to measure wrongly",
	  "How far off is who closes the loop, reads the clock too often, does not warm up, does not pin, or averages percentiles?",
	  "pitfalls bars", figure_fill_pitfalls, true },
	{ "curves", "Arrivals and departures of consecutive messages",
	  "How do messages pass through a queue, one by one, and what is a mean latency the area of?", "curves", figure_fill_curves, true },
};

const struct figure *figure_list(size_t *count)
{
	*count = sizeof(figures) / sizeof(figures[0]);
	return figures;
}

const struct figure *figure_find(const char *name)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (strcmp(figures[i].name, name) == 0)
			return &figures[i];
	return NULL;
}

/* One drawing: what was asked for and where words go. */
struct drawing {
	const char *name, *script_name;
	const struct figure_request *request;
	char *path, *message;
	size_t path_size, message_size;
};

__attribute__((format(printf, 3, 4))) static int drawing_fail(const struct drawing *drawing, int error,
							      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(drawing->message, drawing->message_size, format, arguments);
	va_end(arguments);
	return error;
}

static char *file_path(const char *folder, const char *name, const char *ending)
{
	char *path;

	return asprintf(&path, "%s/%s.%s", folder, name, ending) < 0 ? NULL : path;
}

/* ---- writing ---- */

static int bytes_write(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		bytes += written;
		count -= (size_t)written;
	}
	return 0;
}

/* The texts one after the other, as a new file; half a file does not stay. */
static int file_write(const struct drawing *drawing, const char *ending, const char *const *texts, size_t count)
{
	char *path = file_path(drawing->request->folder, drawing->name, ending);
	int fd, error = 0;

	if (!path)
		return drawing_fail(drawing, -ENOMEM, "out of memory");
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		error = drawing_fail(drawing, -errno, "%s: %s", path, strerror(errno));
		goto done;
	}
	for (size_t i = 0; i < count && !error; i++)
		error = bytes_write(fd, texts[i], strlen(texts[i]));
	if (!error && fsync(fd) && errno != EINVAL)
		error = -errno;
	if (close(fd) && !error)
		error = -errno;
	if (error) {
		unlink(path);
		drawing_fail(drawing, error, "%s: %s", path, strerror(-error));
	}
done:
	free(path);
	return error;
}

/* ---- scripts ---- */

static char *script_built_in(const char *name)
{
	for (const struct figure_script *script = figure_scripts; script->name; script++)
		if (strcmp(script->name, name) == 0)
			return strdup(script->text);
	errno = ENOENT;
	return NULL;
}

static char *script_from_folder(const char *folder, const char *name)
{
	char *path = file_path(folder, name, "gp"), *text = NULL;
	size_t size = 0;
	FILE *file = path ? fopen(path, "re") : NULL;

	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	free(path);
	return text;
}

static char *script_read(const struct drawing *drawing, const char *name)
{
	const char *folder = drawing->request->scripts;
	char *text = folder ? script_from_folder(folder, name) : script_built_in(name);

	if (!text)
		drawing_fail(drawing, -errno, "the script %s/%s.gp: %s", folder ? folder : "(built in)", name,
			     errno ? strerror(errno) : "empty");
	return text;
}

/* A figure drawn into the folder of the scripts would replace its own script. */
static bool folder_holds_scripts(const struct figure_request *request)
{
	struct stat folder, scripts;

	return request->scripts && !stat(request->folder, &folder) && !stat(request->scripts, &scripts) &&
	       folder.st_dev == scripts.st_dev && folder.st_ino == scripts.st_ino;
}

/* ---- drawing ---- */

/* What stands before the script: all that is this figure's own. */
static int settings_make(const struct drawing *drawing, const struct sheet *sheet, char **text)
{
	size_t bytes;
	FILE *out = open_memstream(text, &bytes);
	unsigned header, notes;

	if (!out)
		return -ENOMEM;
	fprintf(out, "# Drawn by twopoint; draw it again, in this folder: gnuplot %s.gp\n", drawing->name);
	fprintf(out, "reset\nterminal = '%s'\ndata_file = '%s.tsv'\noutput_file = '%s.%s'\n",
		drawing->request->terminal, drawing->name, drawing->name, drawing->request->terminal);
	header = sheet_write_paragraphs(sheet, out, "header", sheet->header_text);
	notes = sheet_write_paragraphs(sheet, out, "notes", sheet->notes_text);
	fprintf(out, "columns = %u\nlines = %u\n%s\n", sheet->width, sheet->height + header + notes + 1,
		sheet->settings_text);
	if (ferror(out) | fclose(out)) {
		free(*text);
		return -ENOMEM;
	}
	return 0;
}

/* One or two: the second goes on where the first ends. Both are to be freed. */
static int scripts_read(const struct drawing *drawing, char *scripts[2])
{
	char name[64];
	const char *space = strchr(drawing->script_name, ' ');

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(drawing->script_name, " "), drawing->script_name);
	scripts[0] = script_read(drawing, name);
	scripts[1] = !scripts[0] ? NULL : space ? script_read(drawing, space + 1) : strdup("");
	return scripts[1] ? 0 : -ENOENT;
}

static int files_write(const struct drawing *drawing, const struct sheet *sheet)
{
	char *common = script_read(drawing, "common"), *scripts[2] = { NULL, NULL }, *settings;
	const char *data = sheet->data_text;
	int error = common ? scripts_read(drawing, scripts) : -ENOENT;

	if (error)
		goto done;
	error = settings_make(drawing, sheet, &settings);
	if (error) {
		drawing_fail(drawing, error, "out of memory");
		goto done;
	}
	error = file_write(drawing, "tsv", &data, 1);
	if (!error)
		error = file_write(drawing, "gp", (const char *const[]){ settings, common, "\n", scripts[0], scripts[1] }, 5);
	free(settings);
done:
	free(common);
	free(scripts[0]);
	free(scripts[1]);
	return error;
}

/* gnuplot does not tell when the disk was full: a whole figure is one whose last bytes are what its format ends with.
 */
static bool figure_is_whole(const char *path, const char *terminal)
{
	const char *ending = strcmp(terminal, "svg") == 0 ? "</svg>" : strcmp(terminal, "png") == 0 ? "IEND" : "%%EOF";
	char tail[32];
	ssize_t got = -1;
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (!fstat(fd, &status))
		got = pread(fd, tail, sizeof(tail),
			    status.st_size > (off_t)sizeof(tail) ? status.st_size - (off_t)sizeof(tail) : 0);
	close(fd);
	return got > 0 && memmem(tail, (size_t)got, ending, strlen(ending));
}

static int script_run(const struct drawing *drawing)
{
	bool dumb = strcmp(drawing->request->terminal, "dumb") == 0;
	const char *folder = drawing->request->folder;
	char words[1024], script[64], *path = file_path(folder, drawing->name, drawing->request->terminal);
	int error;

	if (!path)
		return drawing_fail(drawing, -ENOMEM, "out of memory");
	if (!dumb)
		unlink(path); /* an older figure is not taken for this one */
	snprintf(script, sizeof(script), "%s.gp", drawing->name);
	error = gnuplot_run(folder, script, words, sizeof(words));
	if (!error && !dumb && !figure_is_whole(path, drawing->request->terminal)) {
		error = drawing_fail(drawing, -EIO, "%s is not whole: is the disk full? %s", path, words);
	} else if (error == -ENOENT) {
		drawing_fail(drawing, error,
			     "there is no gnuplot on the PATH (Debian: gnuplot-nox); data and script are kept: "
			     "%s/%s.tsv, %s.gp",
			     folder, drawing->name, drawing->name);
	} else if (error) {
		drawing_fail(drawing, error, "gnuplot failed on %s/%s: %s", folder, script,
			     words[0] ? words : strerror(-error));
	} else {
		drawing_fail(drawing, 0, "%s", words);
	}
	if (error && !dumb)
		unlink(path);
	snprintf(drawing->path, drawing->path_size, "%s", error || dumb ? "" : path);
	free(path);
	return error;
}

static bool terminal_is_known(const char *terminal)
{
	static const char *const terminals[] = { "svg", "png", "pdf", "dumb" };

	for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		if (strcmp(terminal, terminals[i]) == 0)
			return true;
	return false;
}

static int sheet_draw(const struct drawing *drawing, struct sheet *sheet)
{
	int error = sheet_finish(sheet);

	if (error)
		return drawing_fail(drawing, error, "out of memory");
	error = files_write(drawing, sheet);
	return error ? error : script_run(drawing);
}

static int request_check(const struct drawing *drawing)
{
	drawing->path[0] = drawing->message[0] = '\0';
	if (!terminal_is_known(drawing->request->terminal))
		return drawing_fail(drawing, -EINVAL, "no terminal '%s': svg, png, pdf or dumb",
				    drawing->request->terminal);
	if (folder_holds_scripts(drawing->request))
		return drawing_fail(drawing, -EINVAL, "%s holds the scripts: draw into another folder",
				    drawing->request->folder);
	return 0;
}

/* What a fill function returned. */
static int filled(const struct drawing *drawing, const struct sheet *sheet, int result)
{
	return drawing_fail(drawing, result, "%s", sheet->complaint[0] ? sheet->complaint : strerror(-result));
}

/* Data and settings have points in their numbers, whatever the program's locale. */
static locale_t locale_enter(locale_t *c)
{
	*c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return *c ? uselocale(*c) : (locale_t)0;
}

static void locale_leave(locale_t c, locale_t before)
{
	if (!c)
		return;
	uselocale(before);
	freelocale(c);
}

/* Draws what `fill` makes of its subject. Returns as figure_draw(). */
static int draw_filled(const struct drawing *drawing, int (*fill)(struct sheet *sheet, const void *subject), const void *subject)
{
	locale_t c, before;
	struct sheet sheet;
	int error = request_check(drawing);

	if (error)
		return error;
	before = locale_enter(&c);
	error = sheet_open(&sheet, strcmp(drawing->request->terminal, "dumb") == 0);
	if (!error)
		error = fill(&sheet, subject);
	error = error ? filled(drawing, &sheet, error) : sheet_draw(drawing, &sheet);
	sheet_close(&sheet);
	locale_leave(c, before);
	return error;
}

struct recorded {
	const struct figure *figure;
	const struct record *record;
	const struct summary *summary;
};

static int fill_recorded(struct sheet *sheet, const void *subject)
{
	const struct recorded *recorded = subject;

	sheet_head(sheet, "%s", recorded->figure->title);
	return recorded->figure->fill(sheet, recorded->record, recorded->summary);
}

int figure_draw(const struct figure *figure, const struct record *record, const struct summary *summary,
		const struct figure_request *request, char *path, size_t path_size, char *message, size_t message_size)
{
	const struct drawing drawing = { figure->name, figure->script, request, path, message, path_size, message_size };

	return draw_filled(&drawing, fill_recorded, &(struct recorded){ figure, record, summary });
}

struct matrix {
	const int *cpus;
	const double *round_trip_ns;
	size_t n;
	const char *title;
};

static int fill_matrix(struct sheet *sheet, const void *subject)
{
	const struct matrix *matrix = subject;

	return figure_fill_matrix(sheet, matrix->cpus, matrix->round_trip_ns, matrix->n, matrix->title);
}

int figure_draw_matrix(const int *cpus, const double *round_trip_ns, size_t n, const char *title,
		       const struct figure_request *request, char *path, size_t path_size, char *message,
		       size_t message_size)
{
	const struct drawing drawing = { "matrix", "matrix", request, path, message, path_size, message_size };

	return draw_filled(&drawing, fill_matrix, &(struct matrix){ cpus, round_trip_ns, n, title });
}

static int fill_history(struct sheet *sheet, const void *subject)
{
	sheet_head(sheet, "Results over time");
	return figure_fill_history(sheet, subject);
}

int figure_draw_history(const struct history_print *history, const struct figure_request *request, char *path, size_t path_size,
			char *message, size_t message_size)
{
	const struct drawing drawing = { "history", "chart", request, path, message, path_size, message_size };

	return draw_filled(&drawing, fill_history, history);
}
