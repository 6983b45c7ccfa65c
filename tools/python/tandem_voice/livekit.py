"""Paced replies in a LiveKit agent: docs/integrations/livekit.md.

    class Host(TandemAgent):
        def __init__(self):
            super().__init__(url="http://127.0.0.1:8090", instructions="You are the voice of the Blue Heron.")
"""

import json
import time
from collections.abc import AsyncIterable, Mapping
from contextlib import aclosing
from typing import Any

from livekit.agents import Agent, FlushSentinel, ModelSettings, llm, stt
from livekit.agents.voice.io import PlaybackFinishedEvent

from ._chunk import Chunk
from ._dialogue import Dialogue
from ._link import Message


class NoLLM(llm.LLM):
    """The default `llm`, because a session without one makes no replies. It is never asked:
    TandemAgent.llm_node answers instead."""

    def chat(self, *, chat_ctx: llm.ChatContext, tools: Any = None, **kwargs: Any) -> Any:
        raise NotImplementedError("TandemAgent.llm_node answers; another agent needs another llm")


class TandemAgent(Agent):
    """Answers chunk by chunk; each chunk follows when the previous one was spoken."""

    def __init__(
        self,
        *,
        url: str,
        key: str | None = None,
        options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("llm", NoLLM())
        super().__init__(**kwargs)
        self._dialogue = Dialogue(url, key=key, options=options)

    async def on_exit(self) -> None:
        await self._dialogue.close()

    async def stt_node(
        self, audio: Any, model_settings: ModelSettings
    ) -> AsyncIterable[stt.SpeechEvent]:
        """Tells the gateway what the user says, so that the reply is drafted before the turn ends."""
        async with aclosing(Agent.default.stt_node(self, audio, model_settings)) as events:
            async for event in events:
                self._hear(event)
                yield event

    def _hear(self, event: stt.SpeechEvent) -> None:
        kinds, text = stt.SpeechEventType, text_of_speech(event)
        if event.type == kinds.INTERIM_TRANSCRIPT:
            self._dialogue.hearing(text)
        elif event.type == kinds.PREFLIGHT_TRANSCRIPT:
            self._dialogue.draft(text)
        elif event.type == kinds.FINAL_TRANSCRIPT and text:
            self._dialogue.hear_final(text)

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterable[str | llm.ChatChunk | FlushSentinel]:
        """Yields each chunk as a separate segment. LiveKit speaks a segment to its end before the chunk's continue
        is sent. When the user interrupts, LiveKit cancels the task that runs this."""
        reply = self._dialogue.reply(
            messages_of(chat_ctx), tools=schemas_of(tools, model_settings), **timing_of(chat_ctx)
        )
        output = self.session.output
        audio = output.audio if output.audio_enabled else None
        async with aclosing(reply) as items:
            with Playout(audio, self._dialogue):
                async for item in items:
                    if not isinstance(item, Chunk):
                        yield chunk_of(item)
                        continue
                    if item.speech:
                        yield item.speech + " "
                        yield FlushSentinel()
                    if not item.speech or audio is None:
                        self._dialogue.spoken(item)


class Playout:
    """Reports which chunks, and how much of them, LiveKit plays."""

    def __init__(self, audio: Any, dialogue: Dialogue) -> None:
        self._audio, self._dialogue = audio, dialogue

    def __enter__(self) -> None:
        if self._audio is not None:
            self._audio.on("playback_finished", self._finished)

    def __exit__(self, *_: object) -> None:
        if self._audio is not None:
            self._audio.off("playback_finished", self._finished)

    def _finished(self, event: PlaybackFinishedEvent) -> None:
        chunk = self._dialogue.speaking
        if chunk is None:
            return
        if not event.interrupted:
            self._dialogue.spoken(chunk)
        elif event.synchronized_transcript is not None:
            # without a transcript in step with the voice, reports that nothing of the chunk was heard
            self._dialogue.heard = min(len(event.synchronized_transcript.strip()), len(chunk.speech))


def text_of_speech(event: stt.SpeechEvent) -> str:
    return str(event.alternatives[0].text) if event.alternatives else ""


def schemas_of(tools: list[llm.Tool], model_settings: ModelSettings) -> list[Message]:
    """The tools in the format of OpenAI's API."""
    if model_settings.tool_choice == "none":
        return []
    return list(llm.ToolContext(tools).parse_function_tools("openai", strict=False))


def chunk_of(calls: list[Message]) -> llm.ChatChunk:
    """The model's calls. LiveKit runs them while it speaks."""
    return llm.ChatChunk(
        id=calls[0]["reply"],
        delta=llm.ChoiceDelta(
            role="assistant",
            tool_calls=[
                llm.FunctionToolCall(
                    name=call["name"], arguments=text_of(call["arguments"]), call_id=call["id"]
                )
                for call in calls
            ],
        ),
    )


def text_of(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def messages_of(chat_ctx: llm.ChatContext) -> list[Message]:
    """The history in the format of OpenAI's API, only texts and calls."""
    messages: list[Message] = []
    for item in chat_ctx.items:
        if item.type == "message" and item.text_content:
            role = "system" if item.role == "developer" else item.role
            messages.append({"role": role, "content": item.text_content})
        elif item.type == "function_call":
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"role": "assistant", "content": ""})
            function = {"name": item.name, "arguments": item.arguments}
            call = {"id": item.call_id, "type": "function", "function": function}
            messages[-1].setdefault("tool_calls", []).append(call)
        elif item.type == "function_call_output":
            messages.append({"role": "tool", "tool_call_id": item.call_id, "content": item.output})
    return messages


def timing_of(chat_ctx: llm.ChatContext) -> dict[str, int]:
    """When the user stopped speaking, if LiveKit knows it."""
    last = chat_ctx.items[-1] if chat_ctx.items else None
    stopped = last.metrics.get("stopped_speaking_at") if getattr(last, "role", "") == "user" else None
    return {"user_stopped_ms_ago": max(0, int((time.time() - stopped) * 1000))} if stopped else {}
