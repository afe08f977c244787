"""Reckons a run's rates, windows of time, latencies and schedules again from its raw stamps, and holds them against its record: raw.py RECORD RAW

Nothing here is shared with what it checks: the record's rates must come out to the last digits, its counts and extremes exactly, each
percentile within its bucket of the histogram. What differs is told, and the status is 1."""

import csv
import json
import math
import sys
from collections import defaultdict

POINTS = ("intended", "write", "flush", "preread", "read", "handled")
FANS = ("fanin", "fanout", "mesh")
PERCENTILES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p99_9_ns": 0.999, "p99_99_ns": 0.9999}
SAMPLES_BEYOND = 10

wrong = 0


def expect(good, what):
    global wrong
    if not good:
        wrong += 1
        print("differs:", what)


def read_raw(path):
    """By trial, then by (actor, queue, role): rows in the file's order."""
    trials = defaultdict(lambda: defaultdict(list))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            end = (int(row["actor"]), int(row["queue"]), row["role"])
            times = {point: int(row[point]) for point in POINTS if row[point]}
            trials[int(row["trial"])][end].append((int(row["producer"]), int(row["sequence"]), times))
    return trials


def nanoseconds(ticks, per_s):
    return ticks * (1e9 / per_s)


def same_ns(recorded, ticks, per_s):
    """The record has tenths of a nanosecond."""
    return recorded is not None and abs(recorded - nanoseconds(ticks, per_s)) <= 0.0501 + 1e-9 * abs(recorded)


def measured_ticks(trial, ends, per_s):
    """How long messages were offered: as long as asked for, or from the first sender's first stamp to its last one."""
    cell = trial["cell"]
    if cell["duration_ns"] and cell["load"] != "open":
        return int(cell["duration_ns"] * (per_s / 1e9))
    point = "intended" if cell["load"] == "open" else "write"
    spans = [[times[point] for _, _, times in rows if point in times] for (_, queue, role), rows in ends.items() if role == "producer" and queue == 0]
    return max((times[-1] - times[0] for times in spans if times), default=0)


def check_rates(trial, ends, per_s, name):
    measured = measured_ticks(trial, ends, per_s)
    for endpoint in trial["endpoints"]:
        rows = ends[(endpoint["actor"], endpoint["queue"], endpoint["role"])]
        for point in endpoint["points"]:
            what = f"{name}: {point['point']} of actor {endpoint['actor']}"
            times = [times[point["point"]] for _, _, times in rows]
            # what is flushed at once is there at once: a rate counts from the first batch on, and of that the last message
            begin = times.count(times[0]) - 1 if times and point["point"] == "flush" else 0
            times = times[begin:]
            expect(point["messages"] == len(times), f"{what}: {point['messages']} messages, {len(times)} stamps")
            if len(times) < 2 or times[-1] == times[0]:
                expect(point["rate_per_s"] is None, f"{what}: a rate of nothing")
                continue
            if times[-1] - times[0] < measured // 2:
                expect(point["rate_per_s"] is None, f"{what}: a rate of {times[-1] - times[0]} ticks, of {measured} measured")
                continue
            if point["rate_per_s"] is None:
                expect(False, f"{what}: no rate of {times[-1] - times[0]} ticks, of {measured} measured")
                continue
            rate = (len(times) - 1) * per_s / (times[-1] - times[0])
            expect(abs(point["rate_per_s"] / rate - 1) < 1e-13, f"{what}: rate {point['rate_per_s']!r}, by the stamps {rate!r}")
            expect(same_ns(point["first_ns"], times[0], per_s), f"{what}: first {point['first_ns']}")
            expect(same_ns(point["last_ns"], times[-1], per_s), f"{what}: last {point['last_ns']}")


def messages_at(ends, place, role):
    """(producer, sequence) → its times, one for each copy that was read, at one endpoint, or at all of a fan's side."""
    found = defaultdict(list)
    for (actor, queue, of), rows in ends.items():
        if of == role and queue == place["queue"] and place["actor"] in (None, actor):
            for producer, sequence, times in rows:
                found[producer, sequence].append((actor, times))
    return found


def latencies(latency, ends, pingpong):
    """A message is joined with itself; in a ping-pong an answer has its question's number."""
    first, last = latency["from"], latency["to"]
    role = {point: "producer" if i < 3 else "consumer" for i, point in enumerate(POINTS)}
    starts = messages_at(ends, first, role[first["point"]])
    found = []
    same_end = role[first["point"]] == role[last["point"]]
    for (producer, sequence), copies in messages_at(ends, last, role[last["point"]]).items():
        key = (0 if pingpong and first["queue"] != last["queue"] else producer, sequence)
        for actor, times in copies:
            for start_actor, start in starts.get(key, []):
                if not same_end or actor == start_actor:
                    found.append(times[last["point"]] - start[first["point"]])
    return sorted(found)


def bucket_width(ticks):
    """1,024 buckets for each doubling."""
    return 1 << max(ticks.bit_length() - 11, 0) if ticks >= 0 else 1


def check_percentile(value, ticks, p, per_s, what):
    rank = max(math.ceil(p * len(ticks)), 1)
    if len(ticks) < rank + SAMPLES_BEYOND:
        expect(value is None, f"{what}: {value}, of too few samples")
        return
    low, width = ticks[rank - 1], bucket_width(ticks[rank - 1])
    expect(value is not None and nanoseconds(low, per_s) - 0.0501 <= value <= nanoseconds(low + width, per_s) + 0.0501,
           f"{what}: {value}, by the stamps {nanoseconds(low, per_s):.1f}")


def check_latencies(trial, ends, per_s, name):
    pingpong = trial["cell"]["workload"] == "pingpong"
    for latency in trial["latency"]:
        what = f"{name}: {latency['from']['point']}:{latency['to']['point']} {latency['from']['actor']}>{latency['to']['actor']}"
        ticks = latencies(latency, ends, pingpong)
        expect(latency["count"] == len(ticks), f"{what}: {latency['count']} samples, by the stamps {len(ticks)}")
        if not ticks or latency["count"] != len(ticks):
            continue
        expect(same_ns(latency["min_ns"], ticks[0], per_s), f"{what}: min {latency['min_ns']}")
        expect(same_ns(latency["max_ns"], ticks[-1], per_s), f"{what}: max {latency['max_ns']}")
        expect(same_ns(latency["mean_ns"], sum(ticks) / len(ticks), per_s), f"{what}: mean {latency['mean_ns']}")
        for field, p in PERCENTILES.items():
            check_percentile(latency[field], ticks, p, per_s, f"{what}, {field}")


def check_windows(trial, ends, per_s, name):
    """How many messages passed in each 10 ms since the first one, which itself is in none."""
    width = int(10_000_000 * (per_s / 1e9))
    for endpoint in trial["endpoints"]:
        rows, windows = ends[(endpoint["actor"], endpoint["queue"], endpoint["role"])], endpoint["windows"]
        times = [times["write" if endpoint["role"] == "producer" else "read"] for _, _, times in rows]
        count = (times[-1] - times[0]) // width if times else 0
        passed = [0] * count
        for ticks in times[1:]:
            if (ticks - times[0] - 1) // width < count:
                passed[(ticks - times[0] - 1) // width] += 1
        recorded = windows["messages"] if windows else []
        expect(recorded == passed, f"{name}: windows of actor {endpoint['actor']} {recorded}, by the stamps {passed}")


def check_positions(trial, ends, per_s, name):
    """Messages that were flushed at one time are a batch."""
    positions = trial["positions"]
    sent = next(rows for (_, queue, role), rows in ends.items() if queue == 0 and role == "producer")
    read = {sequence: times["read"] for (_, queue, role), rows in ends.items() if queue == 0 and role == "consumer"
            for _, sequence, times in rows}
    batches = defaultdict(list)
    for _, sequence, times in sent:
        batches[times["flush"]].append(read[sequence] - times["write"])
    full = [batch for batch in batches.values() if len(batch) == positions["batch"]]
    expect(positions["batches"] == len(full), f"{name}: {positions['batches']} full batches, by the stamps {len(full)}")
    expect(positions["others"] == len(sent) - len(full) * positions["batch"], f"{name}: {positions['others']} messages of other batches")
    for i, place in enumerate(positions["position"]):
        ticks = sorted(batch[place - 1] for batch in full)
        for field in ("p50_ns", "p99_ns"):
            check_percentile(positions[field][i], ticks, PERCENTILES[field], per_s, f"{name}: place {place}, {field}")


def check_schedule(trial, ends, per_s, name):
    """Constant arrivals at a rate that is a whole number, by long division; several producers' take turns."""
    cell = trial["cell"]
    if cell["arrival"] != "constant":
        return
    rate, producers, hertz = round(trial["open"]["offered_per_s"]), cell["producers"], round(per_s)
    for (_, _, role), rows in ends.items():
        for producer, sequence, times in rows:
            if role == "producer" and "intended" in times:
                i = (sequence - 1) * producers + producer
                due = i * hertz // rate
                expect(abs(times["intended"] - due) <= (producers > 1), f"{name}: message {sequence} was intended for {times['intended']}, not {due}")


def phase_end(trial, endpoint, first, per_s):
    """When the measured phase was over, in the raw stamps' ticks; None: it has no set end. The record tells points from the trial's start on."""
    cell = trial["cell"]
    told = next(point["first_ns"] for point in endpoint["points"] if point["point"] == "intended")
    return first + (cell["warm_up_ns"] + cell["duration_ns"] - told) * per_s / 1e9 if cell["duration_ns"] and not trial["stamps"]["full"] else None


def counted_share(trial, producers):
    """Where stamps tell no rate: the messages that were written, of those that were due, where they are far fewer."""
    due = trial["open"]["offered_per_s"] * trial["cell"]["duration_ns"] / 1e9
    written, burst = sum(endpoint["messages"] for endpoint in producers), trial["cell"]["burst"] or 1
    return written / due if due > 0 and written < min(due / 2, due - 3 * math.sqrt(due / burst) * burst) else None


def check_reached(trial, ends, per_s, name):
    """Of each producer, its messages over the time from when the first was due to when the last was written, but not before its share of
    the time to the next burst was over; and had it been written by then. What was due and never written counts to the phase's end."""
    written, scheduled = [0], 0  # where the raw stamps don't tell whether there was a rest, there are two answers
    cell, hertz = trial["cell"], round(per_s)
    burst = cell["burst"] or 1
    period = hertz * cell["gap_ns"] / 1e9 if cell["gap_ns"] else hertz * cell["producers"] * burst / round(trial["open"]["offered_per_s"])
    share, per_second = trial["open"]["reached_share"], trial["open"]["reached_per_s"]
    producers = [endpoint for endpoint in trial["endpoints"] if any(point["point"] == "intended" for point in endpoint["points"])]
    for endpoint in producers:
        rows = ends[(endpoint["actor"], endpoint["queue"], "producer")]
        if not rows or rows[-1][2]["intended"] == rows[0][2]["intended"]:
            counted = counted_share(trial, producers)
            expect((share is None) == (counted is None) and (counted is None or abs(share - counted) < 1e-12), f"{name}: reached {share}, by the count {counted}")
            if counted is not None:
                expect(abs(per_second - counted * trial["open"]["offered_per_s"]) <= 1e-9 * trial["open"]["offered_per_s"], f"{name}: reached {per_second} per s")
                expect(trial["open"]["rate_reached"] == (share >= 0.99), f"{name}: reached or not")
            return
        last, messages = rows[-1][2], rows[-1][1] - rows[0][1]
        begin, end = (times["intended"] + period * ((sequence - 1) % burst) / burst for _, sequence, times in (rows[0], rows[-1]))
        over = phase_end(trial, endpoint, rows[0][2]["intended"], per_s)
        spans = {max(end, last["write"]) - begin}
        rest = 0 if over is None else (over - last["intended"]) / period
        if cell["arrival"] == "constant" and rest > 1 + 1e-6 or rest > 30:
            spans = {max(end, last["write"], over) - begin}
        elif over is not None and (cell["arrival"] != "constant" or rest > 1 - 1e-6):
            spans.add(max(end, last["write"], over) - begin)
        written = [before + messages / span for before in written for span in spans]
        scheduled += messages / (end - begin)
    shares = [rate / scheduled for rate in written]
    # the end of the phase is known to a tenth of a nanosecond, and its parts to a tick each
    expect(share is not None and share <= 1 and any(abs(share / by_stamps - 1) < 1e-6 for by_stamps in shares), f"{name}: reached {share}, by the stamps {shares}")
    expect(any(abs(per_second / (rate * per_s) - 1) < 1e-6 for rate in written), f"{name}: reached {per_second} per s")
    expect(trial["open"]["rate_reached"] == (share >= 0.99), f"{name}: reached or not")


def main(record_path, raw_path):
    raw, checked, placed = read_raw(raw_path), 0, False
    with open(record_path) as file:
        lines = [json.loads(line) for line in file]
    per_s = lines[0]["clock"]["ticks_per_s"]
    for trial in lines:
        if trial["kind"] != "trial" or trial["status"] != "ok":
            continue
        cell, ends = trial["cell"], raw[trial["id"]]
        name = f"trial {trial['id']}, {cell['workload']}, load {cell['load']}"
        expect(trial["stamps"]["every"] == 1, f"{name}: not each message is stamped")
        if cell["workload"] not in FANS:  # theirs are rates of a time that began for all at once
            check_rates(trial, ends, per_s, name)
            check_windows(trial, ends, per_s, name)
        if trial.get("positions"):
            check_positions(trial, ends, per_s, name)
            placed = True
        check_latencies(trial, ends, per_s, name)
        if trial.get("open"):
            check_schedule(trial, ends, per_s, name)
            check_reached(trial, ends, per_s, name)
        checked += 1
    print(f"{checked} trials checked{', places in batches too' if placed else ''}, {wrong} differences")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
