"""Tests which part of a history tandem_voice keeps."""

import asyncio
import unittest

from tandem_voice._history import MOST_CHARS, History, heard_part, newest
from tandem_voice._reply import Reply


CALL = {"reply": "1", "id": "call_1_0", "name": "book", "arguments": {"guests": 4}}
RESULT = {"role": "tool", "tool_call_id": "call_1_0", "name": "book", "content": "Done."}


def calling(content):
    call = {name: CALL[name] for name in ("id", "name", "arguments")}
    return {"role": "assistant", "content": content, "tool_calls": [call]}


def begin(kind, **fields):
    message = {"type": kind, "turn": "1", **fields}
    return Reply(message, lambda message: None, lambda last: None, continues=True)


def take_words(reply, number, *texts, are_spoken=True):
    """The listener hears these chunks of a reply of the gateway. Those that end with dots are fillers."""
    for seq, text in enumerate(texts):
        words = {"text": text, "speech": text.strip(), "boundary": "", "filler": text.endswith("…")}
        reply.take_chunk({"id": f"{number}-{seq}", "reply": number, **words})
        chunk = asyncio.run(reply.next_item())
        if are_spoken:
            chunk.spoken()


def texts_of(reply):
    return [message["content"] for message in reply.messages()]


class Histories(unittest.TestCase):
    def reply(self, text, *heard, are_spoken=True, **state):
        reply = begin("start", text=text)
        take_words(reply, "1", *heard, are_spoken=are_spoken)
        reply.is_over = True
        for name, value in state.items():
            setattr(reply, name, value)
        self.history.add(reply)

    def setUp(self):
        self.history = History()

    def contents(self):
        return [message["content"] for message in self.history.messages()]

    def test_keep_what_was_asked_and_heard(self):
        self.reply("Four.", "We can seat")
        self.assertEqual(["Four.", "We can seat"], self.contents())

    def test_keep_a_late_result_before_the_question_that_told_it(self):
        self.reply("Four.", "Yes.", late=[{"role": "user", "content": "Result of book {}: Done."}])
        self.assertEqual(["Result of book {}: Done.", "Four.", "Yes."], self.contents())

    def test_keep_the_sentence_that_is_spoken(self):
        self.reply("Four.", "We can seat", " four.", "Hm…", are_spoken=False)
        self.assertEqual(["Four.", "We can seat four."], self.contents())

    def test_keep_the_words_that_a_resumed_reply_repeats(self):
        reply = begin("resume")
        take_words(reply, "3", "moment…", "It is noon.", " Bye.")
        self.assertEqual(["moment… It is noon. Bye."], texts_of(reply))

    def test_keep_the_words_that_are_repeated_on_the_next_connection(self):
        reply = begin("start")
        take_words(reply, "1", "Hm…", "One")
        reply.expect_ends(2)
        take_words(reply, "2", "moment…", "It is noon.")
        self.assertEqual(["One moment… It is noon."], texts_of(reply))

    def test_keep_a_heard_part_of_the_words_that_are_repeated(self):
        reply = begin("resume")
        words = {"text": "One moment.", "speech": "One moment.", "boundary": "", "filler": True}
        reply.take_chunk({"id": "3-0", "reply": "3", **words})
        reply.hear_in_part(asyncio.run(reply.next_item()), {"words": 1}, "One")
        reply.interrupt()
        self.assertEqual(["One"], texts_of(reply))

    def test_do_not_keep_a_filler_before_the_first_words_on_the_next_connection(self):
        reply = begin("start")
        reply.expect_ends(1)
        take_words(reply, "1", "Hm…", "One")
        self.assertEqual(["One"], texts_of(reply))

    def called(self):
        """A reply of which the first word before a call was heard, and of whose call the result is known."""
        reply = begin("start")
        take_words(reply, "1", "One")
        reply.take_call({**CALL, "result": {"content": "Done."}})
        return reply

    def test_keep_words_that_come_after_a_call_before_it(self):
        reply = self.called()
        take_words(reply, "1", " moment.")
        take_words(reply, "2", "It is noon.")
        answer = {"role": "assistant", "content": "It is noon."}
        self.assertEqual([calling("One moment."), RESULT, answer], reply.messages())

    def test_keep_words_before_a_call_that_the_next_connection_repeats_before_it(self):
        reply = self.called()
        reply.expect_ends(1)
        take_words(reply, "3", "moment…")
        self.assertEqual([calling("One moment…"), RESULT], reply.messages())

    def test_keep_no_result_without_its_call(self):
        long = {**calling(""), "tool_calls": [{**CALL, "arguments": "a" * MOST_CHARS}]}
        after = {"role": "user", "content": "Hello!"}
        self.assertEqual([after], newest([long, RESULT, after]))
        self.assertEqual([], newest([long, RESULT, RESULT]))

    def test_do_not_keep_what_is_asked_again_or_was_refused(self):
        self.reply("Four.", is_over=False)
        self.reply("Five.", was_refused=True)
        self.assertEqual([], self.contents())

    def test_keep_only_the_newest_that_fit_into_a_message(self):
        self.reply("Old.", "x" * MOST_CHARS)
        self.reply("New.", "Yes.")
        self.assertEqual(["New.", "Yes."], self.contents())

    def test_do_not_keep_a_word_that_is_cut(self):
        speech = "I am fine, thanks"
        parts = [heard_part(speech, {"chars": chars}) for chars in (0, 1, 3, 4, 6, 9, 10, 12, 17)]
        self.assertEqual(["", "I", "I", "I am", "I am", "I am fine", "I am fine,", "I am fine,", speech], parts)
        self.assertEqual("", heard_part("November rain", {"chars": 2}))
        self.assertEqual("今日", heard_part("今日は晴れ", {"chars": 2}))

    def test_know_what_part_of_a_speech_a_report_means(self):
        for heard in ({"chars": 10}, {"words": 3}, {"said": "Yes, we do"}, {"share": 0.5}):
            with self.subTest(heard):
                self.assertEqual("Yes, we do", heard_part("Yes, we do have it!!", heard))


if __name__ == "__main__":
    unittest.main()
