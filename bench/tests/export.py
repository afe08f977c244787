"""Reads what `twopoint export` wrote, by other means than the tool's, and holds it against the record.

Usage: export.py RECORD FOLDER, where FOLDER holds x.csv, x.hlog, x.gbench, x.openmetrics and hgrm/."""

import base64
import csv
import glob
import json
import re
import struct
import sys
import zlib

record, folder = sys.argv[1:]
lines = [json.loads(line) for line in open(record, encoding="utf-8")]
trials = [line for line in lines if line["kind"] == "trial"]
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("export.py:", what, file=sys.stderr)


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def points_of(latency):
    name = lambda end: f"{latency[end]['point']}_{'all' if latency[end]['actor'] is None else latency[end]['actor']}"
    return name("from"), name("to")


def check_csv():
    with open(folder + "/x.csv", newline="", encoding="utf-8") as file:
        text = file.read()
    rows = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
    check(text.count("\r\n") >= len(trials) + 1 and text.endswith("\r\n"), "csv: lines do not end in CRLF")
    head = next(csv.reader(text.splitlines(keepends=True), strict=True))
    check(len(set(head)) == len(head), "csv: two columns of one name")
    check(len(rows) == len(trials), f"csv: {len(rows)} rows of {len(trials)} trials")
    for row, trial in zip(rows, trials):
        check(None not in row and None not in row.values(), f"csv: trial {trial['id']} has another number of fields than the head")
        check(row["id"] == str(trial["id"]) and row["status"] == trial["status"], f"csv: trial {trial['id']}: id, status")
        check(row["why"] == (trial["why"] or ""), f"csv: trial {trial['id']}: why")
        for name in ("queue", "workload", "batch", "message_bytes", "capacity", "rate_percent"):
            value = trial["cell"].get(name)
            check(row[name] == ("" if value is None else str(value)), f"csv: trial {trial['id']}: {name}")
        for latency in trial.get("latency", []):
            for name in ("count", "p50_ns", "p99_ns", "p99_9_ns", "max_ns"):
                value, cell = latency[name], row["%s_to_%s_%s" % (*points_of(latency), name)]
                check(not cell if value is None else cell and near(float(cell), value), f"csv: trial {trial['id']}: {name}: {cell} of {value}")


def zigzag(data):
    at = 0
    while at < len(data):
        value = shift = 0
        for position in range(9):
            byte = data[at]
            at += 1
            value |= (byte if position == 8 else byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield value >> 1 ^ -(value & 1)


def decode(text):
    """{highest equivalent value: count}"""
    packed = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack(">II", packed[:8])
    check(cookie == 0x1C849314 and length == len(packed) - 8, "hlog: head of a compressed histogram")
    plain = zlib.decompress(packed[8:])
    cookie, length, offset, digits, least, most, ratio = struct.unpack(">IIIIQQd", plain[:40])
    check((cookie, offset, digits, least, ratio) == (0x1C849313, 0, 3, 1, 1.0) and length == len(plain) - 40, "hlog: head of a histogram")
    counts, index = {}, 0
    for value in zigzag(plain[40:]):
        if value < 0:
            index += -value
            continue
        if value:
            bucket = max(index // 1024 - 1, 0)
            sub = index - bucket * 1024
            counts[((sub + 1) << bucket) - 1] = value
        index += 1
    check(not counts or max(counts) <= most, "hlog: a value above the top")
    return counts


def percentile(counts, p):
    total, below = sum(counts.values()), 0
    for value in sorted(counts):
        below += counts[value]
        if below >= p * total:
            return value
    return None


def check_hlog():
    kept = {
        trial["id"]: trial
        for trial in trials
        if trial["valid"] and not trial["moved"] and not ((trial.get("open") or {}).get("saturated") or (trial.get("open") or {}).get("rate_reached") is False)
    }
    # a row that fell behind in half of its trials has none at all, and rows are parted by regimes, too: with one trial behind, all may be out
    sure = lambda trial: all(t["id"] in kept or not t["valid"] or t["moved"] for t in trials if t["cell"] == trial["cell"])
    expected, perhaps = [], 0
    for line in lines:
        if line["kind"] == "histogram" and line["id"] in kept:
            latency = kept[line["id"]]["latency"][line["latency"]]
            if latency["tag"] == "saturated" or not latency["count"]:
                continue
            if not sure(kept[line["id"]]):
                perhaps += 1
                continue
            expected.append((latency["count"], latency["p50_ns"] or 0, latency["p99_ns"] or 0))
    found = []
    for line in open(folder + "/x.hlog", encoding="utf-8"):
        if line.startswith("Tag="):
            tag, start, interval, most, text = line.rstrip("\n").split(",")
            check(re.fullmatch(r"Tag=[A-Za-z0-9._-]+", tag), f"hlog: tag {tag}")
            check(float(interval) > 0 and float(start) >= 0, f"hlog: times of {tag}")
            counts = decode(text)
            check(float(most) <= max(counts) / 1e6 + 0.001, f"hlog: greatest value of {tag}")
            found.append(counts)
        else:
            check(line[0] in '#"', "hlog: line " + line[:40])
    check(len(expected) <= len(found) <= len(expected) + perhaps and any(want[1] for want in expected), f"hlog: {len(found)} intervals of {len(expected)}")
    # a bucket of the record's and one of HdrHistogram's, each a thousandth wide, and whole ns
    is_near = lambda value, wanted: not wanted or abs(value - wanted) <= 0.0025 * wanted + 1
    for wanted in expected:
        like = [c for c in found if sum(c.values()) == wanted[0] and is_near(percentile(c, 0.5), wanted[1]) and is_near(percentile(c, 0.99), wanted[2])]
        check(like, "hlog: none has %d samples, p50 %g and p99 %g" % wanted)
        if like:
            found.remove(like[0])


def check_hgrm():
    paths = glob.glob(folder + "/hgrm/*.hgrm")
    check(paths, "hgrm: no file")
    for path in paths:
        rows = [line.split() for line in open(path, encoding="utf-8") if line.strip() and line[0] != "#" and "Value" not in line]
        values, shares, below = ([float(row[i]) for row in rows] for i in range(3))
        check(values == sorted(values) and shares == sorted(shares) and below == sorted(below), path + ": does not ascend")
        check(shares[0] == 0 and shares[-1] == 1 and len(rows[-1]) == 3, path + ": does not go from 0 to 1")
        for row, share, count in zip(rows, shares, below):
            check(count >= share * below[-1] - 1e-6, path + ": fewer lie below than is said")
            check(len(row) == 3 or abs(float(row[3]) * (1 - share) - 1) < 0.01, path + ": 1/(1-p)")
        total = re.search(r"Total count\s*=\s*(\d+)", open(path, encoding="utf-8").read())
        check(total and int(total[1]) == below[-1], path + ": total")


def check_gbench():
    data = json.load(open(folder + "/x.gbench", encoding="utf-8"))
    check({"date", "num_cpus", "caches"} <= set(data["context"]), "gbench: context")
    names = {}
    for benchmark in data["benchmarks"]:
        names.setdefault(benchmark["name"], []).append(benchmark)
        metric = benchmark["name"].rsplit("/", 1)[1]
        check(metric == "rate_read" if "items_per_second" in benchmark else metric.startswith("p50_"), "gbench: name of another quantity: " + metric)
        check(benchmark["run_type"] == "iteration" and benchmark["real_time"] > 0 and benchmark["time_unit"] == "ns", "gbench: " + benchmark["name"])
        if "items_per_second" in benchmark:
            check(abs(benchmark["items_per_second"] * benchmark["real_time"] / 1e9 - 1) < 1e-6, "gbench: rate and time of " + benchmark["name"])
    check(names, "gbench: empty")
    for name, list_of in names.items():
        check(len({b["family_index"] for b in list_of}) == 1, "gbench: one name for two rows: " + name)
        check(len(list_of) <= list_of[0]["repetitions"], "gbench: repetitions of " + name)


def check_openmetrics():
    text = open(folder + "/x.openmetrics", encoding="utf-8").read()
    check(text.endswith("# EOF\n") and text.count("# EOF") == 1, "openmetrics: no end")
    label = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
    sample = re.compile(r"([a-z_]+)\{(" + label + "(?:," + label + r")*)\} (-?[0-9.]+(?:e[+-]?[0-9]+)?)")
    family, seen = None, set()
    for line in text.splitlines()[:-1]:
        if line.startswith("#"):
            family = line.split()[2]
            continue
        match = sample.fullmatch(line)
        check(match and match[1] == family, "openmetrics: " + line[:120])
        check(line.rsplit(" ", 1)[0] not in seen, "openmetrics: twice: " + line[:200])
        seen.add(line.rsplit(" ", 1)[0])
    check(seen, "openmetrics: empty")


check_csv()
check_hlog()
check_hgrm()
check_gbench()
check_openmetrics()
sys.exit(failures > 0)
