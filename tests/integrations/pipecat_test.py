"""Tests tandem_voice.pipecat with a gateway and stand-ins for Pipecat."""

import asyncio
import unittest

import pipecat_standin as pipecat
from gateway_process import (
    BOOK, BOOKED, BOOKING, DIALOGUE, FIRST, FIRST_TURN, RESULT, SECOND, SYSTEM, WAIT, gateway,
    noted_messages,
)  # fmt: skip
from tandem_voice.pipecat import TandemChunkFrame, TandemEar, TandemLLMService, TandemTranscripts


class Stage(pipecat.FrameProcessor):
    """Replaces the TTS and the output transport. The test decides which words are spoken."""

    def __init__(self):
        super().__init__()
        self.said, self._came, self._chunks = [], asyncio.Condition(), []

    async def process_frame(self, frame, direction):
        if isinstance(frame, TandemChunkFrame):
            async with self._came:
                self._chunks.append(frame)
                self._came.notify_all()
        elif isinstance(frame, pipecat.LLMTextFrame):
            self.said.append(frame.text)

    async def has_said(self, count):
        async with self._came:
            await self._came.wait_for(lambda: len(self.said) >= count and self._chunks)

    async def play(self, words):
        context = f"context-{len(self.said)}"
        await self.push_frame(pipecat.TTSStartedFrame(context))
        for word in words:
            await self.push_frame(pipecat.TTSTextFrame(word, "word", context))

    async def finish(self):
        await self.push_frame(self._chunks.pop(0))


class PipecatPipeline(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.url = self.enterContext(gateway())
        self.make(self.url)

    def make(self, url, **options):
        self.llm = TandemLLMService(url=url, system_instruction=SYSTEM, **options)
        self.stage = Stage()
        self.addAsyncCleanup(self.llm.cleanup)
        self.ear = self.stage.next = TandemEar(self.llm)
        self.llm.next = self.stage

    async def ask(self, messages, *tools):
        # The service adds the system prompt.
        self.context = pipecat.LLMContext(messages[1:], *tools)
        return await self.llm.queue_frame(pipecat.LLMContextFrame(self.context))

    def with_function(self):
        """Lets the model call a function, which returns what the test sets as the result of `booked`."""
        self.called, self.booked = asyncio.Event(), asyncio.Future()

        async def book(guests):
            self.guests = guests
            self.called.set()
            return await self.booked

        self.llm.functions["book"] = book

    async def interrupt(self):
        await self.llm.queue_frame(pipecat.InterruptionFrame())

    async def test_gives_the_tts_the_next_chunk_while_one_is_spoken(self):
        answer = await self.ask(FIRST_TURN)
        for n in (2, 3, 3):
            await self.stage.has_said(n)
            self.assertEqual(FIRST[:n], self.stage.said)
            await self.stage.finish()
        await answer

    async def test_keeps_nothing_of_a_chunk_that_was_only_given_to_the_tts(self):
        self.make(self.enterContext(gateway(heard_words=3)))
        await self.ask(FIRST_TURN)
        await self.stage.has_said(2)
        await self.stage.play(["Yes,", "we", "do"])
        await self.interrupt()
        await self.ask(DIALOGUE[:4])
        await self.stage.has_said(3)
        self.assertEqual([*FIRST[:2], SECOND], self.stage.said)

    async def test_makes_a_response_of_each_chunk_and_waits_until_it_is_spoken(self):
        self.make(self.url, options={"lookahead": 0})
        answer = await self.ask(FIRST_TURN)
        for n in range(1, 4):
            await self.stage.has_said(n)
            self.assertEqual(FIRST[:n], self.stage.said)
            await self.stage.finish()
        await answer
        kinds = [type(frame).__name__ for frame in self.llm.pushed]
        one = ["LLMFullResponseStartFrame", "LLMTextFrame", "LLMFullResponseEndFrame", "TandemChunkFrame"]
        self.assertEqual(one * 3, kinds)

    async def test_tells_at_an_interruption_which_words_were_heard(self):
        self.make(self.url, options={"lookahead": 0})
        await self.ask(FIRST_TURN)
        await self.stage.has_said(1)
        await self.stage.play(["Yes,", "we", "do"])
        await self.interrupt()
        await self.ask(DIALOGUE[:4])
        await self.stage.has_said(2)
        self.assertEqual([FIRST[0], SECOND], self.stage.said)

    async def test_runs_a_function_while_it_speaks_and_then_says_what_came_of_it(self):
        self.with_function()
        await self.ask(BOOKING[:2], [BOOK])
        await self.called.wait()
        self.assertEqual(4, self.guests)
        self.assertEqual([WAIT], self.stage.said)
        self.booked.set_result(RESULT)
        await self.stage.finish()
        await self.stage.has_said(2)
        self.assertEqual([WAIT, BOOKED], self.stage.said)

    async def test_answers_the_user_who_talks_while_a_function_runs(self):
        self.with_function()
        answer = await self.ask(BOOKING[:2], [BOOK])
        await self.called.wait()
        await self.stage.finish()
        await answer
        await self.interrupt()
        self.context.messages.append(DIALOGUE[3])
        await self.llm.queue_frame(pipecat.LLMContextFrame(self.context))
        await self.stage.has_said(2)
        self.assertEqual("CANCELLED", self.context.messages[-2]["content"])
        self.assertEqual([WAIT, SECOND], self.stage.said)

    async def test_does_not_count_words_of_another_voice(self):
        await self.ask(FIRST_TURN)
        await self.stage.has_said(1)
        await self.stage.play(["Yes,"])
        await self.ear.process_frame(pipecat.TTSTextFrame("tonight.", "word", "another"), None)
        self.assertEqual(len("Yes,"), self.llm.dialogue.heard)

    async def test_keeps_its_own_frame_from_the_processors_behind(self):
        answer = await self.ask(FIRST_TURN)
        for n in (1, 2, 3):
            await self.stage.has_said(n)
            await self.stage.finish()
        await answer
        self.assertFalse([f for f in self.ear.pushed if isinstance(f, TandemChunkFrame)])

    async def test_tells_when_the_user_stopped_speaking(self):
        stopped = pipecat.VADUserStoppedSpeakingFrame(stop_secs=0.2, timestamp=0)
        await self.llm.process_frame(stopped, None)
        timing = self.llm._timing()
        self.assertEqual(200, timing["vad_stop_ms"])
        self.assertGreater(timing["user_stopped_ms_ago"], 200)
        self.assertEqual({}, self.llm._timing())

    async def transcribe(self, text, event=None):
        frame = pipecat.InterimTranscriptionFrame(text, "user", "now", result={"event": event})
        await self.transcripts.process_frame(frame, None)
        return frame

    def with_transcripts(self):
        """Returns the list of messages to the gateway."""
        self.transcripts = TandemTranscripts(self.llm)
        return self.enterContext(noted_messages())

    async def speak_first_turn(self):
        answer = await self.ask(FIRST_TURN)
        for n in range(1, 4):
            await self.stage.has_said(n)
            await self.stage.finish()
        await answer

    async def test_drafts_the_reply_at_an_unsure_end_of_the_turn(self):
        said = self.with_transcripts()
        await self.speak_first_turn()
        said.clear()
        await self.transcribe("Four. By")
        last = await self.transcribe("Four. By the window?", "EagerEndOfTurn")
        self.assertIs(last, self.transcripts.pushed[-1])
        await self.ask(DIALOGUE[:4])
        await self.stage.has_said(4)
        self.assertEqual(SECOND, self.stage.said[-1])
        self.assertEqual(
            [("hearing", "Four. By"), ("draft", "Four. By the window?"), ("commit", DIALOGUE[3]["content"])],
            [(m["type"], m["text"]) for m in said],
        )
        self.assertEqual(said[1]["turn"], said[2]["turn"])

    async def test_drafts_the_reply_to_final_transcripts(self):
        said = self.with_transcripts()
        await self.speak_first_turn()
        said.clear()
        for text in ("Four.", "By the window?"):
            frame = pipecat.TranscriptionFrame(text, "user", "now")
            await self.transcripts.process_frame(frame, None)
        self.assertEqual(
            [("draft", "Four."), ("draft", "Four. By the window?")],
            [(m["type"], m["text"]) for m in said],
        )

    async def test_passes_on_the_events_of_a_recognizer(self):
        said = self.with_transcripts()
        await self.speak_first_turn()
        said.clear()
        await self.transcripts.on_words(None, "Four.")
        await self.transcripts.on_eager_end(None, "Four.")
        await self.transcripts.on_resumed(None)
        await self.transcripts.on_resumed(None)
        self.assertEqual(["hearing", "draft", "drop"], [m["type"] for m in said])

    async def test_pushes_an_error_where_there_is_no_gateway(self):
        self.make("http://127.0.0.1:1")
        await (await self.ask(FIRST_TURN))
        self.assertRegex(self.llm.errors[0], "tandem: .*127.0.0.1")

    async def test_goes_on_where_the_connection_is_lost(self):
        answer = await self.ask(FIRST_TURN)
        await self.stage.has_said(2)
        await self.llm.dialogue._session._link._socket.close()
        for n in (2, 3, 3):
            await self.stage.has_said(n)
            await self.stage.finish()
        await answer
        self.assertEqual((FIRST, []), (self.stage.said, self.llm.errors))


if __name__ == "__main__":
    unittest.main()
