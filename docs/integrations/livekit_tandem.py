"""Paced replies of a tandem gateway in a LiveKit agent: docs/integrations/livekit.md.

    class Host(TandemAgent):
        def __init__(self):
            super().__init__(url="http://127.0.0.1:8090", instructions="You are the voice of the Blue Heron.")
"""

import asyncio
import time
from collections.abc import AsyncIterable
from contextlib import aclosing

from livekit.agents import Agent, FlushSentinel, ModelSettings, llm
from livekit.agents.voice.io import PlaybackFinishedEvent
from tandem_voice import TandemVoice


class NoLLM(llm.LLM):
    """Goes as `llm` where there is no other: a session without one makes no replies. Never asked,
    since TandemAgent.llm_node answers in its place."""

    def chat(self, *, chat_ctx, tools=None, **kwargs):
        raise NotImplementedError("TandemAgent.llm_node answers; another agent needs another llm")


class TandemAgent(Agent):
    """Answers chunk by chunk; each next one when the one before was spoken."""

    def __init__(self, *, url, api_key=None, options=None, **kwargs):
        kwargs.setdefault("llm", NoLLM())
        super().__init__(**kwargs)
        self._voice = TandemVoice(url, api_key=api_key, options=options)

    async def on_exit(self) -> None:
        await self._voice.close()

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterable[str | FlushSentinel]:
        """Each chunk is a segment of its own, which LiveKit speaks to its end, before it is
        continued. When the user interrupts, LiveKit cancels the task that runs this."""
        async with aclosing(self._voice.reply(messages_of(chat_ctx), **timing_of(chat_ctx))) as chunks:
            async for chunk in chunks:
                if not chunk["speech"]:
                    await self._voice.spoken(chunk)
                    continue
                output = self.session.output
                with Playout(output.audio if output.audio_enabled else None, chunk) as playout:
                    yield chunk["speech"] + " "
                    yield FlushSentinel()
                    await asyncio.wait_for(playout.is_over.wait(), self._voice.patience)
                await self._voice.spoken(chunk)


class Playout:
    """The playing of one chunk: how far it was heard, and when it is over."""

    def __init__(self, audio, chunk):
        self._audio, self._chunk = audio, chunk
        self.is_over = asyncio.Event()

    def __enter__(self):
        if self._audio is None:
            self.is_over.set()  # text only
        else:
            self._audio.on("playback_finished", self._finished)
        return self

    def __exit__(self, *_):
        if self._audio is not None:
            self._audio.off("playback_finished", self._finished)

    def _finished(self, event: PlaybackFinishedEvent):
        if event.interrupted:
            self._note_heard(event.synchronized_transcript)
        else:
            self.is_over.set()

    def _note_heard(self, transcript):
        """Without a transcript that goes with the voice nothing of the chunk counts as heard."""
        if transcript is not None:
            speech = self._chunk["speech"]
            self._chunk["heard"] = min(len(transcript.strip()), len(speech))


def messages_of(chat_ctx: llm.ChatContext):
    """The history as OpenAI's API has it, text only."""
    return [
        {"role": "system" if m.role == "developer" else m.role, "content": m.text_content}
        for m in chat_ctx.items
        if m.type == "message" and m.text_content
    ]


def timing_of(chat_ctx: llm.ChatContext):
    """When the user stopped speaking, where LiveKit knows it."""
    last = chat_ctx.items[-1] if chat_ctx.items else None
    stopped = last.metrics.get("stopped_speaking_at") if getattr(last, "role", "") == "user" else None
    return {"user_stopped_ms_ago": max(0, int((time.time() - stopped) * 1000))} if stopped else {}
