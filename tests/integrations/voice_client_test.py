"""Tests docs/integrations/tandem_voice.py with a gateway."""

import asyncio
import json
import tempfile
import unittest
from contextlib import aclosing

import aiohttp

from gateway_process import (
    BOOK, BOOKED, BOOKING, DIALOGUE, FIRST, FIRST_TURN, SECOND, SYSTEM, WAIT, gateway, new_key,
    noted_messages,
)  # fmt: skip
from tandem_voice import TandemError, TandemVoice


async def spoken(voice, messages, **turn):
    """Returns the speech of all chunks of a reply without an interruption."""
    said = []
    async with aclosing(voice.reply(messages, **turn)) as chunks:
        async for chunk in chunks:
            said.append(chunk["speech"])
            await voice.spoken(chunk)
    return said


async def interrupted(voice, messages, heard):
    """Returns the speech of the first chunk. The listener hears only `heard` characters of it."""
    async with aclosing(voice.reply(messages)) as chunks:
        async for chunk in chunks:
            chunk["heard"] = heard
            return chunk["speech"]


class VoiceClient(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.url = self.enterContext(gateway())
        self.voice = TandemVoice(self.url)
        self.addAsyncCleanup(self.voice.close)

    def with_lookahead(self, url=None):
        voice = TandemVoice(url or self.url, options={"lookahead": 1})
        self.addAsyncCleanup(voice.close)
        return voice

    async def test_speaks_a_reply_chunk_by_chunk(self):
        self.assertEqual(FIRST, await spoken(self.voice, FIRST_TURN))

    async def test_goes_on_with_what_is_new(self):
        await spoken(self.voice, FIRST_TURN)
        socket = self.voice._socket
        timing = {"user_stopped_ms_ago": 640, "vad_stop_ms": 500}
        self.assertEqual([SECOND], await spoken(self.voice, DIALOGUE[:4], **timing))
        self.assertIs(socket, self.voice._socket)

    async def test_history_keeps_what_was_heard_of_an_interrupted_reply(self):
        self.assertEqual(FIRST[0], await interrupted(self.voice, FIRST_TURN, len("Yes, we do")))
        self.assertEqual([SECOND], await spoken(self.voice, DIALOGUE[:4]))

    async def test_yields_a_chunk_early_and_ends_when_all_are_spoken(self):
        voice = self.with_lookahead()
        async with aclosing(voice.reply(FIRST_TURN)) as chunks:
            first, second = await anext(chunks), await anext(chunks)
            self.assertTrue(second["early"])
            await voice.spoken(first)
            third = await anext(chunks)
            await voice.spoken(third)
            self.assertEqual([], [chunk async for chunk in chunks])
        self.assertEqual(FIRST, [chunk["speech"] for chunk in (first, second, third)])

    async def test_history_keeps_nothing_of_an_early_chunk(self):
        voice = self.with_lookahead(self.enterContext(gateway(heard_words=3)))
        async with aclosing(voice.reply(FIRST_TURN)) as chunks:
            await anext(chunks)
            await anext(chunks)
            voice.speaking["heard"] = len("Yes, we do")
        self.assertEqual([SECOND], await spoken(voice, DIALOGUE[:4]))

    async def test_speaks_nothing_of_a_reply_that_was_left(self):
        async with aclosing(self.voice.reply(FIRST_TURN)) as chunks:
            await chunks.__anext__()
        self.assertFalse(set(FIRST) & set(await spoken(self.voice, DIALOGUE[:4])))

    async def test_begins_anew_where_the_history_was_rewritten(self):
        await spoken(self.voice, [{"role": "user", "content": "Something else."}])
        self.assertEqual(FIRST, await spoken(self.voice, FIRST_TURN))

    async def test_begins_anew_with_the_whole_history_after_a_lost_connection(self):
        await spoken(self.voice, FIRST_TURN)
        await self.voice._socket.close()
        self.assertEqual([SECOND], await spoken(self.voice, DIALOGUE[:4]))

    async def test_tells_of_a_connection_that_is_lost_in_a_reply(self):
        with self.assertRaisesRegex(TandemError, "connection_lost"):
            async with aclosing(self.voice.reply(FIRST_TURN)) as chunks:
                async for _ in chunks:
                    await self.voice._socket.close()

    async def test_answers_a_last_word_of_the_system(self):
        self.assertTrue(await spoken(self.voice, [{"role": "system", "content": SYSTEM}]))

    async def test_refuses_a_history_that_asks_for_nothing(self):
        with self.assertRaisesRegex(ValueError, "nothing to reply to"):
            await spoken(self.voice, DIALOGUE)

    async def test_tells_what_the_gateway_finds_wrong(self):
        with self.assertRaisesRegex(TandemError, "invalid_value"):
            await spoken(self.voice, [{"role": "nobody", "content": "Hello?"}])

    async def test_speaks_again_after_a_start_that_was_refused_while_a_reply_ended(self):
        await interrupted(self.voice, FIRST_TURN, len("Yes, we do"))
        with self.assertRaisesRegex(TandemError, "temperature"):
            await spoken(self.voice, DIALOGUE[:4], options={"temperature": "hot"})
        answer = await asyncio.wait_for(spoken(self.voice, DIALOGUE[:4]), 20)
        self.assertEqual([SECOND], answer)

    async def test_speaks_again_after_a_first_start_that_was_refused(self):
        with self.assertRaisesRegex(TandemError, "vad_stop_ms"):
            await spoken(self.voice, FIRST_TURN, vad_stop_ms=-1)
        self.assertEqual(FIRST, await asyncio.wait_for(spoken(self.voice, FIRST_TURN), 20))

    async def test_tells_what_is_wrong_with_an_option(self):
        voice = TandemVoice(self.url, options={"temperature": "hot"})
        self.addAsyncCleanup(voice.close)
        with self.assertRaisesRegex(TandemError, "temperature"):
            await spoken(voice, FIRST_TURN)


def answered(call):
    """Returns the history after a call that was answered."""
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    calls = [{"id": call["id"], "type": "function", "function": function}]
    asked = {"role": "assistant", "content": WAIT, "tool_calls": calls}
    return [*BOOKING[:2], asked, {**BOOKING[3], "tool_call_id": call["id"]}]


class VoiceClientAndFunctions(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.voice = TandemVoice(self.enterContext(gateway()))
        self.addAsyncCleanup(self.voice.close)

    def book(self):
        return aclosing(self.voice.reply(BOOKING[:2], tools=[BOOK]))

    async def called(self):
        """Speaks the reply that calls the function, and returns the call."""
        async with self.book() as events:
            async for event in events:
                if event["type"] == "calls":
                    (call,) = event["calls"]
                else:
                    await self.voice.spoken(event)
        return call

    async def test_yields_the_calls_of_a_reply_while_its_last_chunk_is_spoken(self):
        async with self.book() as events:
            words = await anext(events)
            self.assertEqual(WAIT, words["speech"])
            (call,) = (await anext(events))["calls"]
            self.assertEqual(("book", {"guests": 4}), (call["name"], call["arguments"]))
            await self.voice.spoken(words)
            self.assertEqual([], [event async for event in events])

    async def test_speaks_the_reply_to_the_results_in_the_same_session(self):
        call = await self.called()
        socket = self.voice._socket
        self.assertEqual([BOOKED], await spoken(self.voice, answered(call), tools=[BOOK]))
        self.assertIs(socket, self.voice._socket)
        again = [*answered(call), {"role": "assistant", "content": BOOKED}, DIALOGUE[3]]
        self.assertTrue(await spoken(self.voice, again, tools=[]))

    async def test_sends_a_result_before_what_the_user_says_next(self):
        call = await self.called()
        self.assertEqual([SECOND], await spoken(self.voice, [*answered(call), DIALOGUE[3]]))

    async def test_goes_on_without_a_result_when_the_user_talks_while_a_function_runs(self):
        await self.called()
        self.assertEqual([SECOND], await spoken(self.voice, [*BOOKING[:2], DIALOGUE[3]]))

    async def test_drops_the_calls_of_a_reply_that_was_left(self):
        async with self.book() as events:
            words = await anext(events)
            await anext(events)
            words["heard"] = len(WAIT)
        self.assertEqual([SECOND], await spoken(self.voice, [*BOOKING[:2], DIALOGUE[3]]))

    async def test_sends_a_result_that_is_known_after_an_interruption_to_be_kept(self):
        async with self.book() as events:
            await anext(events)
            (call,) = (await anext(events))["calls"]
        said = noted_messages(self.voice)
        await spoken(self.voice, [*answered(call), DIALOGUE[3]])
        content = BOOKING[3]["content"]
        result = {"type": "result", "call": call["id"], "content": content, "keep": True}
        self.assertEqual([result, "start"], [said[0], said[1]["type"]])

    async def test_yields_nothing_while_another_call_has_no_result(self):
        call = await self.called()
        self.voice._open_calls.add("another")
        self.assertEqual([], await spoken(self.voice, answered(call)))

    async def test_speaks_the_reply_to_a_call_that_needs_no_result_any_more(self):
        call = await self.called()
        await self.voice._say(type="result", call=call["id"], content=BOOKING[3]["content"])
        self.assertEqual([BOOKED], await spoken(self.voice, answered(call)))

    async def test_begins_anew_with_calls_and_results_after_a_lost_connection(self):
        call = await self.called()
        await self.voice._socket.close()
        self.assertEqual([BOOKED], await spoken(self.voice, answered(call), tools=[BOOK]))


class VoiceClientAndDrafts(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.voice = TandemVoice(self.enterContext(gateway()))
        self.addAsyncCleanup(self.voice.close)

    async def after_first_turn(self, **turn):
        """Returns the list of the messages after the first turn."""
        await spoken(self.voice, FIRST_TURN, **turn)
        return noted_messages(self.voice)

    async def figures(self, messages, **turn):
        """Returns the usage of a reply."""
        usage, ended = {}, self.voice._next_event

        async def next_event(named):
            event = await ended(named)
            usage.update(event.get("usage", {}))
            return event

        self.voice._next_event = next_event
        self.assertEqual([SECOND], await spoken(self.voice, messages, **turn))
        return usage

    async def test_continue_from_a_draft_of_the_same_words(self):
        said = await self.after_first_turn(tools=[BOOK])
        await self.voice.hearing("Four. By")
        await self.voice.draft("Four. By the window?")
        await asyncio.sleep(0.5)
        usage = await self.figures(DIALOGUE[:4], tools=[BOOK], user_stopped_ms_ago=640)
        self.assertGreater(usage["drafted"], 0)
        self.assertEqual(["hearing", "draft", "commit"], [m["type"] for m in said[:3]])
        self.assertEqual(said[1]["options"], said[2]["options"])

    async def test_reply_to_other_words(self):
        said = await self.after_first_turn()
        await self.voice.draft("Four.")
        await asyncio.sleep(0.5)
        usage = await self.figures(DIALOGUE[:4])
        self.assertEqual(0, usage["drafted"])
        self.assertGreater(usage["draft_wasted"], 0)
        self.assertEqual("commit", said[1]["type"])

    async def test_are_dropped_once(self):
        said = await self.after_first_turn()
        await self.voice.draft("Four.")
        await self.voice.drop()
        await self.voice.drop()
        await self.figures(DIALOGUE[:4])
        self.assertEqual(["draft", "drop", "start"], [m["type"] for m in said[:3]])

    async def test_follow_each_final_part_of_a_turn(self):
        said = await self.after_first_turn()
        await self.voice.hearing("Four.", is_final=True)
        await self.voice.hearing("By the")
        await self.voice.hearing("By the window?", is_final=True)
        await self.figures(DIALOGUE[:4])
        await self.voice.hearing("Yes")
        words = DIALOGUE[3]["content"]
        self.assertEqual(
            ["Four.", "Four. By the", words, words, "Yes"], [m["text"] for m in said if "text" in m]
        )

    async def test_that_are_skipped_change_nothing(self):
        async with aclosing(self.voice.reply(FIRST_TURN)) as chunks:
            await anext(chunks)
            await self.voice.draft("Four.")
            self.voice.speaking["heard"] = len(FIRST[0])
        self.assertEqual([SECOND], await spoken(self.voice, DIALOGUE[:4]))

    async def test_are_not_committed_by_more_than_the_words_of_the_user(self):
        said = await self.after_first_turn()
        await self.voice.draft("Four. By the window?")
        named = {**DIALOGUE[3], "name": "ann"}
        await spoken(self.voice, [*DIALOGUE[:3], named])
        self.assertEqual(["draft", "start"], [m["type"] for m in said[:2]])

    async def test_need_a_session(self):
        said = noted_messages(self.voice)
        await self.voice.hearing("Do you")
        await self.voice.draft("Do you have a table?")
        await self.voice.drop()
        self.assertEqual([], said)
        self.assertEqual(FIRST, await spoken(self.voice, FIRST_TURN))

    async def test_survive_a_lost_connection(self):
        await self.after_first_turn()
        await self.voice._socket.close()
        await self.voice.draft("Four. By the window?")
        self.assertEqual([SECOND], await spoken(self.voice, DIALOGUE[:4]))


class VoiceClientErrors(unittest.TestCase):
    def test_say_when_to_try_again(self):
        event = {"type": "error", "code": "overloaded", "message": "full", "retry_after_ms": 2500}
        self.assertEqual(2.5, TandemVoice._error_of(event).retry_after)
        self.assertIsNone(TandemVoice._error_of({**event, "retry_after_ms": None}).retry_after)


class VoiceClientAndKeys(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        key, line = new_key("bot")
        file = self.enterContext(tempfile.NamedTemporaryFile("w", suffix=".json"))
        file.write(json.dumps({"keys": [json.loads(line)]}))
        file.flush()
        self.key, self.url = key, self.enterContext(gateway("--keys", file.name))

    async def said_with(self, key):
        voice = TandemVoice(self.url, api_key=key)
        self.addAsyncCleanup(voice.close)
        return await asyncio.wait_for(spoken(voice, FIRST_TURN), 20)

    async def test_brings_its_key(self):
        self.assertEqual(FIRST, await self.said_with(self.key))

    async def test_is_refused_without_one(self):
        with self.assertRaises(aiohttp.WSServerHandshakeError) as refused:
            await self.said_with(None)
        self.assertEqual(401, refused.exception.status)


if __name__ == "__main__":
    unittest.main()
