"""Tests that the sessions of tandem_voice lose and repeat nothing when the connection is lost."""

import asyncio
import unittest
from unittest import mock

from gateway_process import (
    BOOKED, BOOKING, DIALOGUE, FIRST, RESULT, SECOND, SYSTEM, WAIT, gateway,
)  # fmt: skip
from session_case import ASKED, THEN, SessionTest, booking, port_of, spoken
from tandem_voice import VoiceError, connect
from wire import Wire

BOOK_IT = BOOKING[1]["content"]
GOOD = {"role": "assistant", "content": "Good."}


class SessionsOnALostConnectionBase(SessionTest):
    async def asyncSetUp(self):
        self.enterContext(mock.patch("tandem_voice._link.FIRST_WAIT", 0.01))
        self.wire = await self.enterAsyncContext(Wire(port_of(self.enterContext(gateway()))))

    async def connected(self, **settings):
        return await self.enterAsyncContext(connect(self.wire.url, system=SYSTEM, **settings))

    async def cut_and_notice(self, session):
        self.wire.cut()
        while not session._is_lost:
            await asyncio.sleep(0)

    async def answer_to(self, *messages):
        """The answer to THEN after these messages; the model answers differently to each history."""
        async with connect(self.wire.url, system=SYSTEM, messages=messages) as session:
            return await spoken(session.ask(THEN))


class SessionsOnALostConnection(SessionsOnALostConnectionBase):
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


class SessionsOnARestartedGatewayBase(SessionsOnALostConnectionBase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.other = self.enterContext(gateway())

    def restart(self):
        self.wire.lead_to(port_of(self.other))


class SessionsOnARestartedGateway(SessionsOnARestartedGatewayBase):
    async def reply_at_its_second_chunk(self, session):
        reply = session.ask(ASKED)
        await anext(reply)
        return reply, await anext(reply)

    async def test_give_it_the_history(self):
        session = await self.connected()
        await spoken(session.ask(ASKED))
        self.restart()
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_give_it_what_was_heard_of_an_interrupted_reply(self):
        session = await self.connected()
        reply, second = await self.reply_at_its_second_chunk(session)
        session.interrupt(second, words=2)
        await spoken(reply)
        self.restart()
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_give_it_whole_words_and_the_resumed_reply(self):
        session = await self.connected()
        reply, second = await self.reply_at_its_second_chunk(session)
        session.interrupt(second, chars=len(second.speech) - 2)
        await spoken(reply)
        await spoken(session.resume())
        self.restart()
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_give_it_what_was_reported_as_heard_before_the_next_words(self):
        session = await self.connected()
        reply, second = await self.reply_at_its_second_chunk(session)
        session.heard(second, words=2)
        self.restart()
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_tell_it_once_of_a_question_before_another_one(self):
        for is_opening in (False, True):
            with self.subTest(is_opening=is_opening):
                self.wire.lead_to(port_of(self.enterContext(gateway())))
                session = await self.connected()
                self.wire.delay_answers()
                left = None if is_opening else session.ask(ASKED)
                session._link._session = None  # so that the first message contains the history
                self.restart()
                await self.wire.asked.wait()
                left = left or session.ask(ASKED)
                answer = session.ask(THEN)
                self.wire.let_answers()
                self.assertEqual([], await spoken(left))
                self.assertEqual(await self.answer_to(DIALOGUE[1]), await spoken(answer))

    async def test_ask_it_what_the_other_did_not_get(self):
        session = await self.connected()
        self.wire.lose("up")
        reply = session.ask(ASKED)
        await self.wire.lost.wait()
        self.restart()
        self.assertEqual(FIRST, await spoken(reply))

    async def test_let_it_answer_nobody_to_the_words_that_end_the_history(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        await anext(reply)
        session.interrupt()
        await spoken(reply)
        self.restart()
        self.assertEqual(["Good."], await spoken(session.say("Good.")))

    async def test_give_it_the_sentence_that_is_spoken(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        for _ in FIRST:
            last = await anext(reply)
        self.restart()
        with self.assertRaisesRegex(VoiceError, "session_not_found"):
            await reply.next_item()
        answer = session.ask(THEN)
        last.spoken()
        self.assertEqual([SECOND], await spoken(answer))

    async def test_fail_a_reply_that_had_begun(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        await anext(reply)
        self.restart()
        with self.assertRaisesRegex(VoiceError, "session_not_found"):
            await spoken(reply)


class SessionsWithFunctionsOnARestartedGateway(SessionsOnARestartedGatewayBase):
    async def booking(self, before=lambda: None, **fields):
        """A session whose function first calls `before`."""

        async def book(guests):
            self.calls += 1
            if waiting := before():
                await waiting
            return RESULT

        self.calls = 0
        return await self.connected(tools=booking(book, **fields))

    async def check_next_answer(self, session):
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))
        self.assertEqual(1, self.calls)

    async def check_answer_after_a_lost_reply(self, session):
        with self.assertRaisesRegex(VoiceError, "session_not_found"):
            await spoken(session.ask(BOOK_IT))
        await self.check_next_answer(session)

    async def test_tell_it_of_a_call_and_its_result_and_the_words_around_them(self):
        session = await self.booking()
        self.assertEqual([WAIT, BOOKED], await spoken(session.ask(BOOK_IT)))
        self.restart()
        await self.check_next_answer(session)

    async def test_tell_it_what_was_heard_of_the_reply_to_a_result(self):
        session = await self.booking()
        async for chunk in session.ask(BOOK_IT):
            if chunk.speech == BOOKED:
                session.interrupt(chunk, words=2)
        self.restart()
        await self.check_next_answer(session)

    async def test_tell_it_a_result_that_has_no_reply(self):
        for later in (False, True):
            with self.subTest(later=later):
                self.wire.lead_to(port_of(self.enterContext(gateway())))
                await self.check_answer_after_a_lost_reply(await self.booking(self.restart, later=later))

    async def test_tell_it_the_result_of_a_call_that_was_interrupted(self):
        called, done = asyncio.Event(), asyncio.Event()

        def wait():
            called.set()
            return done.wait()

        session = await self.booking(wait)
        reply = session.ask(BOOK_IT)
        (await anext(reply)).spoken()
        await called.wait()
        session.interrupt()
        await spoken(reply)
        done.set()
        self.restart()
        await self.check_next_answer(session)

    async def test_tell_it_that_a_function_still_runs(self):
        def wait():
            self.restart()
            return asyncio.Event().wait()

        await self.check_answer_after_a_lost_reply(await self.booking(wait))


if __name__ == "__main__":
    unittest.main()
