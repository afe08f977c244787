/* What fills each figure's sheet. The contract is struct figure's. */
#ifndef PLOTS_FIGURE_FILL_H
#define PLOTS_FIGURE_FILL_H

#include "history_print.h"
#include "sheet.h"
#include "summary.h"

int figure_fill_rate(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_latency(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_batch(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_ablation(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_capacity(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_fan(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_split(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_position(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_windows(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_load(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_idle(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_stamps(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_pitfalls(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_map(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_curves(struct sheet *sheet, const struct record *record, const struct summary *summary);
int figure_fill_history(struct sheet *sheet, const struct history_print *history);
int figure_fill_matrix(struct sheet *sheet, const int *cpus, const double *round_trip_ns, size_t n, const char *title);

#endif
