#include "sentence_table.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(labels_of_list_items, stay_with_what_they_label) {
    expect_sentences({
        "1. **Salt.** Add a pinch.|\n2. **Water.** Boil two litres.| Then wait.",
        "- **Warm up.** Five minutes.|\n- **Lift.** Three sets.",
    });
}

TEST(list_markers, are_no_sentences_on_a_line_of_their_own) {
    expect_sentences({
        "1.\nSalt.|\n2.\nWater.",
        "1.\n\nSalt.|\n\n2.\n\nWater.",
        "The total is: 42.|\nThat is all.",
        "## Step 1.|\nAdd salt.",
    });
}

TEST(bold_sentences, end_if_they_are_no_labels) {
    expect_sentences({"**Don't panic.**| Everything is backed up."});
}

TEST(bullets, are_sentences_of_their_own) {
    expect_sentences({
        "- Eggs|\n- Milk|\n- Bread",
        "* Boil the water.|\n* Add salt.",
        "• Red|\n• Blue",
        "You need:|\n- a pan|\n- some oil",
        "- [ ] Call Ann|\n- [x] Mail Bo",
    });
}

TEST(headings, are_sentences_of_their_own) {
    expect_sentences({
        "# Plan|\n\nWe start on Monday.",
        "## 1. Setup|\nInstall it.| Then run it.",
        "### What is it?|\nA tool.",
    });
}

TEST(bold_and_italic, close_with_their_sentence) {
    expect_sentences({
        "**Read this first.**| Then go on.",
        "This is *very important.*| Do not skip it.",
        "_Be careful!_| It is hot.",
        "It is **not** here.| Look there.",
        "We sell **tea.**| **Coffee** is out.",
        "**Note:** It is hot.| Be careful.",
        "1. **Boil.** Use a pan.|\n2. **Stir.**",
    });
}

TEST(inline_code, holds_no_end_of_a_sentence) {
    expect_sentences({
        "Run `make. Then. Go` now.| It works.",
        "Call `foo.Bar()` first.| It is quick.",
        "Use `ls`.| It lists files.",
        "Type `Is it? Yes!` and wait.",
    });
}

TEST(code_fences, hold_no_end_of_a_sentence) {
    expect_sentences({
        "Try this:|\n```\nprint(\"Hi. You.\")\nx = 1.\nDone!\n```|\nIt works.",
        "```python\nimport os\n\nos.exit()\n```|\nThat is all.| Bye.",
        {"Like this: ```python\nimport os. Then\n\nos.exit()\n```|\nThat is all.| Bye.",
         token_like_pieces | characters},
    });
}

TEST(code_fences, start_with_their_line) {
    expect_sentences({
        "Put it between ``` marks.\nThey hide it from the shell.| Then save the file.",
        "Run ```make. Then. Go``` now.| It works.",
    });
}

TEST(links, are_not_divided) {
    expect_sentences({
        "See [the guide](https://example.com/a.html) first.| Then ask.",
        {"Read [this. Now.](http://example.com) or not.", whole_text | token_like_pieces},
    });
}

TEST(block_quotes, are_lines) {
    expect_sentences({
        "> It is late.|\n> Go home.",
    });
}

TEST(labels_in_dialogues, end_no_sentence) {
    expect_sentences({
        "Ann: Are you there?|\nBo: Yes, I am.",
    });
}

}  // namespace
}  // namespace tandem::text
