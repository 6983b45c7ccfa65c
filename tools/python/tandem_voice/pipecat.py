"""Paced replies in a Pipecat pipeline: docs/integrations/pipecat.md.

    llm = TandemLLMService(url="http://127.0.0.1:8090")
    pipeline = Pipeline([transport.input(), stt, TandemTranscripts(llm), user_aggregator, llm, tts,
                         transport.output(), TandemEar(llm), assistant_aggregator])
"""

import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, fields
from typing import Any

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

from ._chunk import Chunk
from ._dialogue import Dialogue
from ._error import VoiceError
from ._link import Message


@dataclass
class TandemChunkFrame(ControlFrame):
    """Follows a chunk through the TTS and the output transport, and arrives when the chunk was spoken."""

    chunk: Chunk | None = None


class TandemLLMService(LLMService):
    """Answers an LLMContextFrame chunk by chunk. The TTS synthesizes each chunk while the previous one is
    spoken; options={"lookahead": 0} turns that off."""

    def __init__(
        self,
        *,
        url: str,
        key: str | None = None,
        options: Mapping[str, Any] | None = None,
        system_instruction: str | None = None,
        **kwargs: Any,
    ) -> None:
        settings = LLMSettings(**{f.name: None for f in fields(LLMSettings) if f.name != "extra"})
        settings.model, settings.system_instruction = "tandem", system_instruction
        super().__init__(settings=settings, **kwargs)
        self.dialogue = Dialogue(url, key=key, options={"lookahead": 1, **(options or {})})
        self._user_stopped: VADUserStoppedSpeakingFrame | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """An InterruptionFrame needs no action here: Pipecat cancels the task that runs _answer."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            await self._answer(frame.context)
            return
        if isinstance(frame, VADUserStoppedSpeakingFrame):
            self._user_stopped = frame
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        await super().cleanup()
        await self.dialogue.close()

    async def _answer(self, context: LLMContext) -> None:
        asked = self.get_llm_adapter().get_llm_invocation_params(
            context,
            system_instruction=self._settings.system_instruction,
            convert_developer_to_user=True,
        )
        messages = [m for m in asked["messages"] if not has_no_result(m)]
        tools = asked["tools"] if isinstance(asked["tools"], list) else []
        try:
            async with aclosing(self.dialogue.reply(messages, tools=tools, **self._timing())) as items:
                async for item in items:
                    if isinstance(item, Chunk):
                        await self._speak(item)
                    else:
                        await self._run(item, context)
        except (VoiceError, ValueError) as error:
            await self.push_error(error_msg=f"tandem: {error}", exception=error)

    def _timing(self) -> dict[str, int]:
        frame, self._user_stopped = self._user_stopped, None
        if frame is None:
            return {}
        ago = time.time() - frame.timestamp + frame.stop_secs
        return {"user_stopped_ms_ago": int(ago * 1000), "vad_stop_ms": int(frame.stop_secs * 1000)}

    async def _speak(self, chunk: Chunk) -> None:
        """Sends each chunk as a separate response, whose end makes the TTS speak without waiting for more."""
        if chunk.speech:
            await self.push_frame(LLMFullResponseStartFrame())
            await self.push_frame(LLMTextFrame(chunk.speech))
            await self.push_frame(LLMFullResponseEndFrame())
        await self.push_frame(TandemChunkFrame(chunk))

    async def _run(self, calls: list[Message], context: LLMContext) -> None:
        """Pipecat adds the results to the context, and sends the context again after the last one."""
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

    def heard(self, word: str) -> None:
        """The listener hears this word of the current chunk."""
        chunk = self.dialogue.speaking
        at = chunk.speech.find(word, self.dialogue.heard or 0) if chunk else -1
        if at >= 0:
            self.dialogue.heard = at + len(word)


def has_no_result(message: Message) -> bool:
    """Whether this is a placeholder for the result of a function that is running or was cancelled."""
    return message["role"] == "tool" and message["content"] in ("IN_PROGRESS", "CANCELLED")


class TandemEar(FrameProcessor):
    """Comes after the output transport, and tells the service what was heard."""

    def __init__(self, llm: TandemLLMService, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._llm, self._context_id = llm, None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSStartedFrame):
            self._context_id = frame.context_id
        elif isinstance(frame, TTSTextFrame) and frame.context_id == self._context_id:
            self._llm.heard(frame.text.strip())
        elif isinstance(frame, TandemChunkFrame):
            if frame.chunk:
                self._llm.dialogue.spoken(frame.chunk)
            return
        await self.push_frame(frame, direction)


class TandemTranscripts(FrameProcessor):
    """Comes after the recogniser, and tells the gateway what the user says, so that the reply is drafted
    before the turn ends. The methods that take `stt` are handlers for a recogniser's events."""

    def __init__(self, llm: TandemLLMService, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._dialogue = llm.dialogue

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, InterimTranscriptionFrame):
            (self._dialogue.draft if is_eager_end(frame) else self._dialogue.hearing)(frame.text)
        elif isinstance(frame, TranscriptionFrame) and frame.text:
            self._dialogue.hear_final(frame.text)
        await self.push_frame(frame, direction)

    async def on_words(self, stt: Any, transcript: str) -> None:
        self._dialogue.hearing(transcript)

    async def on_eager_end(self, stt: Any, transcript: str) -> None:
        self._dialogue.draft(transcript)

    async def on_resumed(self, stt: Any) -> None:
        self._dialogue.drop()


def is_eager_end(frame: InterimTranscriptionFrame) -> bool:
    """Whether Deepgram Flux believes that the turn has ended."""
    return isinstance(frame.result, dict) and frame.result.get("event") == "EagerEndOfTurn"
