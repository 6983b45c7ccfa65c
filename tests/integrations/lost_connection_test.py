"""Tests that the sessions of tandem_voice lose and repeat nothing when the connection is lost."""

import asyncio
import unittest
from unittest import mock

from gateway_process import BOOKING, DIALOGUE, FIRST, RESULT, SECOND, SYSTEM, WAIT, gateway, key_file
from session_case import ASKED, THEN, LostConnectionTest, booking, port_of, spoken
from tandem_voice import VoiceError, connect
from wire import Wire

GOOD = {"role": "assistant", "content": "Good."}


def user(content):
    return {"role": "user", "content": content}


class SessionsOnALostConnection(LostConnectionTest):
    async def test_keep_what_was_heard_before_an_interrupt_without_a_connection(self):
        for is_noticed in (False, True):
            with self.subTest(is_noticed=is_noticed), gateway(heard_words=3) as url:
                async with Wire(port_of(url)) as wire, connect(wire.url, system=SYSTEM) as session:
                    reply = session.ask(ASKED)
                    chunk = await anext(reply)
                    wire.cut()
                    while is_noticed and not session._is_lost:
                        await asyncio.sleep(0)
                    session.interrupt(chunk, words=3)
                    self.assertEqual([], await spoken(reply))
                    self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_go_on_where_the_reply_was(self):
        session = await self.connected()
        said = []
        async for chunk in session.ask(ASKED):
            said.append(chunk.speech)
            self.wire.cut()
        self.assertEqual(" ".join(FIRST), " ".join(said))
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_ask_again_if_the_question_did_not_arrive(self):
        session = await self.connected()
        self.wire.lose("up")
        reply = session.ask(ASKED)
        await self.wire.lost.wait()
        self.wire.cut()
        self.assertEqual(FIRST, await spoken(reply))

    async def test_ask_only_once_if_the_answer_did_not_arrive(self):
        session = await self.connected()
        self.wire.lose("down")
        reply = session.ask(ASKED)
        await self.wire.lost.wait()
        self.wire.cut()
        self.assertEqual(FIRST, await spoken(reply))
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_repeat_nothing_of_which_only_the_continue_was_lost(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        said = [(await anext(reply)).speech]
        self.wire.lose("up")
        left = asyncio.create_task(spoken(reply))
        await self.wire.lost.wait()
        self.wire.cut()
        self.assertEqual(" ".join(FIRST), " ".join(said + await left))

    async def test_end_a_reply_of_which_only_the_end_was_lost(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        said = [(await anext(reply)).speech for _ in FIRST]
        self.wire.lose("down")
        left = asyncio.create_task(spoken(reply))
        await self.wire.lost.wait()
        self.wire.cut()
        self.assertEqual((FIRST, []), (said, await left))
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_go_on_in_the_chunk_whose_beginning_was_heard(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        first = await anext(reply)
        self.wire.lose("down")
        session.heard(first, words=4)
        session._send({"type": "result", "call": "unknown", "content": ""})  # the gateway answers it
        await self.wire.lost.wait()
        self.wire.cut()
        self.assertEqual(" ".join(FIRST[1:]), " ".join(await spoken(reply)))

    async def test_count_a_chunk_that_the_voice_ends_before_the_gateway_answers(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        for _ in FIRST:
            await anext(reply)
        self.wire.delay_answers()
        self.wire.cut()
        await self.wire.asked.wait()
        left = asyncio.create_task(spoken(reply))
        await asyncio.sleep(0)
        self.wire.let_answers()
        self.assertEqual([], await left)
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_keep_what_was_heard_before_an_interrupt_before_the_gateway_answers(self):
        with gateway(heard_words=3) as url:
            async with Wire(port_of(url)) as wire, connect(wire.url, system=SYSTEM) as session:
                reply = session.ask(ASKED)
                chunk = await anext(reply)
                wire.delay_answers()
                wire.cut()
                await wire.asked.wait()
                session.interrupt(chunk, words=3)
                wire.let_answers()
                self.assertEqual([], await spoken(reply))
                self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_keep_what_was_heard_of_an_earlier_chunk_before_the_gateway_answers(self):
        with gateway(heard_words=3) as url:
            async with (
                Wire(port_of(url)) as wire,
                connect(wire.url, system=SYSTEM, options={"lookahead": 2}) as session,
            ):
                reply = session.ask(ASKED)
                chunks = [await anext(reply), await anext(reply)]
                wire.delay_answers()
                wire.cut()
                await wire.asked.wait()
                session.interrupt(chunks[0], words=3)
                wire.let_answers()
                async with asyncio.timeout(10):
                    self.assertEqual(SECOND, (await anext(session.ask(THEN))).speech)

    async def test_say_nothing_of_a_reply_that_was_interrupted_meanwhile(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        await anext(reply)
        self.wire.lose("up")
        session.interrupt()
        again = session.ask(THEN)
        await self.wire.lost.wait()
        self.wire.cut()
        self.assertEqual(([], []), (await spoken(reply), [s for s in await spoken(again) if s in FIRST]))

    async def test_ask_what_was_asked_meanwhile(self):
        session = await self.connected()
        await spoken(session.ask(ASKED))
        self.wire.cut()
        await asyncio.sleep(0)
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_keep_a_question_before_another_one_without_a_connection(self):
        for is_interrupted in (False, True):
            with self.subTest(is_interrupted=is_interrupted):
                session = await self.connected()
                await self.cut_and_notice(session)
                left = session.ask(ASKED)
                if is_interrupted:
                    session.interrupt()
                said = await spoken(session.ask(THEN))
                self.assertEqual([], await spoken(left))
                self.assertEqual(await self.answer_to(DIALOGUE[1]), said)

    async def test_keep_all_questions_asked_without_a_connection_beyond_the_limits_of_the_key(self):
        key, file = self.enterContext(key_file(requests_per_minute=5))
        url = self.enterContext(gateway("--keys", file))
        plain, self.wire = self.wire, await self.enterAsyncContext(Wire(port_of(url)))
        session = await self.connected(key=key)
        await self.cut_and_notice(session)
        asked = [f"Is {number} the answer?" for number in range(12)]
        left = [session.ask(text) for text in asked]
        said = await spoken(session.ask(THEN))
        self.assertEqual([[]] * len(asked), [await spoken(reply) for reply in left])
        self.wire = plain
        self.assertEqual(await self.answer_to(*map(user, asked)), said)

    async def test_keep_an_interrupted_question_that_did_not_arrive(self):
        for is_noticed in (False, True):
            with self.subTest(is_noticed=is_noticed):
                session = await self.connected()
                self.wire.lose("up")
                left = session.ask(ASKED)
                await self.wire.lost.wait()
                if is_noticed:
                    await self.cut_and_notice(session)
                session.interrupt()
                self.wire.cut()
                self.assertEqual([], await spoken(left))
                self.assertEqual(await self.answer_to(DIALOGUE[1]), await spoken(session.ask(THEN)))

    async def test_keep_a_question_that_did_not_arrive_before_another_one(self):
        session = await self.connected()
        self.wire.lose("up")
        left, answer = session.ask(ASKED), session.ask(THEN)
        await self.wire.lost.wait()
        self.wire.cut()
        self.assertEqual([], await spoken(left))
        self.assertEqual(await self.answer_to(DIALOGUE[1]), await spoken(answer))

    async def test_keep_an_interrupted_question_once_that_arrived(self):
        session = await self.connected()
        self.wire.lose("down")
        left = session.ask(ASKED)
        await self.wire.lost.wait()
        await self.cut_and_notice(session)
        session.interrupt()
        self.assertEqual([], await spoken(left))
        self.assertEqual(await self.answer_to(DIALOGUE[1]), await spoken(session.ask(THEN)))

    async def test_answer_nobody_to_a_question_that_was_interrupted_without_a_connection(self):
        session = await self.connected()
        await self.cut_and_notice(session)
        session.ask(ASKED)
        session.interrupt()
        self.assertEqual(["Good."], await spoken(session.say("Good.")))
        self.assertEqual(await self.answer_to(DIALOGUE[1], GOOD), await spoken(session.ask(THEN)))

    async def test_do_not_speak_a_text_that_was_interrupted_without_a_connection(self):
        session = await self.connected()
        await spoken(session.ask(ASKED))
        await self.cut_and_notice(session)
        session.say("Good.")
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_speak_early_chunks_once(self):
        session = await self.connected(options={"lookahead": 2})
        reply = session.ask(ASKED)
        chunks = [await anext(reply), await anext(reply)]
        self.wire.cut()
        chunks[0].spoken()
        while len(chunks) < 3:
            chunks.append(await anext(reply))
        chunks[2].spoken()
        self.assertEqual([], await spoken(reply))
        self.assertEqual(FIRST, [chunk.speech for chunk in chunks])

    async def test_call_a_function_and_speak_to_its_result(self):
        calls = []

        async def book(guests):
            calls.append(guests)
            if len(calls) == 1:
                self.wire.cut()
            return RESULT

        session = await self.connected(tools=booking(book))
        said = await spoken(session.ask(BOOKING[1]["content"]))
        self.assertEqual(WAIT, said[0])
        self.assertEqual(1, said.count(WAIT))

    async def test_end_with_an_error_after_some_tries(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        await anext(reply)
        with mock.patch("tandem_voice._link.TRIES", 3):
            self.wire.refuse()
            with self.assertRaisesRegex(VoiceError, "connection_lost: 3 tries .*ws://127.0.0.1"):
                await spoken(reply)
        with self.assertRaisesRegex(VoiceError, "connection_lost"):
            session.ask(THEN)

    async def test_leave_a_session_that_another_connection_took(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        await anext(reply)
        other = connect(self.wire.url)
        other._link._session = session._link._session
        await self.enterAsyncContext(other)
        with self.assertRaisesRegex(VoiceError, "taken_over"):
            await spoken(reply)

    async def test_lose_nothing_and_repeat_nothing_wherever_the_connection_is_lost(self):
        for place in range(len(FIRST) + 1):
            for direction in ("up", "down", None):
                with self.subTest(place=place, lost=direction):
                    async with connect(self.wire.url, system=SYSTEM) as session:
                        reply = session.ask(ASKED)
                        said = [(await anext(reply)).speech for _ in range(place)]
                        self.wire.lose(direction)
                        left = asyncio.create_task(spoken(reply))
                        if direction:
                            await self.wire.lost.wait()
                        self.wire.cut()
                        self.assertEqual(" ".join(FIRST), " ".join(said + await left))
                        self.assertEqual([SECOND], await spoken(session.ask(THEN)))


if __name__ == "__main__":
    unittest.main()
