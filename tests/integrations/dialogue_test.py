"""Tests dialogues whose history a framework keeps, with a gateway."""

import asyncio
import json
import tempfile
import unittest
from contextlib import aclosing
from unittest import mock

from gateway_process import (
    BOOK, BOOKED, BOOKING, DIALOGUE, FIRST, FIRST_TURN, SECOND, SYSTEM, WAIT, gateway,
    noted_messages,
)  # fmt: skip
from tandem_voice import VoiceError
from tandem_voice._dialogue import Dialogue


async def spoken(dialogue, messages, **turn):
    """Returns the speech of all chunks of a reply without an interruption."""
    said = []
    async with aclosing(dialogue.reply(messages, **turn)) as chunks:
        async for chunk in chunks:
            said.append(chunk.speech)
            dialogue.spoken(chunk)
    return said


async def interrupted(dialogue, messages, heard):
    """Returns the speech of the first chunk. The listener hears only `heard` characters of it."""
    async with aclosing(dialogue.reply(messages)) as chunks:
        async for chunk in chunks:
            dialogue.heard = heard
            return chunk.speech


async def lose(dialogue):
    """Closes the connection."""
    await dialogue._session._link._socket.close()


def setUpModule():
    unittest.enterModuleContext(mock.patch("tandem_voice._link.FIRST_WAIT", 0.01))


class Dialogues(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.url = self.enterContext(gateway())
        self.dialogue = Dialogue(self.url)
        self.addAsyncCleanup(self.dialogue.close)

    def with_lookahead(self, url=None):
        dialogue = Dialogue(url or self.url, options={"lookahead": 1})
        self.addAsyncCleanup(dialogue.close)
        return dialogue

    async def test_speaks_a_reply_chunk_by_chunk(self):
        self.assertEqual(FIRST, await spoken(self.dialogue, FIRST_TURN))

    async def test_goes_on_with_what_is_new(self):
        await spoken(self.dialogue, FIRST_TURN)
        session = self.dialogue._session
        timing = {"user_stopped_ms_ago": 640, "vad_stop_ms": 500}
        self.assertEqual([SECOND], await spoken(self.dialogue, DIALOGUE[:4], **timing))
        self.assertIs(session, self.dialogue._session)

    async def test_history_keeps_what_was_heard_of_an_interrupted_reply(self):
        self.assertEqual(FIRST[0], await interrupted(self.dialogue, FIRST_TURN, len("Yes, we do")))
        self.assertEqual([SECOND], await spoken(self.dialogue, DIALOGUE[:4]))

    async def test_yields_a_chunk_early_and_ends_when_all_are_spoken(self):
        dialogue = self.with_lookahead()
        async with aclosing(dialogue.reply(FIRST_TURN)) as chunks:
            first, second = await anext(chunks), await anext(chunks)
            self.assertTrue(second.early)
            dialogue.spoken(first)
            third = await anext(chunks)
            dialogue.spoken(third)
            self.assertEqual([], [chunk async for chunk in chunks])
        self.assertEqual(FIRST, [chunk.speech for chunk in (first, second, third)])

    async def test_history_keeps_nothing_of_an_early_chunk(self):
        dialogue = self.with_lookahead(self.enterContext(gateway(heard_words=3)))
        async with aclosing(dialogue.reply(FIRST_TURN)) as chunks:
            await anext(chunks)
            await anext(chunks)
            dialogue.heard = len("Yes, we do")
        self.assertEqual([SECOND], await spoken(dialogue, DIALOGUE[:4]))

    async def test_speaks_nothing_of_a_reply_that_was_left(self):
        async with aclosing(self.dialogue.reply(FIRST_TURN)) as chunks:
            await chunks.__anext__()
        self.assertFalse(set(FIRST) & set(await spoken(self.dialogue, DIALOGUE[:4])))

    async def test_begins_anew_where_the_history_was_rewritten(self):
        await spoken(self.dialogue, [{"role": "user", "content": "Something else."}])
        self.assertEqual(FIRST, await spoken(self.dialogue, FIRST_TURN))

    async def test_goes_on_after_a_lost_connection(self):
        await spoken(self.dialogue, FIRST_TURN)
        session = self.dialogue._session
        await lose(self.dialogue)
        self.assertEqual([SECOND], await spoken(self.dialogue, DIALOGUE[:4]))
        self.assertIs(session, self.dialogue._session)

    async def test_goes_on_in_a_reply_whose_connection_is_lost(self):
        said = []
        async with aclosing(self.dialogue.reply(FIRST_TURN)) as chunks:
            async for chunk in chunks:
                await lose(self.dialogue)
                said.append(chunk.speech)
                self.dialogue.spoken(chunk)
        self.assertEqual(" ".join(FIRST), " ".join(said))

    async def test_begins_anew_with_the_whole_history_after_an_error_of_the_session(self):
        error = VoiceError("taken_over", "by another connection")
        with self.assertRaisesRegex(VoiceError, "taken_over"):
            async with aclosing(self.dialogue.reply(FIRST_TURN)) as chunks:
                async for _ in chunks:
                    self.dialogue._session._on_failed(error)
        self.assertEqual([SECOND], await spoken(self.dialogue, DIALOGUE[:4]))

    async def test_answers_a_last_word_of_the_system(self):
        self.assertTrue(await spoken(self.dialogue, [{"role": "system", "content": SYSTEM}]))

    async def test_refuses_a_history_that_asks_for_nothing(self):
        with self.assertRaisesRegex(ValueError, "nothing to reply to"):
            await spoken(self.dialogue, DIALOGUE)

    async def test_tells_what_the_gateway_finds_wrong(self):
        with self.assertRaisesRegex(VoiceError, "invalid_value"):
            await spoken(self.dialogue, [{"role": "nobody", "content": "Hello?"}])

    async def test_speaks_again_after_a_start_that_was_refused_while_a_reply_ended(self):
        await interrupted(self.dialogue, FIRST_TURN, len("Yes, we do"))
        with self.assertRaisesRegex(VoiceError, "temperature"):
            await spoken(self.dialogue, DIALOGUE[:4], options={"temperature": "hot"})
        answer = await asyncio.wait_for(spoken(self.dialogue, DIALOGUE[:4]), 20)
        self.assertEqual([SECOND], answer)

    async def test_speaks_again_after_a_first_start_that_was_refused(self):
        with self.assertRaisesRegex(VoiceError, "vad_stop_ms"):
            await spoken(self.dialogue, FIRST_TURN, vad_stop_ms=-1)
        self.assertEqual(FIRST, await asyncio.wait_for(spoken(self.dialogue, FIRST_TURN), 20))

    async def test_says_denied_words_only_once(self):
        with tempfile.NamedTemporaryFile("w") as denied:
            denied.write("mushroom\n")
            denied.flush()
            dialogue = Dialogue(self.enterContext(gateway("--denied", denied.name)))
            self.addAsyncCleanup(dialogue.close)
            await spoken(dialogue, FIRST_TURN)
            history = [*DIALOGUE[:3], {"role": "user", "content": "A mushroom."}]
            with self.assertRaisesRegex(VoiceError, "content_policy"):
                await spoken(dialogue, history)
            self.assertEqual([SECOND], await spoken(dialogue, [*history, DIALOGUE[3]]))

    async def test_tells_what_is_wrong_with_an_option(self):
        dialogue = Dialogue(self.url, options={"temperature": "hot"})
        self.addAsyncCleanup(dialogue.close)
        with self.assertRaisesRegex(VoiceError, "temperature"):
            await spoken(dialogue, FIRST_TURN)


def answered(call):
    """Returns the history after a call that was answered."""
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    calls = [{"id": call["id"], "type": "function", "function": function}]
    asked = {"role": "assistant", "content": WAIT, "tool_calls": calls}
    return [*BOOKING[:2], asked, {**BOOKING[3], "tool_call_id": call["id"]}]


class DialoguesAndFunctions(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.dialogue = Dialogue(self.enterContext(gateway()))
        self.addAsyncCleanup(self.dialogue.close)

    def book(self):
        return aclosing(self.dialogue.reply(BOOKING[:2], tools=[BOOK]))

    async def called(self):
        """Speaks the reply that calls the function, and returns the call."""
        async with self.book() as events:
            async for event in events:
                if isinstance(event, list):
                    (call,) = event
                else:
                    self.dialogue.spoken(event)
        return call

    async def test_yields_the_calls_of_a_reply_while_its_last_chunk_is_spoken(self):
        async with self.book() as events:
            words = await anext(events)
            self.assertEqual(WAIT, words.speech)
            (call,) = await anext(events)
            self.assertEqual(("book", {"guests": 4}), (call["name"], call["arguments"]))
            self.dialogue.spoken(words)
            self.assertEqual([], [event async for event in events])

    async def test_speaks_the_reply_to_the_results_in_the_same_session(self):
        call = await self.called()
        session = self.dialogue._session
        self.assertEqual([BOOKED], await spoken(self.dialogue, answered(call), tools=[BOOK]))
        self.assertIs(session, self.dialogue._session)
        again = [*answered(call), {"role": "assistant", "content": BOOKED}, DIALOGUE[3]]
        self.assertTrue(await spoken(self.dialogue, again, tools=[]))

    async def test_sends_a_result_before_what_the_user_says_next(self):
        call = await self.called()
        self.assertEqual([SECOND], await spoken(self.dialogue, [*answered(call), DIALOGUE[3]]))

    async def test_goes_on_without_a_result_when_the_user_talks_while_a_function_runs(self):
        await self.called()
        self.assertEqual([SECOND], await spoken(self.dialogue, [*BOOKING[:2], DIALOGUE[3]]))

    async def test_drops_the_calls_of_a_reply_that_was_left(self):
        async with self.book() as events:
            words = await anext(events)
            await anext(events)
            self.dialogue.heard = len(WAIT)
        self.assertEqual([SECOND], await spoken(self.dialogue, [*BOOKING[:2], DIALOGUE[3]]))

    async def test_sends_a_result_that_is_known_after_an_interruption_to_be_kept(self):
        async with self.book() as events:
            await anext(events)
            (call,) = await anext(events)
        said = self.enterContext(noted_messages())
        await spoken(self.dialogue, [*answered(call), DIALOGUE[3]])
        content = BOOKING[3]["content"]
        result = {"type": "result", "call": call["id"], "content": content, "keep": True}
        self.assertEqual([result, "start"], [said[0], said[1]["type"]])

    async def test_yields_nothing_while_another_call_has_no_result(self):
        call = await self.called()
        self.dialogue._reply.open_calls.add("another")
        self.assertEqual([], await spoken(self.dialogue, answered(call)))

    async def test_speaks_the_reply_to_a_call_that_needs_no_result_any_more(self):
        call = await self.called()
        self.dialogue._session.answer(call, BOOKING[3]["content"])
        self.assertEqual([BOOKED], await spoken(self.dialogue, answered(call)))

    async def test_begins_anew_with_calls_and_results_after_a_lost_connection(self):
        call = await self.called()
        await lose(self.dialogue)
        self.assertEqual([BOOKED], await spoken(self.dialogue, answered(call), tools=[BOOK]))


class DialoguesAndDrafts(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.dialogue = Dialogue(self.enterContext(gateway()))
        self.addAsyncCleanup(self.dialogue.close)

    async def after_first_turn(self, **turn):
        """Returns the list of the messages after the first turn."""
        await spoken(self.dialogue, FIRST_TURN, **turn)
        return self.enterContext(noted_messages())

    async def figures(self, messages, **turn):
        """Returns the usage of a reply."""
        self.assertEqual([SECOND], await spoken(self.dialogue, messages, **turn))
        return self.dialogue._reply.end["usage"]

    async def test_continue_from_a_draft_of_the_same_words(self):
        said = await self.after_first_turn(tools=[BOOK])
        self.dialogue.hearing("Four. By")
        self.dialogue.draft("Four. By the window?")
        await asyncio.sleep(0.5)
        usage = await self.figures(DIALOGUE[:4], tools=[BOOK], user_stopped_ms_ago=640)
        self.assertGreater(usage["drafted"], 0)
        self.assertEqual(["hearing", "draft", "commit"], [m["type"] for m in said[:3]])
        self.assertEqual(said[1]["options"], said[2]["options"])

    async def test_reply_to_other_words(self):
        said = await self.after_first_turn()
        self.dialogue.draft("Four.")
        await asyncio.sleep(0.5)
        usage = await self.figures(DIALOGUE[:4])
        self.assertEqual(0, usage["drafted"])
        self.assertGreater(usage["draft_wasted"], 0)
        self.assertEqual("commit", said[1]["type"])

    async def test_are_dropped_once(self):
        said = await self.after_first_turn()
        self.dialogue.draft("Four.")
        self.dialogue.drop()
        self.dialogue.drop()
        await self.figures(DIALOGUE[:4])
        self.assertEqual(["draft", "drop", "start"], [m["type"] for m in said[:3]])

    async def test_follow_each_final_part_of_a_turn(self):
        said = await self.after_first_turn()
        self.dialogue.hear_final("Four.")
        self.dialogue.hearing("By the")
        self.dialogue.hear_final("By the window?")
        await self.figures(DIALOGUE[:4])
        self.dialogue.hearing("Yes")
        words = DIALOGUE[3]["content"]
        self.assertEqual(
            ["Four.", "Four. By the", words, words, "Yes"], [m["text"] for m in said if "text" in m]
        )

    async def test_that_are_skipped_change_nothing(self):
        async with aclosing(self.dialogue.reply(FIRST_TURN)) as chunks:
            await anext(chunks)
            self.dialogue.draft("Four.")
            self.dialogue.heard = len(FIRST[0])
        self.assertEqual([SECOND], await spoken(self.dialogue, DIALOGUE[:4]))

    async def test_are_not_committed_by_more_than_the_words_of_the_user(self):
        said = await self.after_first_turn()
        self.dialogue.draft("Four. By the window?")
        named = {**DIALOGUE[3], "name": "ann"}
        await spoken(self.dialogue, [*DIALOGUE[:3], named])
        self.assertEqual(["draft", "start"], [m["type"] for m in said[:2]])

    async def test_need_a_session(self):
        said = self.enterContext(noted_messages())
        self.dialogue.hearing("Do you")
        self.dialogue.draft("Do you have a table?")
        self.dialogue.drop()
        self.assertEqual([], said)
        self.assertEqual(FIRST, await spoken(self.dialogue, FIRST_TURN))

    async def test_survive_a_lost_connection(self):
        await self.after_first_turn()
        await lose(self.dialogue)
        self.dialogue.draft("Four. By the window?")
        self.assertEqual([SECOND], await spoken(self.dialogue, DIALOGUE[:4]))


if __name__ == "__main__":
    unittest.main()
