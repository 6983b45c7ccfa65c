"""Paced replies of a tandem gateway in a LiveKit agent: docs/integrations/livekit.md.

    class Host(TandemAgent):
        def __init__(self):
            super().__init__(url="http://127.0.0.1:8090", instructions="You are the voice of the Blue Heron.")
"""

import asyncio
import json
import time
from collections.abc import AsyncIterable
from contextlib import aclosing, suppress

from livekit.agents import Agent, FlushSentinel, ModelSettings, llm, stt
from livekit.agents.voice.io import PlaybackFinishedEvent
from tandem_voice import TandemError, TandemVoice


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

    async def stt_node(self, audio, model_settings: ModelSettings) -> AsyncIterable[stt.SpeechEvent]:
        """Tells the gateway what the user says, so that the reply is drafted before the turn ends."""
        async with aclosing(Agent.default.stt_node(self, audio, model_settings)) as events:
            async for event in events:
                await self._hear(event)
                yield event

    async def _hear(self, event: stt.SpeechEvent):
        kinds, text = stt.SpeechEventType, text_of_speech(event)
        if event.type == kinds.INTERIM_TRANSCRIPT:
            await self._voice.hearing(text)
        elif event.type == kinds.PREFLIGHT_TRANSCRIPT:
            await self._voice.draft(text)
        elif event.type == kinds.FINAL_TRANSCRIPT and text:
            await self._voice.hearing(text, is_final=True)

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterable[str | llm.ChatChunk | FlushSentinel]:
        """Each chunk is a segment of its own, which LiveKit speaks to its end, before it is
        continued. When the user interrupts, LiveKit cancels the task that runs this."""
        reply = self._voice.reply(
            messages_of(chat_ctx), tools=schemas_of(tools, model_settings), **timing_of(chat_ctx)
        )
        output = self.session.output
        audio = output.audio if output.audio_enabled else None
        async with aclosing(reply) as events:
            with Playout(audio, self._voice):
                async for event in events:
                    if event["type"] == "calls":
                        yield chunk_of(event["calls"])
                        continue
                    if event["speech"]:
                        yield event["speech"] + " "
                        yield FlushSentinel()
                    if not event["speech"] or audio is None:
                        await self._voice.spoken(event)


class Playout:
    """Reports to the voice what LiveKit plays of its chunks."""

    def __init__(self, audio, voice):
        self._audio, self._voice, self._report = audio, voice, None

    def __enter__(self):
        if self._audio is not None:
            self._audio.on("playback_finished", self._finished)
        return self

    def __exit__(self, *_):
        if self._audio is not None:
            self._audio.off("playback_finished", self._finished)

    def _finished(self, event: PlaybackFinishedEvent):
        chunk = self._voice.speaking
        if chunk is None:
            return
        if not event.interrupted:
            self._report = asyncio.create_task(self._spoken(chunk))
        elif event.synchronized_transcript is not None:
            # without a transcript that goes with the voice, nothing of the chunk counts as heard
            chunk["heard"] = min(len(event.synchronized_transcript.strip()), len(chunk["speech"]))

    async def _spoken(self, chunk):
        with suppress(TandemError):  # llm_node reports a lost connection
            await self._voice.spoken(chunk)


def text_of_speech(event: stt.SpeechEvent):
    return event.alternatives[0].text if event.alternatives else ""


def schemas_of(tools: list[llm.Tool], model_settings: ModelSettings):
    """The tools as OpenAI's API has them."""
    if model_settings.tool_choice == "none":
        return []
    return llm.ToolContext(tools).parse_function_tools("openai", strict=False)


def chunk_of(calls):
    """Calls of the model, which LiveKit runs while it speaks."""
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


def text_of(arguments):
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def messages_of(chat_ctx: llm.ChatContext):
    """The history as OpenAI's API has it, text only."""
    messages = []
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


def timing_of(chat_ctx: llm.ChatContext):
    """When the user stopped speaking, where LiveKit knows it."""
    last = chat_ctx.items[-1] if chat_ctx.items else None
    stopped = last.metrics.get("stopped_speaking_at") if getattr(last, "role", "") == "user" else None
    return {"user_stopped_ms_ago": max(0, int((time.time() - stopped) * 1000))} if stopped else {}
