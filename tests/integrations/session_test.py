"""Tests the sessions of tandem_voice with a gateway."""

import asyncio
import json
import math
import unittest
from unittest import mock

import websockets

from gateway_process import (
    BOOKED, BOOKING, DIALOGUE, FIRST, RESULT, SECOND, SYSTEM, TWICE, WAIT, gateway, key_file, noted_messages,
)  # fmt: skip
from session_case import ASKED, THEN, SessionTest, booking, spoken
from tandem_voice import VoiceError, connect
from tandem_voice._tool import TOO_LARGE


class Sessions(SessionTest):
    async def test_speak_a_reply_chunk_by_chunk_and_tell_its_end(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        self.assertEqual(FIRST, await spoken(reply))
        self.assertEqual("eos", reply.end["finish_reason"])
        self.assertGreater(reply.end["usage"]["generated"], 0)

    async def test_go_on_with_the_next_turn(self):
        session = await self.connected()
        await spoken(session.ask(ASKED))
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_begin_with_a_history(self):
        session = await self.connected(messages=DIALOGUE[1:3])
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_begin_with_a_history_whose_last_words_nobody_answers(self):
        session = await self.connected(messages=DIALOGUE[1:2])
        self.assertEqual(["Good."], await spoken(session.say("Good.")))

    async def test_keep_what_was_heard_of_an_interrupted_reply(self):
        for heard in ({"chars": 10}, {"chars": 10.4}, {"words": 3}, {"said": "Yes, we do"}, {"share": 0.26}):
            with self.subTest(heard), gateway(heard_words=3) as url:
                async with connect(url, system=SYSTEM) as session:
                    reply = session.ask(ASKED)
                    async for chunk in reply:
                        session.interrupt(chunk, **heard)
                    self.assertEqual("interrupted", reply.end["finish_reason"])
                    self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_refuse_a_report_of_two_places_and_go_on(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        chunk = await anext(reply)
        for heard in ({"chars": 10, "words": 3}, {"characters": 10}):
            with self.subTest(heard), self.assertRaisesRegex(ValueError, "one of chars=.* not cha"):
                session.interrupt(chunk, **heard)
        self.assertEqual(FIRST[1:], await spoken(reply))

    async def test_refuse_a_report_without_a_finite_number(self):
        session = await self.connected()
        chunk = await anext(session.ask(ASKED))
        for heard in ({"share": math.nan}, {"share": math.inf}, {"words": -math.inf}):
            with self.subTest(heard), self.assertRaisesRegex(ValueError, "(nan|inf) is no place"):
                session.heard(chunk, **heard)

    async def test_tell_the_log_why_there_is_no_draft(self):
        session = await self.connected()
        with self.assertLogs("tandem_voice", "INFO") as log:
            session.draft(ASKED, options={"grammar": 'root ::= "Yes"'})
            await spoken(session.ask(ASKED))
        self.assertIn("no draft of turn 1: ", log.output[0])

    async def test_keep_what_was_reported_as_heard_before_the_next_words(self):
        url = self.enterContext(gateway(heard_words=3))
        session = await self.enterAsyncContext(connect(url, system=SYSTEM))
        chunk = await anext(session.ask(ASKED))
        session.speaking(chunk, 2000)
        session.heard(chunk, words=3)
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_go_on_after_a_false_alarm(self):
        session = await self.connected()
        async for chunk in session.ask(ASKED):
            session.interrupt(chunk, share=1.001)
        self.assertEqual(" ".join(FIRST[1:]), " ".join(await spoken(session.resume())))
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_end_the_loop_over_a_reply_when_it_is_interrupted(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        chunks = []
        async for chunk in reply:
            chunks.append(chunk)
            session.interrupt()
            chunk.spoken()
        self.assertEqual((1, "interrupted"), (len(chunks), reply.end["finish_reason"]))

    async def test_speak_a_text_of_the_bot(self):
        session = await self.connected()
        self.assertEqual(["Good evening!"], await spoken(session.say("Good evening!")))

    async def test_take_chunks_early_and_continue_them_when_they_were_spoken(self):
        session = await self.connected(options={"lookahead": 1})
        reply = session.ask(ASKED)
        first, second = await anext(reply), await anext(reply)
        self.assertEqual((False, True), (first.early, second.early))
        first.spoken()
        third = await anext(reply)
        third.spoken()
        self.assertEqual([], await spoken(reply))
        self.assertEqual(FIRST, [chunk.speech for chunk in (first, second, third)])

    async def test_commit_a_draft(self):
        url = self.enterContext(gateway())
        for seconds in (0.01, 0.1, 1, 5):  # a draft takes time
            async with connect(url, system=SYSTEM) as session:
                await spoken(session.ask(ASKED))
                session.hearing("Four. By the", stable=9)
                session.draft(THEN)
                await asyncio.sleep(seconds)
                reply = session.commit(THEN)
                self.assertEqual([SECOND], await spoken(reply))
            if reply.end["usage"]["drafted"]:
                return
        self.fail("no draft was used")

    async def test_drop_a_draft(self):
        session = await self.connected()
        await spoken(session.ask(ASKED))
        session.draft(THEN)
        session.drop()
        reply = session.ask(THEN)
        self.assertEqual([SECOND], await spoken(reply))
        self.assertEqual(0, reply.end["usage"]["drafted"])


def endless(called):
    """A function that never ends."""

    async def book(**_):
        called.set()
        await asyncio.Event().wait()

    return book


class SessionsWithFunctions(SessionTest):
    async def test_speak_the_reply_to_the_result_in_the_same_loop(self):
        async def book(guests):
            self.assertEqual(4, guests)
            return RESULT

        session = await self.connected(tools=booking(book))
        with self.subTest("text is given as it is, anything else as JSON"):
            self.assertEqual([WAIT, BOOKED], await spoken(session.ask(BOOKING[1]["content"])))

    async def test_tell_the_model_that_a_function_failed(self):
        called = asyncio.Event()

        async def book(**_):
            called.set()
            raise OSError("no line to the kitchen")

        session = await self.connected(tools=booking(book))
        with self.assertLogs("tandem_voice", "ERROR"):
            await spoken(session.ask(BOOKING[1]["content"]))
        self.assertTrue(called.is_set())

    async def test_answer_the_user_who_talks_while_a_function_runs(self):
        called = asyncio.Event()
        session = await self.connected(tools=booking(endless(called)))
        chunk = await anext(session.ask(BOOKING[1]["content"]))
        await called.wait()
        chunk.spoken()
        self.assertEqual([SECOND], await spoken(session.ask(THEN)))

    async def test_end_the_loop_over_a_reply_that_is_interrupted_while_a_function_runs(self):
        called = asyncio.Event()
        session = await self.connected(tools=booking(endless(called)))
        said = asyncio.create_task(spoken(session.ask(BOOKING[1]["content"])))
        await called.wait()
        session.interrupt()
        async with asyncio.timeout(10):
            self.assertIn(await said, ([], [WAIT]))
        self.assertEqual(["Hello!"], await spoken(session.say("Hello!")))

    async def test_end_the_loop_over_a_reply_that_is_interrupted_before_it_has_all_results(self):
        done = asyncio.Event()

        async def book(**_):
            await done.wait()
            return RESULT

        session = await self.connected(tools=booking(book))
        said = asyncio.create_task(spoken(session.ask(BOOKING[1]["content"])))
        await anext(session.say("One moment, please.", history=False))
        done.set()
        await asyncio.sleep(0.05)  # the result arrives during these words
        session.interrupt()
        async with asyncio.timeout(10):
            self.assertEqual([WAIT], await said)
        self.assertEqual(["Hello!"], await spoken(session.say("Hello!")))

    async def test_speak_the_rest_before_a_call_after_a_false_alarm(self):
        called, done = asyncio.Event(), asyncio.Event()

        async def book(**_):
            called.set()
            await done.wait()
            return RESULT

        session = await self.connected(tools=booking(book))
        chunk = await anext(session.ask(BOOKING[1]["content"]))
        await called.wait()
        session.interrupt(chunk, words=1)
        reply = session.resume()
        self.assertEqual("moment.", (await anext(reply)).speech)
        done.set()
        await asyncio.sleep(0.05)  # the result arrives during these words
        self.assertEqual([BOOKED], await spoken(reply))

    async def test_reply_before_a_function_ends_whose_result_comes_later(self):
        done = asyncio.Event()

        async def book(**_):
            await done.wait()
            return RESULT

        with noted_messages() as messages:
            session = await self.connected(tools=booking(book, later=True))
            said = await spoken(session.ask(BOOKING[1]["content"]))
            self.assertEqual(WAIT, said[0])
            self.assertGreater(len(said), 1)
            done.set()
            await asyncio.sleep(0)
            await spoken(session.say("Good."))
            results = [m for m in messages if m["type"] == "result"]
        self.assertEqual([True, json.dumps(RESULT)], [r.get("later") or r["content"] for r in results])

    async def test_tell_the_model_that_a_result_is_too_large(self):
        results = []

        async def book(**_):
            return "x" * 300_000

        with noted_messages() as messages:
            session = await self.connected(tools=booking(book))
            await spoken(session.ask(BOOKING[1]["content"]))
            results = [m["content"] for m in messages if m["type"] == "result"]
        self.assertEqual([TOO_LARGE], results)

    async def test_tell_the_model_that_results_are_too_large_together(self):
        async def book(**_):
            return "x" * 150_000

        with noted_messages() as messages:
            session = await self.connected(tools=booking(book))
            with self.assertRaisesRegex(VoiceError, "context_length_exceeded"):  # by the first one
                await spoken(session.ask(TWICE))
            results = [m["content"] for m in messages if m["type"] == "result"]
        self.assertEqual(3, len(results))
        self.assertEqual(TOO_LARGE, results[-1])


async def say_yes(socket, question):
    """Sends the only chunk of a reply, and returns the ids of reply and turn."""
    reply = {"reply": "1", "turn": question["turn"]}
    chunk = {"id": "1-0", "seq": 0, "text": "Yes.", "speech": "Yes.", "boundary": "sentence"}
    await socket.send(json.dumps({"type": "chunk", **reply, **chunk}))
    return reply


async def say_all(socket, question):
    """Sends a reply, and its end once the chunk was spoken."""
    reply = await say_yes(socket, question)
    await socket.recv()
    await socket.send(json.dumps({"type": "end", **reply, "finish_reason": "eos", "text": "Yes."}))
    await socket.wait_closed()


class SessionErrors(SessionTest):
    async def test_tell_of_a_wrong_key(self):
        key, file = self.enterContext(key_file())
        url = self.enterContext(gateway("--keys", file))
        async with connect(url, key=key, system=SYSTEM) as session:
            self.assertEqual(FIRST, await spoken(session.ask(ASKED)))
        for wrong, why in ((None, "requires an API key: pass it as key"), ("wrong", "refuses the")):
            with self.subTest(wrong), self.assertRaises(VoiceError) as refused:
                await self.enterAsyncContext(connect(url, key=wrong))
            self.assertEqual("invalid_api_key", refused.exception.code)
            self.assertIn(why, refused.exception.message)

    async def test_tell_where_there_is_no_gateway(self):
        with self.assertRaisesRegex(VoiceError, "connect_failed: ws://127.0.0.1:1/"):
            await self.enterAsyncContext(connect("http://127.0.0.1:1"))

    async def test_tell_of_a_wrong_url(self):
        with self.assertRaisesRegex(VoiceError, "127.0.0.1:1 is no URL of a gateway; pass one such as"):
            await self.enterAsyncContext(connect("127.0.0.1:1"))

    async def test_tell_what_is_wrong_with_an_option(self):
        with self.assertRaisesRegex(VoiceError, "invalid_value: .*temperature"):
            await self.connected(options={"temperature": "hot"})
        session = await self.connected(options={"lora": [{"id": "polite"}]})
        with self.assertRaisesRegex(VoiceError, "adapter_not_found"):
            await spoken(session.ask(ASKED))

    async def connected_to(self, play):
        """`play` acts as the gateway after the question. It gets the socket, its number and the question."""
        openings = []

        async def welcome(socket):
            openings.append(json.loads(await socket.recv()))
            limits = {"continue_timeout_ms": 30000}
            ready = {"type": "ready", "session": "1", "resumed": "session" in openings[-1], "limits": limits}
            await socket.send(json.dumps(ready))
            await play(socket, len(openings), json.loads(await socket.recv()))

        server = websockets.serve(welcome, "127.0.0.1", 0, subprotocols=["tandem.voice.v1"])
        listening = await self.enterAsyncContext(server)
        port = list(listening.sockets)[0].getsockname()[1]
        session = connect(f"http://127.0.0.1:{port}", system=SYSTEM)
        return await self.enterAsyncContext(session), openings

    async def test_go_on_after_the_rest_before_calls_without_calls_to_run(self):
        async def say_twice(socket, number, question):
            rest = await say_yes(socket, question)
            await socket.recv()
            await socket.send(json.dumps({"type": "end", **rest, "finish_reason": "tool_calls", "text": "Yes."}))
            await say_all(socket, question)

        session, _ = await self.connected_to(say_twice)
        reply, said = session.ask(ASKED), []
        while (item := await reply.next_item()) is not None:
            said.append(item.speech)
            item.spoken()
        self.assertEqual(["Yes.", "Yes."], said)

    async def test_fail_a_reply_that_ends_the_session_by_an_internal_error(self):
        async def break_down(socket, number, question):
            await socket.close(1011)

        self.enterContext(mock.patch("tandem_voice._link.FIRST_WAIT", 0.01))
        session, openings = await self.connected_to(break_down)
        for _ in range(2):
            with self.assertRaisesRegex(VoiceError, "internal_error"):
                await spoken(session.ask(ASKED))
        told = [[message["content"] for message in o["messages"]] for o in openings[:2]]
        self.assertEqual([[SYSTEM], [SYSTEM, ASKED]], told)

    async def test_go_on_if_the_reply_to_the_history_fails(self):
        async def fail_first(socket, number, question):
            error = {"code": "connect_failed", "message": "No server.", "retryable": True}
            await socket.send(json.dumps({"type": "error", "reply": "1", "turn": "0", "text": "", **error}))
            await say_all(socket, question)

        session, _ = await self.connected_to(fail_first)
        with self.assertLogs("tandem_voice", "WARNING"):
            self.assertEqual(["Yes."], await spoken(session.ask(ASKED)))

    async def test_do_not_wait_for_a_gateway_that_continues_the_session(self):
        async def move_away(socket, number, question):
            if number == 1:
                return await socket.close(4012)
            await say_all(socket, question)

        self.enterContext(mock.patch("tandem_voice._link.FIRST_WAIT", 1000))
        session, _ = await self.connected_to(move_away)
        self.assertEqual(["Yes."], await spoken(session.ask(ASKED)))

    async def test_keep_what_was_asked_and_heard_before_a_refused_result(self):
        async def refuse_the_result(socket, number, question):
            if number > 1:
                return await socket.close(1011)
            await say_yes(socket, question)
            await socket.recv()
            error = {"code": "rate_limit_exceeded", "message": "Wait.", "retryable": True}
            await socket.send(json.dumps({"type": "error", "reply": "2", "turn": question["turn"], **error}))
            await socket.recv()
            await socket.close(1011)

        self.enterContext(mock.patch("tandem_voice._link.FIRST_WAIT", 0.01))
        session, openings = await self.connected_to(refuse_the_result)
        for code in ("rate_limit_exceeded", "internal_error", "internal_error"):
            with self.assertRaisesRegex(VoiceError, code):
                await spoken(session.ask(ASKED))
        told = [message["content"] for message in openings[1]["messages"]]
        self.assertEqual([SYSTEM, ASKED, "Yes."], told[:3])

    async def test_do_not_interrupt_the_question_after_a_refused_one(self):
        received = []

        async def refuse_the_second(socket, number, question):
            await say_yes(socket, question)
            async for text in socket:
                received.append(json.loads(text))
                if received[-1].get("turn") == "3":
                    error = {"code": "content_policy", "message": "No.", "retryable": False}
                    await socket.send(json.dumps({"type": "error", "reply": "2", "turn": "2", **error}))
                    for turn in ("1", "3"):
                        end = {"finish_reason": "eos", "text": ""}
                        await socket.send(json.dumps({"type": "end", "reply": turn, "turn": turn, **end}))

        session, _ = await self.connected_to(refuse_the_second)
        await anext(session.ask(ASKED))
        refused, asked = session.ask(ASKED), session.ask(ASKED)
        self.assertEqual([[], []], [await spoken(refused), await spoken(asked)])
        await session.close()
        self.assertNotIn("interrupt", [message["type"] for message in received])

    async def test_go_on_after_too_many_messages(self):
        self.enterContext(mock.patch("tandem_voice._link.FIRST_WAIT", 0.01))
        session = await self.connected()
        with self.assertLogs("tandem_voice", "WARNING") as logged:
            reply = session.ask(ASKED)
            for _ in range(150):
                session.hearing("And")
            self.assertEqual(" ".join(FIRST), " ".join(await spoken(reply)))
        self.assertIn("too_many_messages", logged.output[0])

    async def test_refuse_a_message_that_is_too_large(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        await anext(reply)
        with self.assertRaisesRegex(VoiceError, "message_too_large"):
            session.ask("x" * 300_000)
        self.assertEqual(FIRST[1:], await spoken(reply))

    async def test_replace_what_is_no_text(self):
        session = await self.connected()
        self.assertEqual(["a?b"], await spoken(session.say("a\ud800b")))

    async def test_fail_a_reply_alone(self):
        session = await self.connected()
        with self.assertRaisesRegex(VoiceError, "temperature"):
            await spoken(session.ask(ASKED, options={"temperature": "hot"}))
        self.assertEqual(FIRST, await spoken(session.ask(ASKED)))

    async def test_fail_a_text_alone_that_is_refused(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        await anext(reply)
        with self.assertRaisesRegex(VoiceError, "text"):
            await spoken(session.say(""))
        self.assertEqual(FIRST[1:], await spoken(reply))

    async def test_end_all_waits_when_the_session_is_closed(self):
        session = await self.connected()
        reply = session.ask(ASKED)
        await anext(reply)
        await session.close()
        self.assertEqual([], await spoken(reply))
        with self.assertRaisesRegex(VoiceError, "closed"):
            session.ask(ASKED)


if __name__ == "__main__":
    unittest.main()
