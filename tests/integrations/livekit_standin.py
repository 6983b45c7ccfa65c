"""Stand-ins for the classes of LiveKit Agents that tandem_voice.livekit uses, with the same signatures.
real_livekit.py runs tandem_voice.livekit on the real LiveKit Agents. Importing this module registers the
stand-ins under the names of LiveKit's modules."""

import asyncio
import enum
import sys
import types
from dataclasses import dataclass, field


@dataclass
class PlaybackFinishedEvent:
    playback_position: float
    interrupted: bool
    synchronized_transcript: str | None = None


class FlushSentinel:
    pass


@dataclass
class ModelSettings:
    tool_choice: object = None


class LLM:
    pass


@dataclass
class FunctionToolCall:
    name: str
    arguments: str
    call_id: str


@dataclass
class ChoiceDelta:
    role: str | None = None
    tool_calls: list = field(default_factory=list)


@dataclass
class ChatChunk:
    id: str
    delta: ChoiceDelta | None = None


@dataclass
class FunctionCall:
    call_id: str
    name: str
    arguments: str
    type: str = "function_call"


@dataclass
class FunctionCallOutput:
    call_id: str
    output: str
    type: str = "function_call_output"


@dataclass
class ChatMessage:
    role: str
    text_content: str
    type: str = "message"
    metrics: dict = field(default_factory=dict)


@dataclass
class ChatContext:
    items: list


@dataclass
class Tool:
    schema: dict


class ToolContext:
    def __init__(self, tools):
        self._tools = tools

    def parse_function_tools(self, format, *, strict=True):
        assert format == "openai" and not strict
        return [tool.schema for tool in self._tools]


class SpeechEventType(str, enum.Enum):
    START_OF_SPEECH = "start_of_speech"
    INTERIM_TRANSCRIPT = "interim_transcript"
    PREFLIGHT_TRANSCRIPT = "preflight_transcript"
    FINAL_TRANSCRIPT = "final_transcript"
    END_OF_SPEECH = "end_of_speech"


@dataclass
class SpeechData:
    language: str
    text: str


@dataclass
class SpeechEvent:
    type: SpeechEventType
    request_id: str = ""
    alternatives: list = field(default_factory=list)


class AudioOutput:
    """Calls the listeners of playback_finished when the test ends the playback."""

    def __init__(self):
        self.listeners = []

    def on(self, event, callback):
        assert event == "playback_finished", event
        self.listeners.append(callback)

    def off(self, event, callback):
        self.listeners.remove(callback)

    def finish(self, *, interrupted=False, synchronized_transcript=None):
        for listener in list(self.listeners):
            listener(PlaybackFinishedEvent(1.0, interrupted, synchronized_transcript))


class Agent:
    def __init__(self, *, instructions, llm=None, **kwargs):
        self.instructions, self.llm = instructions, llm
        output = types.SimpleNamespace(audio=AudioOutput(), audio_enabled=True)
        self.session = types.SimpleNamespace(output=output)

    async def on_exit(self):
        pass

    def llm_node(self, chat_ctx, tools, model_settings):
        raise NotImplementedError

    class default:
        @staticmethod
        async def stt_node(agent, audio, model_settings):
            """The test passes events in place of audio."""
            async for event in audio:
                yield event


class Reply:
    """Runs a node as LiveKit does. Splits the node's output into segments at each FlushSentinel. An
    interruption first ends the playback, and then cancels the node."""

    def __init__(self, agent, chat_ctx, tools=()):
        self.segments, self.calls, self._text, self._new = [], [], "", asyncio.Condition()
        node = agent.llm_node(chat_ctx, list(tools), ModelSettings())
        self.task = asyncio.create_task(self._run(node))

    async def _run(self, node):
        try:
            async for piece in node:
                if isinstance(piece, str):
                    self._text += piece
                elif isinstance(piece, ChatChunk):
                    await self._add_calls(piece.delta.tool_calls)
                else:
                    await self._end_segment()
        finally:
            await node.aclose()

    async def _end_segment(self):
        async with self._new:
            self.segments.append(self._text)
            self._text = ""
            self._new.notify_all()

    async def _add_calls(self, calls):
        async with self._new:
            self.calls += calls
            self._new.notify_all()

    async def has_called(self):
        async with self._new:
            await self._new.wait_for(lambda: self.calls)

    async def has_segments(self, count):
        async with self._new:
            await self._new.wait_for(lambda: len(self.segments) >= count)

    async def interrupt(self, audio, transcript):
        audio.finish(interrupted=True, synchronized_transcript=transcript)
        self.task.cancel()
        await asyncio.wait([self.task])


def _module(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members, __path__=[])
    sys.modules[name] = module
    return module


_module("livekit")
_llm = _module(
    "livekit.agents.llm", LLM=LLM, ChatChunk=ChatChunk, ChatContext=ChatContext, ChatMessage=ChatMessage,
    ChoiceDelta=ChoiceDelta, FunctionToolCall=FunctionToolCall, Tool=Tool, ToolContext=ToolContext,
)  # fmt: skip
_stt = _module(
    "livekit.agents.stt", SpeechData=SpeechData, SpeechEvent=SpeechEvent, SpeechEventType=SpeechEventType
)
_module(
    "livekit.agents", Agent=Agent, FlushSentinel=FlushSentinel, ModelSettings=ModelSettings, llm=_llm,
    stt=_stt,
)  # fmt: skip
_module("livekit.agents.voice")
_module("livekit.agents.voice.io", PlaybackFinishedEvent=PlaybackFinishedEvent, AudioOutput=AudioOutput)
