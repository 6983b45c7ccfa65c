"""Runs tandem_voice.livekit in a session of the real LiveKit Agents, against a gateway.

Run this by hand with tools/python in PYTHONPATH. It needs LiveKit Agents and the pure Python part of
livekit's rtc package, installed or in PYTHONPATH. Imports of these packages that have no effect here
(NAMES) may be missing. The voice and the audio output are small classes based on LiveKit's tts.TTS and
AudioOutput, with 250 ms of sound for each word, played in real time. Exit status: 0 if all checks pass,
otherwise 1.
"""

import asyncio
import importlib.abc
import importlib.machinery
import sys
import time
from unittest.mock import MagicMock

from gateway_process import DIALOGUE, FIRST, SECOND, SYSTEM, gateway


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Replaces imports of the framework that have no effect here."""

    NAMES = (
        "av", "blingfire", "certifi", "click", "docstring_parser", "eval_type_backport",
        "httpx", "json_repair", "livekit.api", "livekit.blingfire", "livekit.local_inference",
        "livekit.protocol", "nest_asyncio", "opentelemetry.exporter", "prometheus_client",
        "requests", "sounddevice", "typer", "watchfiles",
    )  # fmt: skip

    def find_spec(self, name, path=None, target=None):
        if any(name == n or name.startswith(n + ".") for n in self.NAMES):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__, module.__spec__ = [], spec
        return module

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Missing())

from livekit import rtc  # noqa: E402
from livekit.agents import AgentSession, tts  # noqa: E402
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS  # noqa: E402
from livekit.agents.voice.io import AudioOutput, AudioOutputCapabilities, TextOutput  # noqa: E402
from livekit.agents.voice.transcription.synchronizer import TranscriptSynchronizer  # noqa: E402

from tandem_voice.livekit import TandemAgent  # noqa: E402

RATE = 16000
WORD = 0.25


class Voice(tts.TTS):
    def __init__(self):
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=True), sample_rate=RATE, num_channels=1
        )
        self.said = []

    def synthesize(self, text, *, conn_options=DEFAULT_API_CONNECT_OPTIONS):
        raise NotImplementedError

    def stream(self, *, conn_options=DEFAULT_API_CONNECT_OPTIONS):
        return VoiceStream(tts=self, conn_options=conn_options)


class VoiceStream(tts.SynthesizeStream):
    async def _run(self, output_emitter):
        text = ""
        async for piece in self._input_ch:
            text += piece if isinstance(piece, str) else ""
        self._tts.said.append(text.strip())
        output_emitter.initialize(
            request_id="r", sample_rate=RATE, num_channels=1, mime_type="audio/pcm", stream=True
        )
        output_emitter.start_segment(segment_id="s")
        self._mark_started()
        output_emitter.push(b"\1\0" * int(RATE * WORD * len(text.split())))
        output_emitter.end_segment()


class Speaker(AudioOutput):
    """Consumes audio in real time without an output device."""

    def __init__(self):
        super().__init__(label="speaker", capabilities=AudioOutputCapabilities(pause=False))
        self._seconds, self._since, self._timer = 0.0, None, None

    async def capture_frame(self, frame):
        await super().capture_frame(frame)
        if self._since is None:
            self._since = time.time()
            self.on_playback_started(created_at=self._since)
        self._seconds += frame.duration

    def flush(self):
        super().flush()
        if self._since is not None:
            rest = self._since + self._seconds - time.time()
            self._timer = asyncio.get_running_loop().call_later(max(0, rest), self._over, False)

    def clear_buffer(self):
        if self._since is not None:
            self._over(True)

    def _over(self, interrupted):
        if self._timer:
            self._timer.cancel()
        played = min(self._seconds, time.time() - self._since)
        self._seconds, self._since, self._timer = 0.0, None, None
        self.on_playback_finished(playback_position=played, interrupted=interrupted)


class Text(TextOutput):
    def __init__(self):
        super().__init__(label="text", next_in_chain=None)

    async def capture_text(self, text):
        pass

    def flush(self):
        pass


class Stage:
    async def start(self, url):
        self.voice = Voice()
        self.session = AgentSession(
            tts=self.voice,
            turn_handling={"preemptive_generation": {"enabled": False}, "turn_detection": None},
        )
        sync = TranscriptSynchronizer(next_in_chain_audio=Speaker(), next_in_chain_text=Text())
        self.session.output.audio = sync.audio_output
        self.session.output.transcription = sync.text_output
        self.agent = TandemAgent(url=url, instructions=SYSTEM)
        await self.session.start(self.agent)

    async def until(self, condition):
        async with asyncio.timeout(120):
            while not condition():
                await asyncio.sleep(0.01)


async def plays_whole_reply_paced(stage):
    handle = stage.session.generate_reply(user_input=DIALOGUE[1]["content"])
    await stage.until(lambda: stage.voice.said)
    await asyncio.sleep(WORD * 3)
    assert stage.voice.said == FIRST[:1], f"came before the first was spoken: {stage.voice.said}"
    await handle.wait_for_playout()
    assert stage.voice.said == FIRST, stage.voice.said
    answer = handle.chat_items[-1].text_content
    assert answer.strip() == " ".join(FIRST), answer


async def interrupts_and_tells_what_was_heard(stage):
    told = []
    dialogue = stage.agent._dialogue
    interrupt = dialogue._interrupt

    def spy():
        told.append(dialogue.speaking.speech[: dialogue.heard])
        interrupt()

    dialogue._interrupt = spy
    handle = stage.session.generate_reply(user_input=DIALOGUE[1]["content"])
    await stage.until(lambda: stage.voice.said)
    await asyncio.sleep(WORD * 5)
    await stage.session.interrupt()
    await stage.until(lambda: told)
    heard = told[0]
    kept = handle.chat_items[-1].text_content.strip()
    assert heard == kept and heard and len(heard) < len(FIRST[0]), (heard, kept)
    again = stage.session.generate_reply(user_input=DIALOGUE[3]["content"])
    await again.wait_for_playout()
    assert stage.voice.said == [FIRST[0], SECOND], f"the history has not {heard!r}: {stage.voice.said}"


async def run(check):
    with gateway() as url:
        stage = Stage()
        await stage.start(url)
        try:
            await check(stage)
        finally:
            await stage.session.aclose()
    print("ok", check.__name__, flush=True)


async def main():
    await run(plays_whole_reply_paced)
    await run(interrupts_and_tells_what_was_heard)


asyncio.run(main())
