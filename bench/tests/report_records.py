"""Records for pages, made of one that was measured: with 1, 8 and 30 queues, and with names that would be markup.

Usage: report_records.py RECORD: writes 1.jsonl, 8.jsonl, 30.jsonl and hostile.jsonl."""

import copy
import json
import sys

HOSTILE = "q</script><script>alert(1)</script>\"'--><b onclick=alert(2)>&lt;"
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
run, end = lines[0], lines[-1]


def write(path, head, names):
    """Each trial once for each name, by and by slower."""
    number = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(head) + "\n")
        for at, name in enumerate(names):
            for line in lines[1:-1]:
                line = copy.deepcopy(line)
                if line["kind"] == "trial":
                    number += 1
                    line["id"] = number
                    line["cell"]["queue"] = name
                    for endpoint in line["endpoints"]:
                        for point in endpoint["points"]:
                            if point["rate_per_s"]:
                                point["rate_per_s"] *= 0.9 ** at
                else:  # a histogram, of the trial before it
                    line["id"] = number
                file.write(json.dumps(line) + "\n")
        file.write(json.dumps(dict(end, trials=number)) + "\n")


for count in 1, 8, 30:
    write("%d.jsonl" % count, run, ["queue-%d%s" % (i, ("", "-WITH-A-WIDE-NAME", "-of-a-long-name")[i % 3]) for i in range(count)])
head = copy.deepcopy(run)
head["host"].update(name=HOSTILE, cpu_model=HOSTILE, kernel=HOSTILE)
head["suite"] = HOSTILE
head["tool"]["commit"] = HOSTILE
head["command"] = ["twopoint", "run", HOSTILE, "--out", "there.jsonl"]
head["settings"][HOSTILE] = HOSTILE
head["plan"]["skipped"] = [{"cells": 1, "reason": HOSTILE}]
write("hostile.jsonl", head, [HOSTILE, HOSTILE + "2"])
