"""Tests what the sessions of tandem_voice tell a gateway that does not know them."""

import asyncio
import json
import unittest

from gateway_process import (
    BOOKED, BOOKING, DIALOGUE, FIRST, NO_RESULT, RESULT, SECOND, WAIT, gateway, noted_messages,
)  # fmt: skip
from session_case import ASKED, THEN, LostConnectionTest, booking, port_of, spoken
from tandem_voice import VoiceError

BOOK_IT = BOOKING[1]["content"]
LATE = {"role": "user", "content": f'Result of book {{"guests": 4}}: {json.dumps(RESULT)}'}


class RestartedGatewayTest(LostConnectionTest):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.other = self.enterContext(gateway())

    def restart(self):
        self.wire.lead_to(port_of(self.other))


class SessionsOnARestartedGateway(RestartedGatewayTest):
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


class SessionsWithFunctionsOnARestartedGateway(RestartedGatewayTest):
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

    async def test_tell_it_the_result_of_a_function_that_ends_later(self):
        call = {"id": "1", "name": "book", "arguments": {"guests": 4}}
        no_result = {"role": "tool", "tool_call_id": "1", "name": "book", "content": NO_RESULT}
        told = [BOOKING[1], {"role": "assistant", "content": WAIT, "tool_calls": [call]}, no_result, LATE]
        for is_refused in (False, True):
            with self.subTest(is_refused=is_refused), noted_messages() as messages:
                self.wire.lead_to(port_of(self.enterContext(gateway())))
                session, done = await self.booking_at_a_restart()
                with self.assertRaisesRegex(VoiceError, "session_not_found"):
                    await spoken(session.ask(BOOK_IT))
                done.set()
                await asyncio.sleep(0.01)
                if is_refused:
                    with self.assertRaisesRegex(VoiceError, "temperature"):
                        await spoken(session.ask(ASKED, options={"temperature": "hot"}))
                said = await spoken(session.ask(THEN))
                self.assertEqual(await self.answer_to(*told, tools=booking(None)), said)
                self.assertNotIn("result", [message["type"] for message in messages])

    async def booking_at_a_restart(self):
        """A session whose function restarts the gateway, and ends when the event is set."""
        done = asyncio.Event()

        def wait():
            self.restart()
            return done.wait()

        return await self.booking(wait), done


if __name__ == "__main__":
    unittest.main()
