"""Tests how tandem_voice finds what it has of a reply that begins again, and what it keeps of a history."""

import unittest

from tandem_voice._chunk import Chunk
from tandem_voice._history import MOST_CHARS, History, heard_part
from tandem_voice._repeated import Repeated
from tandem_voice._reply import Reply

TEXTS = ["We can seat four.", " By the window?", " From eight."]


def chunks(*texts):
    return [Chunk(id=f"1-{i}", text=text, speech=text.strip(), boundary="") for i, text in enumerate(texts)]


class ChunksThatComeAgain(unittest.TestCase):
    def check(self, had, new, rests, **told):
        """`rests`: of each new chunk, the text that was not had."""
        repeated = Repeated(chunks(*had), **told)
        self.assertEqual(rests, [repeated.take(text).rest for text in new])

    def test_are_those_that_were_had(self):
        self.check(TEXTS, TEXTS, ["", "", ""])

    def test_begin_where_any_of_those_begins(self):
        self.check(TEXTS[:2], TEXTS[1:], ["", TEXTS[2]])

    def test_are_new_after_all_of_those(self):
        self.check(TEXTS[:2], TEXTS[2:], [TEXTS[2]])

    def test_may_be_cut_elsewhere(self):
        whole = "".join(TEXTS)
        self.check(TEXTS[:2], [whole], [" From eight."])
        self.check([whole], TEXTS, ["", "", ""])
        self.check(TEXTS[:1], ["We can", " seat four. By", " the window?"], ["", " By", " the window?"])

    def test_may_begin_after_words_that_were_reported_as_heard(self):
        self.check(TEXTS[:1], [" seat four.", TEXTS[1]], ["", TEXTS[1]], is_heard_in_part=True)
        self.check(TEXTS[:1], [" seat four."], [" seat four."])

    def test_are_new_if_the_model_says_something_else(self):
        self.check(TEXTS[:1], ["No.", TEXTS[0]], ["No.", TEXTS[0]])

    def test_end_in_the_chunk_that_is_still_spoken(self):
        had = chunks(*TEXTS[:2])
        repeated = Repeated(had)
        self.assertEqual(had, [repeated.take(text).had for text in TEXTS[:2]])


class Histories(unittest.TestCase):
    def reply(self, text, heard="", **state):
        reply = Reply({"type": "start", "text": text, "turn": "1"}, lambda message: None, continues=True)
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

    def test_do_not_keep_what_is_asked_again_or_was_refused(self):
        self.reply("Four.", is_over=False)
        self.reply("Five.", was_refused=True)
        self.assertEqual([], self.contents())

    def test_keep_only_the_newest_that_fit_into_a_message(self):
        self.reply("Old.", "x" * MOST_CHARS)
        self.reply("New.", "Yes.")
        self.assertEqual(["New.", "Yes."], self.contents())

    def test_know_what_part_of_a_speech_a_report_means(self):
        for heard in ({"chars": 10}, {"words": 3}, {"said": "Yes, we do"}, {"share": 0.5}):
            with self.subTest(heard):
                self.assertEqual("Yes, we do", heard_part("Yes, we do have it!!", heard))


if __name__ == "__main__":
    unittest.main()
