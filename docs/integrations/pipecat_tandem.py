"""Paced replies of a tandem gateway in a Pipecat pipeline: docs/integrations/pipecat.md.

    llm = TandemLLMService(url="http://127.0.0.1:8090")
    pipeline = Pipeline([transport.input(), stt, TandemTranscripts(llm), user_aggregator, llm, tts,
                         transport.output(), TandemEar(llm), assistant_aggregator])
"""

import time
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, fields

import aiohttp
from pipecat.frames.frames import (
    ControlFrame,
    Frame,
    FunctionCallFromLLM,
    InterimTranscriptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TranscriptionFrame,
    TTSStartedFrame,
    TTSTextFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.llm_service import LLMService
from pipecat.services.settings import LLMSettings
from tandem_voice import TandemError, TandemVoice


@dataclass
class TandemChunkFrame(ControlFrame):
    """Follows a chunk through the TTS and the output transport, and so arrives when it is spoken."""

    chunk: dict = field(default_factory=dict)


class TandemLLMService(LLMService):
    """Answers an LLMContextFrame chunk by chunk. The TTS makes the sound of each chunk while the one
    before is spoken: options={"lookahead": 0} turns that off."""

    def __init__(self, *, url, api_key=None, options=None, system_instruction=None, **kwargs):
        settings = LLMSettings(**{f.name: None for f in fields(LLMSettings) if f.name != "extra"})
        settings.model, settings.system_instruction = "tandem", system_instruction
        super().__init__(settings=settings, **kwargs)
        options = {"lookahead": 1, **(options or {})}
        self._voice = TandemVoice(url, api_key=api_key, options=options)
        self._user_stopped = None

    async def process_frame(self, frame: Frame, direction: FrameDirection):
        """An InterruptionFrame needs nothing here: Pipecat cancels the task that runs _answer."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            await self._answer(frame.context)
            return
        if isinstance(frame, VADUserStoppedSpeakingFrame):
            self._user_stopped = frame
        await self.push_frame(frame, direction)

    async def cleanup(self):
        await super().cleanup()
        await self._voice.close()

    async def _answer(self, context: LLMContext):
        asked = self.get_llm_adapter().get_llm_invocation_params(
            context,
            system_instruction=self._settings.system_instruction,
            convert_developer_to_user=True,
        )
        messages = [m for m in asked["messages"] if not has_no_result(m)]
        tools = asked["tools"] if isinstance(asked["tools"], list) else []
        try:
            async with aclosing(self._voice.reply(messages, tools=tools, **self._timing())) as events:
                async for event in events:
                    if event["type"] == "calls":
                        await self._run(event["calls"], context)
                    else:
                        await self._speak(event)
        except (TandemError, ValueError, aiohttp.ClientError) as error:
            await self.push_error(error_msg=f"tandem: {error}", exception=error)

    def _timing(self):
        frame, self._user_stopped = self._user_stopped, None
        if frame is None:
            return {}
        ago = time.time() - frame.timestamp + frame.stop_secs
        return {"user_stopped_ms_ago": int(ago * 1000), "vad_stop_ms": int(frame.stop_secs * 1000)}

    async def _speak(self, chunk):
        """A response of its own for each chunk: its end makes the TTS speak without waiting for more."""
        if chunk["speech"]:
            await self.push_frame(LLMFullResponseStartFrame())
            await self.push_frame(LLMTextFrame(chunk["speech"]))
            await self.push_frame(LLMFullResponseEndFrame())
        await self.push_frame(TandemChunkFrame(chunk))

    async def _run(self, calls, context):
        """Pipecat puts the results into the context, and sends it again after the last one."""
        await self.run_function_calls(
            [
                FunctionCallFromLLM(
                    function_name=call["name"],
                    tool_call_id=call["id"],
                    arguments=call["arguments"] if isinstance(call["arguments"], dict) else {},
                    context=context,
                )
                for call in calls
            ]
        )

    @property
    def voice(self):
        return self._voice

    def heard(self, word):
        """The listener hears this word of the chunk that is being spoken."""
        chunk = self._voice.speaking
        if chunk is None:
            return
        at = chunk["speech"].find(word, chunk.get("heard", 0))
        if at >= 0:
            chunk["heard"] = at + len(word)

    async def spoken(self, chunk):
        with suppress(TandemError):  # _answer reports a lost connection
            await self._voice.spoken(chunk)


def has_no_result(message):
    """Whether this stands for the result of a function that runs, or was cancelled."""
    return message["role"] == "tool" and message["content"] in ("IN_PROGRESS", "CANCELLED")


class TandemEar(FrameProcessor):
    """Stands behind the output transport, and tells the service what was heard."""

    def __init__(self, llm: TandemLLMService, **kwargs):
        super().__init__(**kwargs)
        self._llm, self._context_id = llm, None

    async def process_frame(self, frame: Frame, direction: FrameDirection):
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSStartedFrame):
            self._context_id = frame.context_id
        elif isinstance(frame, TTSTextFrame) and frame.context_id == self._context_id:
            self._llm.heard(frame.text.strip())
        elif isinstance(frame, TandemChunkFrame):
            await self._llm.spoken(frame.chunk)
            return
        await self.push_frame(frame, direction)


class TandemTranscripts(FrameProcessor):
    """Stands behind the recogniser, and tells the gateway what the user says, so that the reply is drafted
    before the turn ends. The methods that take `stt` are handlers for events of a recogniser."""

    def __init__(self, llm: TandemLLMService, **kwargs):
        super().__init__(**kwargs)
        self._voice = llm.voice

    async def process_frame(self, frame: Frame, direction: FrameDirection):
        await super().process_frame(frame, direction)
        if isinstance(frame, InterimTranscriptionFrame):
            await (self._voice.draft if is_eager_end(frame) else self._voice.hearing)(frame.text)
        elif isinstance(frame, TranscriptionFrame) and frame.text:
            await self._voice.hearing(frame.text, is_final=True)
        await self.push_frame(frame, direction)

    async def on_words(self, stt, transcript):
        await self._voice.hearing(transcript)

    async def on_eager_end(self, stt, transcript):
        await self._voice.draft(transcript)

    async def on_resumed(self, stt):
        await self._voice.drop()


def is_eager_end(frame: InterimTranscriptionFrame):
    """Whether Deepgram Flux believes that the turn has ended."""
    return isinstance(frame.result, dict) and frame.result.get("event") == "EagerEndOfTurn"
