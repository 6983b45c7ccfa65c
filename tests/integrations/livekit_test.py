"""Tests tandem_voice.livekit with a gateway and stand-ins for LiveKit Agents."""

import json
import time
import unittest
from unittest import mock

import livekit_standin as livekit
from gateway_process import (
    BOOK, BOOKED, BOOKING, DIALOGUE, FIRST, FIRST_TURN, SECOND, SYSTEM, WAIT, gateway, noted_messages,
)  # fmt: skip
from tandem_voice import VoiceError
from tandem_voice.livekit import TandemAgent, messages_of, schemas_of, timing_of


def context(messages):
    return livekit.ChatContext([livekit.ChatMessage(m["role"], m["content"]) for m in messages])


def setUpModule():
    unittest.enterModuleContext(mock.patch("tandem_voice._link.FIRST_WAIT", 0.01))


class LiveKitAgent(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.agent = TandemAgent(url=self.enterContext(gateway()), instructions=SYSTEM)
        self.addAsyncCleanup(self.agent.on_exit)
        self.audio = self.agent.session.output.audio

    def reply(self, messages):
        return livekit.Reply(self.agent, context(messages))

    async def book(self):
        """Returns a reply that calls a function, as soon as the reply has called the function."""
        self.history = context(BOOKING[:2])
        reply = livekit.Reply(self.agent, self.history, [livekit.Tool(BOOK)])
        await reply.has_called()
        return reply

    async def goes_on(self):
        """Speaks the next reply, and returns its segments."""
        reply = livekit.Reply(self.agent, self.history, [livekit.Tool(BOOK)])
        await reply.has_segments(1)
        self.audio.finish()
        await reply.task
        return [segment.strip() for segment in reply.segments]

    async def test_makes_a_segment_of_each_chunk_and_waits_until_it_is_spoken(self):
        reply = self.reply(FIRST_TURN)
        for n in range(1, 4):
            await reply.has_segments(n)
            self.assertEqual(FIRST[:n], [segment.strip() for segment in reply.segments])
            self.audio.finish()
        await reply.task
        self.assertFalse(self.audio.listeners)

    async def test_tells_at_an_interruption_what_was_heard(self):
        reply = self.reply(FIRST_TURN)
        await reply.has_segments(1)
        await reply.interrupt(self.audio, "Yes, we do")
        again = self.reply(DIALOGUE[:4])
        await again.has_segments(1)
        self.assertEqual([SECOND], [segment.strip() for segment in again.segments])
        self.audio.finish()
        await again.task

    async def test_counts_nothing_as_heard_where_the_transcript_is_not_in_step(self):
        reply = self.reply(FIRST_TURN)
        await reply.has_segments(1)
        said = self.enterContext(noted_messages())
        await reply.interrupt(self.audio, None)
        self.assertEqual([{"type": "interrupt"}], said)

    async def test_gives_livekit_a_call_while_it_speaks_and_then_says_what_came_of_it(self):
        reply = await self.book()
        (call,) = reply.calls
        self.assertEqual(("book", {"guests": 4}), (call.name, json.loads(call.arguments)))
        self.assertEqual([WAIT], [segment.strip() for segment in reply.segments])
        self.assertFalse(reply.task.done())
        self.audio.finish()
        await reply.task
        self.history.items += [
            livekit.ChatMessage("assistant", WAIT),
            livekit.FunctionCall(call.call_id, call.name, call.arguments),
            livekit.FunctionCallOutput(call.call_id, BOOKING[3]["content"]),
        ]
        self.assertEqual([BOOKED], await self.goes_on())

    async def test_goes_on_where_the_user_interrupts_a_reply_that_called(self):
        reply = await self.book()
        await reply.interrupt(self.audio, WAIT)
        self.history.items += context([DIALOGUE[3]]).items
        self.assertEqual([SECOND], await self.goes_on())

    async def test_goes_on_where_the_user_talks_while_a_function_runs(self):
        reply = await self.book()
        self.audio.finish()
        await reply.task
        self.history.items += context([DIALOGUE[3]]).items
        self.assertEqual([SECOND], await self.goes_on())

    async def test_does_not_wait_where_there_is_no_voice(self):
        self.agent.session.output.audio_enabled = False
        reply = self.reply(FIRST_TURN)
        await reply.task
        self.assertEqual(FIRST, [segment.strip() for segment in reply.segments])

    async def spoken(self, messages):
        self.agent.session.output.audio_enabled = False
        reply = self.reply(messages)
        await reply.task
        return [segment.strip() for segment in reply.segments]

    async def transcribe(self, *transcripts):
        """Passes events of the recognizer through the agent, and returns what the agent yields."""

        async def events():
            for kind, *texts in transcripts:
                data = [livekit.SpeechData("en", text) for text in texts]
                yield livekit.SpeechEvent(livekit.SpeechEventType[kind], alternatives=data)

        node = self.agent.stt_node(events(), livekit.ModelSettings())
        return [event.type.name async for event in node]

    async def test_drafts_the_reply_before_the_turn_ends(self):
        await self.spoken(FIRST_TURN)
        said = self.enterContext(noted_messages())
        kinds = await self.transcribe(
            ("START_OF_SPEECH",),
            ("INTERIM_TRANSCRIPT", "Four."),
            ("FINAL_TRANSCRIPT", "Four."),
            ("INTERIM_TRANSCRIPT", "By the"),
            ("PREFLIGHT_TRANSCRIPT", "By the window?"),
            ("FINAL_TRANSCRIPT", "By the window?"),
            ("END_OF_SPEECH",),
        )
        self.assertEqual((7, "END_OF_SPEECH"), (len(kinds), kinds[-1]))
        words = DIALOGUE[3]["content"]
        self.assertEqual(
            [
                ("hearing", "Four."), ("draft", "Four."), ("hearing", "Four. By the"), ("draft", words),
                ("draft", words),
            ],
            [(m["type"], m["text"]) for m in said],
        )  # fmt: skip
        self.assertEqual([SECOND], await self.spoken(DIALOGUE[:4]))
        commit = next(m for m in said if m["type"] == "commit")
        self.assertEqual((words, said[1]["turn"]), (commit["text"], commit["turn"]))

    async def test_tells_nothing_before_the_first_reply(self):
        said = self.enterContext(noted_messages())
        await self.transcribe(("PREFLIGHT_TRANSCRIPT", "Hello?"), ("FINAL_TRANSCRIPT", "Hello?"))
        self.assertEqual([], said)

    async def test_goes_on_where_the_connection_is_lost(self):
        reply = self.reply(FIRST_TURN)
        for n in range(1, 4):
            await reply.has_segments(n)
            if n == 2:  # after an earlier segment, the rest would come as one chunk
                await self.agent._dialogue._session._link._socket.close()
            self.audio.finish()
        await reply.task
        self.assertEqual(FIRST, [segment.strip() for segment in reply.segments])

    async def test_fails_where_the_session_is_taken_over(self):
        reply = self.reply(FIRST_TURN)
        await reply.has_segments(1)
        self.agent._dialogue._session._on_failed(VoiceError("taken_over", "by another connection"))
        with self.assertRaisesRegex(VoiceError, "taken_over"):
            await reply.task

    async def test_an_agent_without_another_llm_has_one_that_is_never_asked(self):
        with self.assertRaises(NotImplementedError):
            self.agent.llm.chat(chat_ctx=context(FIRST_TURN))

    def test_takes_the_text_of_a_history(self):
        handoff = livekit.ChatMessage("assistant", "", type="agent_handoff")
        developer = livekit.ChatMessage("developer", "Be brief.")
        history = livekit.ChatContext([developer, handoff, *context(FIRST_TURN[1:]).items])
        self.assertEqual(
            [{"role": "system", "content": "Be brief."}, FIRST_TURN[1]], messages_of(history)
        )

    def test_takes_the_calls_of_a_history_and_their_results(self):
        calls = [livekit.FunctionCall(call_id, "book", "{}") for call_id in ("a", "b")]
        results = [livekit.FunctionCallOutput(call_id, "done") for call_id in ("a", "b")]
        history = livekit.ChatContext([*context(FIRST_TURN).items, *calls, *results])
        function = {"name": "book", "arguments": "{}"}
        asked = [{"id": call_id, "type": "function", "function": function} for call_id in ("a", "b")]
        told = [{"role": "tool", "tool_call_id": call_id, "content": "done"} for call_id in ("a", "b")]
        self.assertEqual(
            [*FIRST_TURN, {"role": "assistant", "content": "", "tool_calls": asked}, *told],
            messages_of(history),
        )

    def test_offers_no_tools_where_livekit_wants_no_call(self):
        tools = [livekit.Tool(BOOK)]
        self.assertEqual([BOOK], schemas_of(tools, livekit.ModelSettings("auto")))
        self.assertEqual([], schemas_of(tools, livekit.ModelSettings("none")))

    def test_tells_when_the_user_stopped_speaking(self):
        history = context(FIRST_TURN)
        self.assertEqual({}, timing_of(history))
        history.items[-1].metrics["stopped_speaking_at"] = time.time() - 1
        self.assertGreaterEqual(timing_of(history)["user_stopped_ms_ago"], 1000)


if __name__ == "__main__":
    unittest.main()
