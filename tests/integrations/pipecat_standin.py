"""Stand-ins for the classes of Pipecat that tandem_voice.pipecat uses, with the same signatures. They behave
as a pipeline of one service requires. real_pipecat.py runs tandem_voice.pipecat on the real Pipecat.
Importing this module registers the stand-ins under the names of Pipecat's modules."""

import asyncio
import enum
import json
import sys
import types
from dataclasses import dataclass, field


@dataclass
class Frame:
    pass


class SystemFrame(Frame):
    pass


class ControlFrame(Frame):
    pass


@dataclass
class LLMContextFrame(Frame):
    context: object


@dataclass
class LLMTextFrame(Frame):
    text: str


@dataclass
class LLMFullResponseStartFrame(ControlFrame):
    pass


@dataclass
class LLMFullResponseEndFrame(ControlFrame):
    pass


@dataclass
class FunctionCallFromLLM:
    function_name: str
    tool_call_id: str
    arguments: dict
    context: object


@dataclass
class InterruptionFrame(SystemFrame):
    pass


@dataclass
class TTSStartedFrame(ControlFrame):
    context_id: str | None = None


@dataclass
class TTSTextFrame(Frame):
    text: str
    aggregated_by: str
    context_id: str | None = None


@dataclass
class TranscriptionFrame(Frame):
    text: str
    user_id: str
    timestamp: str
    language: object = None
    result: object = None
    finalized: bool = False


@dataclass
class InterimTranscriptionFrame(Frame):
    text: str
    user_id: str
    timestamp: str
    language: object = None
    result: object = None


@dataclass
class VADUserStoppedSpeakingFrame(SystemFrame):
    stop_secs: float = 0.0
    timestamp: float = 0.0


class FrameDirection(enum.Enum):
    DOWNSTREAM = 1
    UPSTREAM = 2


NOT_GIVEN = object()


class LLMContext:
    def __init__(self, messages=None, tools=NOT_GIVEN):
        self.messages, self.tools = messages or [], tools


@dataclass
class LLMSettings:
    model: str | None
    system_instruction: str | None
    temperature: float | None
    extra: dict = field(default_factory=dict)


class FrameProcessor:
    """Stores pushed frames in `pushed`, and passes them to the next processor. As in Pipecat, an
    interruption cancels the processing of the current frame."""

    def __init__(self, *, name=None, **kwargs):
        self.next, self.pushed, self.errors, self._task = None, [], [], None

    async def process_frame(self, frame, direction):
        pass

    async def push_frame(self, frame, direction=FrameDirection.DOWNSTREAM):
        self.pushed.append(frame)
        if self.next:
            await self.next.process_frame(frame, direction)

    async def push_error(self, error_msg, exception=None, fatal=False):
        self.errors.append(error_msg)

    async def cleanup(self):
        pass

    async def queue_frame(self, frame, direction=FrameDirection.DOWNSTREAM):
        if isinstance(frame, InterruptionFrame):
            self._task.cancel()
            await asyncio.wait([self._task])
        self._task = asyncio.create_task(self._process(frame, direction, self._task))
        return self._task

    async def _process(self, frame, direction, previous):
        if previous:
            await asyncio.wait([previous])
        await self.process_frame(frame, direction)


class Adapter:
    def get_llm_invocation_params(self, context, *, system_instruction=None, convert_developer_to_user):
        system = [{"role": "system", "content": system_instruction}] if system_instruction else []
        return {"messages": system + list(context.messages), "tools": context.tools}


class LLMService(FrameProcessor):
    """Runs functions, and puts calls and results into the context as Pipecat's aggregators do."""

    def __init__(self, run_in_parallel=True, settings=None, **kwargs):
        super().__init__(**kwargs)
        self._settings, self.functions, self._running = settings, {}, []

    async def process_frame(self, frame, direction):
        if isinstance(frame, InterruptionFrame):
            for task in self._running:
                task.cancel()

    async def run_function_calls(self, function_calls):
        """Each function returns its result, or is cancelled by an interruption."""
        self._running = [asyncio.create_task(self._call(call)) for call in function_calls]

    async def _call(self, call):
        function = {"name": call.function_name, "arguments": json.dumps(call.arguments)}
        calls = [{"id": call.tool_call_id, "function": function, "type": "function"}]
        result = {"role": "tool", "content": "IN_PROGRESS", "tool_call_id": call.tool_call_id}
        call.context.messages += [{"role": "assistant", "tool_calls": calls}, result]
        try:
            result["content"] = json.dumps(await self.functions[call.function_name](**call.arguments))
            await self.queue_frame(LLMContextFrame(call.context))
        except asyncio.CancelledError:
            result["content"] = "CANCELLED"

    def get_llm_adapter(self):
        return Adapter()


def _module(name, *classes):
    module = types.ModuleType(name)
    module.__dict__.update({c.__name__: c for c in classes})
    module.__path__ = []
    sys.modules[name] = module


for _name in ("pipecat", "pipecat.frames", "pipecat.processors", "pipecat.processors.aggregators", "pipecat.services"):
    _module(_name)
_module(
    "pipecat.frames.frames", ControlFrame, Frame, FunctionCallFromLLM, InterimTranscriptionFrame,
    LLMContextFrame, LLMFullResponseEndFrame, LLMFullResponseStartFrame, LLMTextFrame, TranscriptionFrame,
    TTSStartedFrame, TTSTextFrame, VADUserStoppedSpeakingFrame,
)  # fmt: skip
_module("pipecat.processors.aggregators.llm_context", LLMContext)
_module("pipecat.processors.frame_processor", FrameDirection, FrameProcessor)
_module("pipecat.services.llm_service", LLMService)
_module("pipecat.services.settings", LLMSettings)
