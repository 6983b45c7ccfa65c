"""Runs tandem_voice.pipecat in a pipeline of the real Pipecat, against a gateway.

Run this by hand with tools/python in PYTHONPATH. It needs Pipecat, installed or with its src/ in
PYTHONPATH. Packages that Pipecat imports but that have no effect here (loudness, soxr, ...) may be
missing. The voice and the transport are small classes based on Pipecat's TTSService and
BaseOutputTransport, with words of 60 ms, played in real time. Exit status: 0 if all checks pass,
otherwise 1.
"""

import asyncio
import importlib.util
import sys
from unittest.mock import MagicMock

from gateway_process import DIALOGUE, FIRST, FIRST_TURN, SECOND, gateway

for name in ("loudness", "numba", "num2words", "onnxruntime", "pyloudnorm", "soxr", "transformers"):
    if importlib.util.find_spec(name) is None:
        sys.modules[name] = MagicMock()

from pipecat.frames.frames import (  # noqa: E402
    EndFrame,
    InterruptionFrame,
    LLMContextFrame,
    StartFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
)
from pipecat.pipeline.pipeline import Pipeline  # noqa: E402
from pipecat.pipeline.worker import PipelineParams, PipelineWorker  # noqa: E402
from pipecat.processors.aggregators.llm_context import LLMContext  # noqa: E402
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair  # noqa: E402
from pipecat.services.settings import TTSSettings  # noqa: E402
from pipecat.services.tts_service import TTSService  # noqa: E402
from pipecat.transports.base_output import BaseOutputTransport  # noqa: E402
from pipecat.transports.base_transport import TransportParams  # noqa: E402
from pipecat.workers.runner import WorkerRunner  # noqa: E402

from tandem_voice.pipecat import TandemEar, TandemLLMService  # noqa: E402

RATE = 16000
WORD = 0.06


class Voice(TTSService):
    """Produces near-silent words, with or without timestamps, like the TTS services of Pipecat."""

    def __init__(self, with_times):
        settings = TTSSettings(model="silence", voice="none", language=None)
        super().__init__(
            push_text_frames=not with_times, push_stop_frames=True, sample_rate=RATE, settings=settings
        )
        self.said, self._with_times = [], with_times

    async def run_tts(self, text, context_id):
        self.said.append(text)
        await self.create_audio_context(context_id)
        yield TTSStartedFrame(context_id=context_id)
        words = text.split()
        for i, word in enumerate(words):
            yield TTSAudioRawFrame(b"\1\0" * int(RATE * WORD), RATE, 1, context_id=context_id)
            if self._with_times:
                await self.add_word_timestamps([(word, i * WORD)], context_id)
        yield TTSStoppedFrame(context_id=context_id)


class Speaker(BaseOutputTransport):
    """Consumes audio in real time without an output device."""

    def __init__(self):
        super().__init__(TransportParams(audio_out_enabled=True, audio_out_sample_rate=RATE))
        self.played = 0.0

    async def start(self, frame: StartFrame):
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame):
        seconds = len(frame.audio) / 2 / RATE
        await asyncio.sleep(seconds)
        self.played += seconds
        return True


class Stage:
    """A running pipeline, from a context to the speaker."""

    def __init__(self, url, with_times):
        self.context = LLMContext(list(FIRST_TURN))
        self.llm, self.voice, self.speaker = TandemLLMService(url=url), Voice(with_times), Speaker()
        pair = LLMContextAggregatorPair(self.context)
        pipeline = Pipeline(
            [self.llm, self.voice, self.speaker, TandemEar(self.llm), pair.assistant()]
        )
        self.worker = PipelineWorker(pipeline, params=PipelineParams(audio_out_sample_rate=RATE))

    async def until(self, condition):
        async with asyncio.timeout(120):
            while not condition():
                await asyncio.sleep(0.01)

    def heard(self):
        chunk = self.llm.dialogue.speaking
        return chunk.speech[: self.llm.dialogue.heard or 0] if chunk else ""

    def assistant(self):
        return " ".join(m["content"] for m in self.context.get_messages() if m["role"] == "assistant")


async def plays_whole_reply_paced(stage):
    await stage.worker.queue_frame(LLMContextFrame(stage.context))
    await stage.until(lambda: len(stage.voice.said) == 2)
    await stage.until(lambda: stage.speaker.played > 0.2)
    assert stage.voice.said == FIRST[:2], f"came before the first was spoken: {stage.voice.said}"
    await stage.until(lambda: len(stage.voice.said) == 3 and FIRST[2] in stage.assistant())
    assert stage.voice.said == FIRST, stage.voice.said
    assert stage.assistant() == " ".join(FIRST), stage.assistant()


async def interrupts_and_tells_what_was_heard(stage):
    told = []
    interrupt = stage.llm.dialogue._interrupt

    def spy():
        told.append(stage.heard())
        interrupt()

    stage.llm.dialogue._interrupt = spy
    await stage.worker.queue_frame(LLMContextFrame(stage.context))
    await stage.until(lambda: "have" in stage.heard())
    await stage.worker.queue_frame(InterruptionFrame())
    await stage.until(lambda: told)
    heard = told[0]
    assert FIRST[0].startswith(heard) and "have" in heard and len(heard) < len(FIRST[0]), heard
    stage.context.add_message(DIALOGUE[3])
    await stage.worker.queue_frame(LLMContextFrame(stage.context))
    await stage.until(lambda: len(stage.voice.said) == 2)
    assert stage.voice.said == [FIRST[0], SECOND], f"the history has not {heard!r}: {stage.voice.said}"


async def run(check, with_times):
    with gateway() as url:
        stage = Stage(url, with_times)
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(stage.worker)
        running = asyncio.create_task(runner.run())
        try:
            await check(stage)
        finally:
            await stage.worker.queue_frame(EndFrame())
            await asyncio.wait_for(running, 20)
    print("ok", check.__name__, "with word times" if with_times else "without word times", flush=True)


async def main():
    await run(plays_whole_reply_paced, True)
    await run(plays_whole_reply_paced, False)
    await run(interrupts_and_tells_what_was_heard, True)


asyncio.run(main())
