#!/usr/bin/env python3
"""Checks tandem_voice and the snippets of docs/integrations/ against the sources of the frameworks.

  tests/integrations/check_interfaces.py --pipecat DIR --livekit DIR

The DIRs are checkouts of pipecat-ai/pipecat and of livekit/agents. The program reads the sources but
does not import them, so it needs none of their dependencies. It checks each Python file and each python
block of a page: imported names exist; constructors and methods accept the given keywords; overriding
methods have the parameters of the overridden methods. The members in USED and the events in EVENTS
must exist. Prints each fault.

Exit status: 0 no fault, 1 faults, 2 wrong use.
"""

import argparse
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "integrations"
ENTRIES = [ROOT / "tools" / "python" / "tandem_voice" / f"{name}.py" for name in ("livekit", "pipecat")]

# The members that tandem_voice uses of objects that it receives without an annotation.
USED = {
    "pipecat.frames.frames.LLMContextFrame": ["context"],
    "pipecat.frames.frames.TTSStartedFrame": ["context_id"],
    "pipecat.frames.frames.TTSTextFrame": ["context_id", "text"],
    "pipecat.frames.frames.VADUserStoppedSpeakingFrame": ["timestamp", "stop_secs"],
    "pipecat.frames.frames.InterruptionFrame": [],
    "pipecat.frames.frames.InterimTranscriptionFrame": ["text", "result"],
    "pipecat.frames.frames.TranscriptionFrame": ["text"],
    "pipecat.services.deepgram.flux.stt_base.FluxEventType": ["EAGER_END_OF_TURN"],
    "pipecat.services.llm_service.LLMService": [
        "get_llm_adapter", "push_frame(frame,direction)", "push_error(error_msg,exception)", "cleanup",
        "run_function_calls(function_calls)", "_settings",
    ],
    "pipecat.services.settings.LLMSettings": ["model", "system_instruction"],
    "pipecat.adapters.services.open_ai_adapter.OpenAILLMAdapter": [
        "get_llm_invocation_params(context,system_instruction,convert_developer_to_user)"
    ],
    "livekit.agents.Agent.default": [
        "llm_node(agent,chat_ctx,tools,model_settings)", "stt_node(agent,audio,model_settings)",
    ],
    "livekit.agents.Agent": [
        "session", "llm_node(chat_ctx,tools,model_settings)", "stt_node(audio,model_settings)", "on_exit",
    ],
    "livekit.agents.stt.SpeechEvent": ["type", "alternatives"],
    "livekit.agents.stt.SpeechData": ["text"],
    "livekit.agents.stt.SpeechEventType": [
        "INTERIM_TRANSCRIPT", "PREFLIGHT_TRANSCRIPT", "FINAL_TRANSCRIPT",
    ],
    "livekit.agents.AgentSession": ["output", "generate_reply(user_input)"],
    "livekit.agents.voice.io.AgentOutput": ["audio", "audio_enabled"],
    "livekit.agents.voice.io.AudioOutput": ["on_playback_finished"],
    "livekit.agents.voice.io.PlaybackFinishedEvent": ["interrupted", "synchronized_transcript"],
    "livekit.agents.llm.ChatChunk": ["delta"],
    "livekit.agents.llm.ChatContext": ["items"],
    "livekit.agents.llm.ChatMessage": ["type", "role", "text_content", "metrics"],
    "livekit.agents.llm.FunctionCall": ["type", "call_id", "name", "arguments"],
    "livekit.agents.llm.FunctionCallOutput": ["type", "call_id", "output"],
    "livekit.agents.llm.ToolContext": ["parse_function_tools(format)"],
}  # fmt: skip

# The events of Pipecat's recognizers, by the module that registers them.
EVENTS = {
    "pipecat.services.deepgram.flux.stt_base": ["on_update", "on_eager_end_of_turn", "on_turn_resumed"],
    "pipecat.services.cartesia.turns.stt": ["on_turn_eager_end", "on_turn_resume"],
}


class Sources:
    """The modules of the checkouts, by their dotted names."""

    def __init__(self, roots):
        self.roots, self.trees = roots, {}

    def file_of(self, module):
        path = pathlib.Path(*module.split("."))
        for root in self.roots:
            for candidate in (root / path.with_suffix(".py"), root / path / "__init__.py"):
                if candidate.is_file():
                    return candidate

    def knows(self, module):
        return module.split(".")[0] in ("pipecat", "livekit")

    def names_of(self, module):
        """Returns the names of a module: a definition for each, or (module, name) for imported names."""
        if module not in self.trees:
            file = self.file_of(module)
            names = {}
            for node in ast.walk(ast.parse(file.read_text())) if file else ():
                if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    names.setdefault(node.name, node)
                elif isinstance(node, ast.Assign):
                    names.update({t.id: node for t in node.targets if isinstance(t, ast.Name)})
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    names.setdefault(node.target.id, node)
                elif isinstance(node, ast.ImportFrom):
                    source = self.absolute(module, file, node)
                    names.update({a.asname or a.name: (source, a.name) for a in node.names})
            self.trees[module] = names
        return self.trees[module]

    @staticmethod
    def absolute(module, file, node):
        if not node.level:
            return node.module
        parts = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
        parts = parts[: len(parts) - node.level + 1]
        return ".".join(parts + ([node.module] if node.module else []))

    def find(self, module, name):
        """Returns (module, node) of the definition of a name, or (name, None) for a module."""
        found = self.names_of(module).get(name)
        if isinstance(found, tuple) and found != (module, name):
            return self.find(*found)
        if isinstance(found, ast.AST):
            return module, found
        inner = f"{module}.{name}"
        return (inner, None) if self.file_of(inner) else None

    def bases(self, module, node):
        yield module, node
        for base in node.bases:
            base = base.value if isinstance(base, ast.Subscript) else base
            if isinstance(base, ast.Name):
                found = self.find(module, base.id)
            elif isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
                outer = self.find(module, base.value.id)
                found = outer and outer[1] is None and self.find(outer[0], base.attr)
            else:
                found = None
            if found and isinstance(found[1], ast.ClassDef):
                yield from self.bases(*found)

    def member(self, module, node, name):
        for _, owner in self.bases(module, node):
            for child in ast.walk(owner):
                target = getattr(child, "target", None) or (getattr(child, "targets", None) or [None])[0]
                if getattr(child, "name", None) == name and child is not owner:
                    return child
                if isinstance(child, (ast.Assign, ast.AnnAssign)):
                    if getattr(target, "id", getattr(target, "attr", None)) == name:
                        return child

    def takes(self, module, node, keyword):
        """Whether a constructor or function takes the keyword."""
        if not isinstance(node, ast.ClassDef):
            return not isinstance(node, FUNCTION) or keyword in parameters(node)
        for _, owner in self.bases(module, node):
            made = next((c for c in owner.body if getattr(c, "name", "") == "__init__"), None)
            fields = [c.target.id for c in owner.body if isinstance(c, ast.AnnAssign)]
            if keyword in (parameters(made) if made else fields):
                return True
            if made and not made.args.kwarg:
                return False
        return False


FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def parameters(function):
    a = function.args
    return [p.arg for p in a.posonlyargs + a.args + a.kwonlyargs if p.arg != "self"]


def texts():
    """Yields (where, source) for each Python file and each python block."""
    for file in ENTRIES:
        yield file.name, file.read_text()
    for page in sorted(DOCS.glob("*.md")):
        for n, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S), 1):
            yield f"{page.name}, block {n}", block


def imported(tree, sources):
    """Returns the local names of imports from the frameworks: name -> (module, name)."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and sources.knows(node.module or ""):
            names.update({a.asname or a.name: (node.module, a.name) for a in node.names})
    return names


def resolve(node, names, sources):
    if isinstance(node, ast.Name) and node.id in names:
        return sources.find(*names[node.id])
    if isinstance(node, ast.Attribute):
        outer = resolve(node.value, names, sources)
        if outer and outer[1] is None:
            return sources.find(outer[0], node.attr)
        if outer and isinstance(outer[1], ast.ClassDef):
            inner = sources.member(*outer, node.attr)
            if isinstance(inner, ast.Assign):  # Settings = OpenAILLMSettings
                owner = next(m for m, c in sources.bases(*outer) if inner in ast.walk(c))
                value = inner.value
                if isinstance(value, ast.Attribute):
                    base = sources.find(owner, value.value.id)
                    inner = sources.member(*base, value.attr)
                    owner, value = base[0], inner.value
                return sources.find(owner, value.id)
            return (outer[0], inner) if inner else None


def faults(source, sources):
    tree = ast.parse(source)
    names = imported(tree, sources)
    for name, origin in names.items():
        if not sources.find(*origin):
            yield f"{origin[0]} has no {origin[1]}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            outer = resolve(node.value, names, sources)
            if outer and outer[1] is None and not sources.find(outer[0], node.attr):
                yield f"{outer[0]} has no {node.attr}"
        if isinstance(node, ast.Call):
            yield from wrong_keywords(node, names, sources)
        if isinstance(node, ast.ClassDef):
            yield from wrong_overrides(node, names, sources)


def wrong_keywords(call, names, sources):
    found = resolve(call.func, names, sources)
    inner = isinstance(call.func, ast.Attribute) and resolve(call.func.value, names, sources)
    if inner and inner[1] and not found:
        yield f"there is no {ast.unparse(call.func)}"
    for keyword in call.keywords if found and found[1] else ():
        if keyword.arg and not sources.takes(*found, keyword.arg):
            yield f"{ast.unparse(call.func)} takes no {keyword.arg}"


def wrong_overrides(node, names, sources):
    for base in node.bases:
        found = resolve(base, names, sources)
        for method in node.body if found else ():
            theirs = isinstance(method, FUNCTION) and sources.member(*found, method.name)
            if not isinstance(theirs, FUNCTION) or method.name == "__init__":
                continue
            wanted = parameters(theirs)
            if not method.args.kwarg and parameters(method) != wanted:
                yield f"{node.name}.{method.name} takes {parameters(method)}, that of the base {wanted}"


def inner_class(path, name, sources):
    module, _, outer = path.rpartition(".")
    found = sources.find(module, outer)
    inner = found and sources.member(*found, name)
    return inner and (found[0], inner)


def missing_members(sources):
    for path, members in USED.items():
        module, _, name = path.rpartition(".")
        found = sources.find(module, name) if name != "default" else inner_class(module, name, sources)
        if not found:
            yield f"there is no {path}"
            continue
        for member in members:
            method, _, wanted = member.rstrip(")").partition("(")
            theirs = sources.member(*found, method)
            if theirs is None:
                yield f"{path} has no {method}"
            for parameter in filter(None, wanted.split(",")):
                if parameter not in parameters(theirs):
                    yield f"{path}.{method} takes no {parameter}"


def missing_events(sources):
    for module, events in EVENTS.items():
        text = sources.file_of(module).read_text()
        for event in events:
            if f'_register_event_handler("{event}")' not in text:
                yield f"{module} has no {event}"


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--pipecat", type=pathlib.Path, required=True, metavar="DIR")
    options.add_argument("--livekit", type=pathlib.Path, required=True, metavar="DIR")
    given = options.parse_args()
    plugin = given.livekit / "livekit-plugins" / "livekit-plugins-openai"
    sources = Sources([given.pipecat / "src", given.livekit / "livekit-agents", plugin])
    for module in ("pipecat", "livekit.agents", "livekit.plugins.openai"):
        if not sources.file_of(module):
            options.error(f"{module} is not there: is this a checkout?")
    count = 0
    for where, source in texts():
        for fault in faults(source, sources):
            print(f"{where}: {fault}")
            count += 1
    for fault in [*missing_members(sources), *missing_events(sources)]:
        print(f"USED: {fault}")
        count += 1
    print(f"{count} faults in {len(list(texts()))} texts")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
