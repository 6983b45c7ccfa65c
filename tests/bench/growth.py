"""Measures how the cost of the stage grows with the tokens a second, the streams, the servers, and the
length of history. Runs tandem bench against mock servers, stores its reports, and draws
docs/growth-*.svg with gnuplot (Debian's gnuplot-nox).

  growth.py run FILE [SECONDS]   measures each point for SECONDS (6), and writes the reports to FILE
  growth.py draw FILE FOLDER     draws the reports of FILE

The environment variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile

STORY = "All is quite well in the old town here, and the boats come home. " * 6
STREAMS = [1, 4, 16, 64, 256, 1000]
RATES = [10, 30, 100, 300, 1000]
SERVERS = [1, 2, 4, 8]
EXCHANGES = [1, 4, 16, 64, 256]


def dialogue(exchanges):
    """Returns a dialogue of `exchanges` exchanges. The benchmark requests the last one."""
    talk = []
    for number in range(exchanges):
        talk.append({"role": "user", "content": f"Question {number}: how are things in the town?"})
        talk.append({"role": "assistant", "content": STORY})
    return talk


def start_mocks(stack, folder, count, slots, rate, exchanges):
    path = os.path.join(folder, f"dialogue-{exchanges}.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        print(json.dumps({"id": "town", "messages": dialogue(exchanges)}), file=file)
    command = [os.environ["TANDEM_MOCK_SERVER"], "--dialogues", path]
    command += ["--parallel", str(slots), "--ctx-size", str(slots * 65536)]
    command += ["--tokens-per-second", str(rate)]
    for _ in range(count):
        mock = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        stack.callback(mock.terminate)
        yield re.search(r"http://\S+", mock.stdout.readline()).group()


def bench(seconds, streams, rate, servers=1, exchanges=1):
    """Returns the report of `streams` concurrent streams, distributed over at least `servers` servers."""
    servers = max(servers, -(-streams // 64))  # a mock server has at most 64 slots
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        slots = -(-streams // servers)
        urls = list(start_mocks(stack, folder, servers, slots, rate, exchanges))
        asked = os.path.join(folder, "asked.jsonl")
        with open(asked, "w", encoding="utf-8") as file:
            print(json.dumps({"messages": dialogue(exchanges)[:-1]}), file=file)
        command = [os.environ["TANDEM_COMMAND"], "bench", "--json", "--proxy", "none"]
        command += ["--pacing", "stream", "--reuse-guard", "0", "--prompts", asked]
        command += ["--concurrency", str(streams), "--duration", f"{seconds}s"]
        for url in urls:
            command += ["--url", url]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        report = json.loads(run.stdout)
    if report["failed"] or not report["complete"]:
        sys.exit(f"{streams} streams, {servers} servers: {report['errors']}")
    return report


def measure(seconds):
    """Returns the reports by quantity and value."""
    return {
        "streams": {n: bench(seconds, n, 50) for n in STREAMS},
        "rate": {n: bench(seconds, 32, n) for n in RATES},
        "servers": {n: bench(seconds, 64, 50, servers=n) for n in SERVERS},
        "history": {n: bench(seconds, 8, 50, exchanges=n) for n in EXCHANGES},
    }


def cpu(report):
    return report["cpu_us_per_token"]


def hand_over(share):
    return lambda report: report["hand_over_ms"][share] * 1000


def turn_cpu(report):
    return report["cpu_us_per_token"] * report["generated"] / report["replies"] / 1000


TOKEN = ("µs of processor time a token", [("", cpu)])
PLOTS = {
    "streams": ("streams at once, 50 tokens/s each", *TOKEN),
    "hand-over": (
        "streams at once, 50 tokens/s each",
        "µs from token to consumer",
        [("p50", hand_over("p50")), ("p99", hand_over("p99"))],
    ),
    "rate": ("tokens/s of each of 32 streams", *TOKEN),
    "servers": ("servers, 64 streams in all", *TOKEN),
    "history": ("exchanges in the history", "ms of processor time a turn", [("", turn_cpu)]),
}
STYLE = """set terminal svg size 560,300 font 'sans-serif,12' background rgb 'white'
set output '{output}'
set logscale x
set xtics ({tics})
set xlabel '{across}'
set ylabel '{up}'
set xrange [{least}*0.93:{most}*1.07]
set yrange [0:*]
set grid ytics lc rgb '#dddddd'
set border 3 lc rgb '#555555'
set key left top {key}
set style line 1 lw 2 pt 7 ps 0.6 lc rgb '#1f6feb'
set style line 2 lw 2 pt 7 ps 0.6 lc rgb '#d1662f'
"""


def draw(reports, folder):
    for name, (across, up, lines) in PLOTS.items():
        points = reports["streams" if name == "hand-over" else name]
        key = "" if len(lines) > 1 else "off"
        tics = ", ".join(points)
        output = os.path.join(folder, f"growth-{name}.svg")
        least, *_, most = points
        text = STYLE.format(
            output=output, tics=tics, across=across, up=up, key=key, least=least, most=most
        )
        plots = [
            f"'-' using 1:2 with linespoints ls {number} title '{title}'"
            for number, (title, _) in enumerate(lines, 1)
        ]
        text += "plot " + ", ".join(plots) + "\n"
        for _, value in lines:
            text += "".join(f"{at} {value(report):.3f}\n" for at, report in points.items()) + "e\n"
        subprocess.run(["gnuplot"], input=text, text=True, check=True)


def main(what, file, more=None):
    if what == "draw":
        with open(file, encoding="utf-8") as reports:
            return draw(json.load(reports), more)
    reports = measure(float(more or 6))
    with open(file, "w", encoding="utf-8") as out:
        json.dump(reports, out, indent=1)
    return None


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("run", "draw"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
