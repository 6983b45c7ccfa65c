"""Tests which part of a history tandem_voice keeps."""

import unittest

from tandem_voice import Chunk
from tandem_voice._history import MOST_CHARS, History, heard_part
from tandem_voice._reply import Reply


class Histories(unittest.TestCase):
    def reply(self, text, heard="", **state):
        message = {"type": "start", "text": text, "turn": "1"}
        reply = Reply(message, lambda message: None, lambda last: None, continues=True)
        reply.heard_text, reply.is_over = heard, True
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

    def test_keep_the_sentence_that_is_spoken(self):
        words, filler = Chunk("1-1", " four.", " four.", ""), Chunk("1-2", "Hm.", "Hm.", "", filler=True)
        self.reply("Four.", "We can seat", _heard_number="1", _taken=[words, filler])
        self.assertEqual(["Four.", "We can seat four."], self.contents())

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
