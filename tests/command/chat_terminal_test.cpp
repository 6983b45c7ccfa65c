#include "replay_fixture.hpp"
#include "support/terminal_process.hpp"

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

// `tandem chat` in a terminal: how keys edit a line, and what the screen shows.
namespace tandem::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string up = "\x1b[A";
const std::string down = "\x1b[B";
const std::string left = "\x1b[D";
const std::string ctrl_c = "\x03";
const std::string ctrl_d = "\x04";
const std::string ctrl_u = "\x15";
const std::string ctrl_y = "\x19";
const std::string backspace = "\x7f";

std::string pasted(const std::string& text) {
    return "\x1b[200~" + text + "\x1b[201~";
}

class chat_in_a_terminal : public replay_test {
 protected:
    chat_in_a_terminal() {
        mock::options o;
        o.replies = {{said("story"), story}, {said("saga"), saga()}, {said(""), "Yes."}};
        start_server(std::move(o));
    }
    static std::string said(const std::string& text) {
        return text + "<|im_end|>\n<|im_start|>assistant\n";
    }
    // At 450 words per minute, the reply takes two minutes, so a test ends in time only if it
    // interrupts the reply.
    static std::string saga() {
        std::string text;
        for (int i = 0; i < 60; ++i) text += std::string(story) + " ";
        return text + "It ends.";
    }
    terminal_process::setup setup(const std::string& speed = "450") const {
        return {.args = {"chat", "--reuse-guard", "0", "--tts", "none", "--color", "never",
                         "--speed", speed, "--sentence-pause", "0", "--url", server_->url()}};
    }
    // Types `keys`, which end with Enter, and returns the user messages that the model received.
    std::vector<std::string> lines_of(const std::string& keys) {
        terminal_process chat(program, setup());
        chat.shown_until("> ");
        chat.type(keys + ctrl_d);
        EXPECT_EQ(chat.wait(), 0);
        EXPECT_TRUE(chat.edits_lines_itself());
        return users();
    }
    // The user messages in the last request for a reply.
    std::vector<std::string> users() const {
        std::string prompt;
        for (const auto& r : server_->observe().of_path("/completion"))
            if (r.prompt.find("assistant\n") != r.prompt.npos) prompt = r.prompt;
        std::vector<std::string> found;
        const std::string before = "<|im_start|>user\n";
        for (auto at = prompt.find(before); at != prompt.npos; at = prompt.find(before, at)) {
            at += before.size();
            found.push_back(prompt.substr(at, prompt.find("<|im_end|>", at) - at));
        }
        return found;
    }
};

TEST_F(chat_in_a_terminal, has_cursor_keys) {
    EXPECT_THAT(lines_of("ello!" + left + left + left + left + left + "H\r"),
                ElementsAre("Hello!"));
}

TEST_F(chat_in_a_terminal, erases_whole_characters) {
    EXPECT_THAT(lines_of("h\xC3\xA9\xF0\x9F\xA6\x8A" + backspace + backspace + "\xC3\xA8!\r"),
                ElementsAre("h\xC3\xA8!"));
}

TEST_F(chat_in_a_terminal, erases_in_the_middle_of_wide_characters) {
    EXPECT_THAT(lines_of("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E" + left + backspace + "\r"),
                ElementsAre("\xE6\x97\xA5\xE8\xAA\x9E"));
}

TEST_F(chat_in_a_terminal, brings_earlier_lines_back) {
    terminal_process chat(program, setup());
    chat.shown_until("> ");
    chat.type("story\r");
    chat.shown_until("voice to voice");
    chat.shown_until("> ");
    chat.type("new" + up + down + " and" + up + "!\r" + ctrl_d);
    EXPECT_EQ(chat.wait(), 0);
    EXPECT_THAT(users(), ElementsAre("story", "story!"));
}

TEST_F(chat_in_a_terminal, takes_lines_that_are_pasted_together_as_one_turn) {
    EXPECT_THAT(lines_of(pasted("one\rtwo\rthree\r") + "\r"), ElementsAre("one\ntwo\nthree"));
}

TEST_F(chat_in_a_terminal, gives_the_model_no_escape_sequences) {
    EXPECT_THAT(lines_of("\x1b[15~a\x1b[1;2P" + pasted("\x1b[31mb\x1b]0;t\x07\x04") +
                         "\x1bOQ"
                         "c\r"),
                ElementsAre("abc"));
}

TEST_F(chat_in_a_terminal, gives_the_model_no_escape_sequences_if_it_cannot_edit) {
    auto s = setup();
    s.term = "dumb";
    terminal_process chat(program, s);
    chat.type(up + left + "story\n" + ctrl_d);
    EXPECT_EQ(chat.wait(), 0);
    EXPECT_THAT(users(), ElementsAre("story"));
}

TEST_F(chat_in_a_terminal, takes_a_line_that_a_terminal_would_cut) {
    const std::string line(5000, 'x');
    EXPECT_THAT(lines_of(line + "\r"), ElementsAre(line));
}

TEST_F(chat_in_a_terminal, reports_that_a_line_is_cut_if_it_cannot_edit) {
    auto s = setup();
    s.term = "dumb";
    terminal_process chat(program, s);
    chat.type(std::string(5000, 'x') + "\n");
    EXPECT_THAT(chat.shown_until("skipped"), HasSubstr("a line is longer than 4094 bytes"));
    chat.type(ctrl_d);
    EXPECT_EQ(chat.wait(), 1);
    EXPECT_THAT(users(), ElementsAre());
}

TEST_F(chat_in_a_terminal, reports_what_a_line_may_have) {
    terminal_process chat(program, setup());
    chat.shown_until("> ");
    chat.type(pasted(std::string((64 << 10) + 1, 'x')));
    EXPECT_THAT(chat.shown_until("dropped"), HasSubstr("a line is limited to 65536 bytes"));
    chat.type("story\r" + ctrl_d);
    EXPECT_EQ(chat.wait(), 0);
    EXPECT_THAT(users(), ElementsAre("story"));
}

TEST_F(chat_in_a_terminal, reports_that_what_is_put_back_is_too_much) {
    std::string foxes;
    for (int i = 0; i < 16'000; ++i) foxes += "\xF0\x9F\xA6\x8A";
    terminal_process chat(program, setup());
    chat.shown_until("> ");
    chat.type(pasted(foxes) + ctrl_u + ctrl_y + ctrl_y + ctrl_u + "story\r" + ctrl_d);
    EXPECT_THAT(chat.shown_until("dropped"), HasSubstr("the text that was put back is dropped"));
    EXPECT_EQ(chat.wait(), 0);
    EXPECT_THAT(users(), ElementsAre("story"));
}

TEST_F(chat_in_a_terminal, shows_what_is_typed_below_a_reply_that_continues) {
    terminal_process chat(program, setup());
    chat.shown_until("> ");
    chat.type("saga\r");
    chat.shown_until("night.");
    chat.type("ab");
    chat.shown_until("> ab");
    const auto shown = chat.shown_until("> ab");
    EXPECT_THAT(shown, StartsWith("\r"))
        << "the prompt is erased, and redrawn after the next sentence";
    chat.type("\r" + ctrl_d);
    EXPECT_THAT(chat.shown_until("> ab\r\n"), HasSubstr("[interrupted, heard up to"));
    EXPECT_EQ(chat.wait(), 0);
    EXPECT_THAT(users(), ElementsAre("saga", "ab"));
}

TEST_F(chat_in_a_terminal, drafts_the_reply_to_a_line_before_it_is_entered) {
    auto eager = setup();
    eager.args.emplace_back("--eager");
    terminal_process chat(program, eager);
    chat.shown_until("> ");
    chat.type("Tell me a story");
    while (users() != std::vector<std::string>{"Tell me a story"})
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    chat.type("\r");
    EXPECT_THAT(chat.shown_until("A fox went out at night."), Not(HasSubstr("error")));
    chat.type(ctrl_d);
    EXPECT_EQ(chat.wait(), 0);
}

TEST_F(chat_in_a_terminal, wraps_replies_at_words) {
    auto s = setup();
    s.columns = 20;
    terminal_process chat(program, s);
    chat.shown_until("> ");
    chat.type("story\r");
    EXPECT_THAT(chat.shown_until("night."), HasSubstr("A fox went out at\r\nnight."));
}

TEST_F(chat_in_a_terminal, draws_the_line_again_if_the_window_has_another_size) {
    terminal_process chat(program, setup());
    chat.shown_until("> ");
    chat.type("one two");
    chat.shown_until("two");
    chat.resize(40);
    EXPECT_THAT(chat.shown_until("> one two"), StartsWith("\r\x1b[J"));
}

TEST_F(chat_in_a_terminal, wraps_a_line_at_the_width_of_when_it_is_typed) {
    terminal_process chat(program, setup());
    chat.shown_until("> ");
    chat.type("story\r");
    chat.shown_until("night.");
    chat.resize(20);
    chat.type("abcdefghijklmnopqrstuvwxyz");
    EXPECT_THAT(chat.shown_until("z"), Not(HasSubstr("rs"))) << "a line of 20 columns ends there";
}

TEST_F(chat_in_a_terminal, leaves_the_terminal_as_it_was) {
    for (const auto& [signal, status] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
        terminal_process chat(program, setup());
        chat.shown_until("> ");
        chat.type("some");
        chat.shown_until("e");
        EXPECT_FALSE(chat.edits_lines_itself());
        chat.send_signal(signal);
        EXPECT_EQ(chat.wait(), status);
        EXPECT_TRUE(chat.edits_lines_itself());
    }
}

TEST_F(chat_in_a_terminal, ends_at_the_keys_for_it) {
    terminal_process chat(program, setup());
    chat.shown_until("> ");
    chat.type(ctrl_c);
    EXPECT_EQ(chat.wait(), 130);
}

TEST_F(chat_in_a_terminal, draws_the_line_again_if_the_program_continues) {
    terminal_process chat(program, setup());
    chat.shown_until("> ");
    chat.type("some");
    chat.shown_until("some");
    chat.send_signal(SIGSTOP);
    chat.send_signal(SIGCONT);
    chat.shown_until("> some");
    chat.type("thing\r" + ctrl_d);
    EXPECT_EQ(chat.wait(), 0);
    EXPECT_THAT(users(), ElementsAre("something"));
}

}  // namespace
}  // namespace tandem::testing
