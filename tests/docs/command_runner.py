"""Runs command lines of the docs in a folder that looks like the repository, against mock servers."""

import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from command_table import SMALLER
from doc_pages import ROOT, Page

BUILD = pathlib.Path(os.environ["TANDEM_BUILD"])
LIMIT = 250  # seconds for one command
TOKENS = "12"  # the limit of a reply: long enough for a sentence, and soon over
FILES_WRITTEN = ("--report", "--junit", "--wav", "--save", "--output", "--record", "--audit", "--state")


def short_dialogues():
    """Yields the servers' dialogues for the examples. They are short, because speech takes time."""
    for system in ([], [{"role": "system", "content": "You are kind."}]):
        for further in ("Go on, please.", "Sorry, go on."):
            story = "There once was a small fox in a great forest. It slept."
            said = ["Tell me a story.", story, further, "As you like."]
            roles = ["user", "assistant"] * 2
            yield {"messages": [*system, *({"role": r, "content": c} for r, c in zip(roles, said))]}


class Fault(Exception):
    """A failure of a command, or the reason why it cannot be run."""


class Servers:
    """Three mock servers, and a gateway in front of the first."""

    def __init__(self, stack, folder):
        scripts = folder / "scripts.jsonl"
        scripts.write_text("".join(json.dumps(d) + "\n" for d in short_dialogues()))
        mock = [BUILD / "mock_server/tandem-mock-server", "--tool-template", "--dialogues", scripts, "--alias"]
        loras = ["--lora", "a.gguf,b.gguf"]
        self.talk = self._start(stack, [*mock, "talk", *loras], folder)
        self.more = self._start(stack, [*mock, "talk", *loras], folder)
        self.code = self._start(stack, [*mock, "code", *loras], folder)
        serve = [BUILD / "tools/tandem", "serve", "--url", self.talk, "--listen", "127.0.0.1:0"]
        self.gateway = self._start(stack, serve, folder)

    @staticmethod
    def _start(stack, line, folder):
        server = Server(line, folder)
        stack.callback(server.stop, signal.SIGKILL)
        return server.url

    def put_into(self, text):
        for written, url in (
            ("http://127.0.0.1:8080", self.talk),
            ("http://127.0.0.1:8081", self.more),
            ("http://a:8080", self.talk),
            ("http://b:8080", self.more),
            ("http://c:8080", self.code),
            ("http://127.0.0.1:8090", self.gateway),
            ("ws://127.0.0.1:8090", self.gateway.replace("http", "ws")),
        ):
            text = text.replace(written, url)
        return text


class Server:
    """A server process and its `url`. Raises Fault if the process does not listen."""

    def __init__(self, line, folder):
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as log:
            self._log = pathlib.Path(log.name)
            self._process = subprocess.Popen(
                line, cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        end = time.monotonic() + LIMIT
        while not (found := re.search(r"^listening on ([^\s,]+)", self.told(), re.M)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
            if self._process.poll() is not None or time.monotonic() > end:
                self.stop(signal.SIGKILL)
                raise Fault(f"does not listen: {self.told()}")
        self.url = found.group(1)

    def told(self):
        return self._log.read_text()

    def stop(self, by=signal.SIGTERM):
        """Stops the process, and returns its exit status."""
        self._process.send_signal(by)
        return self._process.wait(LIMIT)


def environment(folder):
    keep = {name: value for name, value in os.environ.items() if not name.startswith("TANDEM_")}
    return {
        **keep,
        "PATH": f"{folder}/bin:{os.environ['PATH']}",
        "no_proxy": "*",
        "TANDEM_PROXY": "none",
        "TANDEM_MAX_TOKENS": TOKENS,
        "TANDEM_REUSE_GUARD": "0",
    }


def furnished(folder):
    """Makes `folder` look like the repository with its build, and creates the files that pages name."""
    for name in ("CMakeLists.txt", "CMakePresets.json", "README.md", "docs", "include", "tests", "tools"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    for name in ("dev", "release"):
        (folder / "build" / name).symlink_to(BUILD)
    (folder / "tandem").symlink_to(".")
    (folder / "bin").mkdir()
    for name, program in {
        "tandem": BUILD / "tools/tandem",
        "tandem-mock-server": BUILD / "mock_server/tandem-mock-server",
        "python3": sys.executable,
    }.items():
        (folder / "bin" / name).symlink_to(program)
    # A tone replaces the voice, which would need another package.
    voice = ROOT / "tests/command/fake_voice.py"
    (folder / "bin/piper").write_text(f"#!/bin/sh\nexec '{sys.executable}' '{voice}'\n")
    (folder / "bin/piper").chmod(0o755)
    (folder / "letter.txt").write_text("Dear Dr. Reyes, it costs $3.50. Is that all right?\n")
    (folder / "bot.cpp").symlink_to(ROOT / "docs/examples/coroutine.cpp")
    conversations = Page(ROOT / "docs/conversations.md")
    dialogues = next(block for block in conversations.blocks if block.lines[0].startswith('{"id"'))
    (folder / "dialogues.jsonl").write_text("\n".join(dialogues.lines) + "\n")
    functions = next(b for b in Page(ROOT / "docs/chat.md").blocks if b.lines[0].startswith('[{"type"'))
    (folder / "functions.json").write_text("\n".join(functions.lines) + "\n")
    (folder / "checks.jsonl").write_text('{"turns": [{"user": "Hello.", "expect": {"chunks": {"min": 1}}}]}\n')
    (folder / "prompts.jsonl").write_text('{"prompt": "Once upon a time"}\n{"prompt": "The end"}\n')
    make_key_and_certificate(folder)


def make_key_and_certificate(folder):
    key = [BUILD / "tools/tandem", "key", "--name", "reception"]
    told = subprocess.run(key, capture_output=True, text=True, check=True).stdout
    (folder / "keys.json").write_text(json.dumps({"keys": [json.loads(told.splitlines()[1])]}))
    openssl = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost"
    files = ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run([*openssl.split(), *files], check=True, capture_output=True)


class Runner:
    """Runs the commands of one page, in order."""

    def __init__(self, folder, servers):
        self.folder, self.servers = folder, servers

    def run(self, command):
        """Runs one command. Raises Fault if it fails."""
        text = SMALLER.get(command.text, command.text)
        parts = re.split(r" && ", text) if text.startswith(("cmake", "ninja")) else [text]
        for part in parts:
            self._run_part(part, command.inline)

    def _run_part(self, text, is_inline):
        text = self._placed(text)
        program = program_of(text)
        if program == "tandem":
            self._tandem(text, is_inline)
        elif program == "tandem-mock-server":
            self._serves(re.sub(r"--port \d+", "--port 0", text), {0, -signal.SIGTERM})
        elif program in ("cmake", "ctest", "ninja"):
            getattr(self, "_" + program)(text)
        elif program == "curl":
            self._shell(text.replace("curl ", "curl -sS --fail-with-body --max-time 30 ", 1))
        elif program == "source":
            self._shell(f"{text} && complete -p tandem")
        elif program == "g++":
            self._shell(f"{text} -O0 && test -s a.out", says_nothing=True)
        elif program.startswith("build/") and not (self.folder / program).is_dir() or text.startswith("python3 docs/"):
            self._shell(text, "Hello\n")
        elif is_inline and " " not in text and (self.folder / text).exists():
            pass  # the page only mentions the file
        else:
            raise Fault("the test cannot run this: teach command_runner.py, or say why not in command_table.py")

    def _placed(self, text):
        """Replaces example addresses and names of the docs with existing ones."""
        text = self.servers.put_into(text)
        for written, meant in (
            ("--pacing MODE", "--pacing strict"),
            ("--text FILE", "--text letter.txt"),
            ("/var/lib/tandem/", f"{self.folder}/"),
        ):
            text = text.replace(written, meant)
        return text

    def _tandem(self, text, is_inline):
        words = shlex.split(text[text.index("tandem ") :] if "|" in text else text)
        subcommand = words[1]
        if is_inline and len(words) == 2 and not subcommand.startswith("-"):
            self._shell(f"{text} --help")  # the page only mentions the command
        elif subcommand == "serve":
            text = re.sub(r"--listen \S+", "", text)
            self._serves(f"{text} --listen 127.0.0.1:0", {0})
        elif subcommand == "bench":
            text = re.sub(r"--duration \S+", "", text)
            self._shell(f"{text} --duration 1s")
        else:
            has_prompt = subcommand != "replay" or re.search(r"--user |--prompt |\.jsonl|--from-recording", text) or "--help" in text
            self._shell(text if has_prompt else f'{text} --user "Hello."', "Tell me a story.\n")
        for flag, file in zip(words, words[1:]):
            if flag in FILES_WRITTEN and not (self.folder / file).stat().st_size:
                raise Fault(f"{file} is empty")

    def _shell(self, text, stdin="", says_nothing=False):
        variables = environment(self.folder)
        if "--mock" not in text:
            variables["TANDEM_URL"] = self.servers.talk
        done = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", text], cwd=self.folder, env=variables, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            out, err = done.communicate(stdin, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)
            out, err = done.communicate()
            raise Fault(f"takes longer than {LIMIT} s: {out[-500:]}{err[-500:]}") from None
        if done.returncode:
            raise Fault(f"exit status {done.returncode}: {out[-500:]}{err[-1000:]}")
        if not says_nothing and not out.strip():
            raise Fault(f"says nothing; on stderr: {err[-500:]}")
        if "gtest_filter" in text and "[  PASSED  ] 0 tests" in out:
            raise Fault("runs no test")
        return out

    def _serves(self, text, statuses):
        server = Server(["bash", "-c", f"export TANDEM_URL={self.servers.talk}; exec {text}"], self.folder)
        status = server.stop()
        if status not in statuses:
            raise Fault(f"exit status {status} after SIGTERM: {server.told()[-1000:]}")

    def _ctest(self, text):
        """Lists the tests that the command would run. There must be at least one."""
        words = shlex.split(text)
        folder = self.folder / words[words.index("--test-dir") + 1] if "--test-dir" in words else BUILD
        if not folder.exists():
            raise Fault(f"there is no {folder}")
        before = text.split(" --test-dir ")[0]
        rest = " ".join(map(shlex.quote, after(words, "--test-dir")))
        if re.search(r"Total Tests: 0$", self._shell(f"cd {BUILD} && {before} -N {rest}"), re.M):
            raise Fault("there is no such test")

    def _ninja(self, text):
        """Checks that the targets exist. They have been built before this test."""
        words = shlex.split(text)
        if not (self.folder / words[words.index("-C") + 1]).exists():
            raise Fault("there is no such preset")
        for target in after(words, "-C"):
            self._shell(f"ninja -C {BUILD} -t query {target}")

    def _cmake(self, text):
        """Configures in a separate folder. Does not build, but checks that the preset and the targets exist."""
        words = shlex.split(text)
        kind = "build" if "--build" in words else "configure"
        preset = words[words.index("--preset") + 1]
        listed = self._shell(f"cd {ROOT} && cmake --list-presets={kind}")
        if f'"{preset}"' not in listed:
            raise Fault(f"there is no preset {preset} to {kind}")
        if kind == "build" and "--target" in words:
            for target in words[words.index("--target") + 1 :]:
                self._shell(f"ninja -C {BUILD} -t query {target}")
        if kind == "configure":
            self._shell(f"{text} -S {ROOT} -B configured && test -s configured/build.ninja")


def program_of(text):
    """Returns the last program of a pipe, without the folder of a build."""
    stage = text.split(" | ")[-1]
    words = [w for w in stage.split() if not re.fullmatch(r"(sudo|[A-Z][A-Z_]*=.*)", w)]
    built = re.fullmatch(r"build/\w+/(tools|mock_server)/([\w-]+)", words[0])
    return built.group(2) if built else words[0]


def after(words, flag):
    """Returns the words after `flag` and its value, or all words but the first without the flag."""
    return words[words.index(flag) + 2 :] if flag in words else words[1:]


@contextlib.contextmanager
def servers_in(folder):
    with contextlib.ExitStack() as stack:
        yield Servers(stack, folder)
