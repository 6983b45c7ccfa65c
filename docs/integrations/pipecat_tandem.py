"""Paced replies of a tandem gateway in a Pipecat pipeline: docs/integrations/pipecat.md.

    llm = TandemLLMService(url="http://127.0.0.1:8090")
    pipeline = Pipeline([transport.input(), stt, user_aggregator, llm, tts, transport.output(),
                         TandemEar(llm), assistant_aggregator])
"""

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass, field, fields

import aiohttp
from pipecat.frames.frames import (
    ControlFrame,
    Frame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
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
    """Answers an LLMContextFrame chunk by chunk; each next one when the one before was spoken."""

    def __init__(self, *, url, api_key=None, options=None, system_instruction=None, **kwargs):
        settings = LLMSettings(**{f.name: None for f in fields(LLMSettings) if f.name != "extra"})
        settings.model, settings.system_instruction = "tandem", system_instruction
        super().__init__(settings=settings, **kwargs)
        self._voice = TandemVoice(url, api_key=api_key, options=options)
        self._user_stopped = None
        self._chunk = None  # what is being spoken
        self._spoken = None  # set when it was

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
        try:
            async with aclosing(self._voice.reply(asked["messages"], **self._timing())) as chunks:
                async for chunk in chunks:
                    await self._speak(chunk)
        except (TandemError, ValueError, aiohttp.ClientError, TimeoutError) as error:
            await self.push_error(error_msg=f"tandem: {error}", exception=error)
        finally:
            self._chunk = None

    def _timing(self):
        frame, self._user_stopped = self._user_stopped, None
        if frame is None:
            return {}
        ago = time.time() - frame.timestamp + frame.stop_secs
        return {"user_stopped_ms_ago": int(ago * 1000), "vad_stop_ms": int(frame.stop_secs * 1000)}

    async def _speak(self, chunk):
        """A response of its own for each chunk: its end makes the TTS speak without waiting for more."""
        if not chunk["speech"]:
            return
        self._chunk, self._spoken = chunk, asyncio.Event()
        await self.push_frame(LLMFullResponseStartFrame())
        await self.push_frame(LLMTextFrame(chunk["speech"]))
        await self.push_frame(LLMFullResponseEndFrame())
        await self.push_frame(TandemChunkFrame(chunk))
        await asyncio.wait_for(self._spoken.wait(), self._voice.patience)

    def heard(self, word):
        """The listener hears this word of the chunk that is being spoken."""
        if self._chunk is None:
            return
        speech, begin = self._chunk["speech"], self._chunk.get("heard", 0)
        at = speech.find(word, begin)
        if at >= 0:
            self._chunk["heard"] = at + len(word)

    def spoken(self, chunk):
        if chunk is self._chunk:
            self._spoken.set()


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
            self._llm.spoken(frame.chunk)
            return
        await self.push_frame(frame, direction)
