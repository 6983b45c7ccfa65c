#include "tandem/saved_conversation.hpp"

#include "chunks.hpp"
#include "conversation/history/turn_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::conversations {
namespace {

using namespace std::chrono_literals;

saved_conversation read_back(const saved_conversation& c) {
    saved_conversation read;
    const auto fault = read_saved(saved_text(c), read);
    EXPECT_FALSE(fault) << fault->field << " " << fault->message;
    return read;
}

TEST(saved_conversation, is_refused_with_options_out_of_range) {
    saved_conversation c;
    c.options.trim_slack = 0.95;
    const auto before = saved_conversation{};
    saved_conversation read;
    const auto fault = read_saved(saved_text(c), read);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->field, "options.trim_slack");
    EXPECT_EQ(fault->message, "is 0.95; it must be a number from 0 to 0.9");
    EXPECT_EQ(read, before);
}

TEST(saved_conversation, is_refused_with_too_many_late_calls) {
    saved_conversation c, read;
    c.late_calls.resize(max_late_calls);
    EXPECT_FALSE(read_saved(saved_text(c), read));
    c.late_calls.emplace_back();
    const auto fault = read_saved(saved_text(c), read);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->field, "late_calls");
    EXPECT_EQ(fault->message, "has 129 calls; the maximum is 128");
}

TEST(saved_conversation, is_refused_if_the_text_is_none) {
    saved_conversation read;
    const auto fault = read_saved("{", read);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->field, "conversation");
}

TEST(saved_conversation, has_a_running_turn_as_if_it_were_interrupted) {
    turn_history history;
    history.append({"user", "Hi"});
    history.begin_turn();
    history.begin_reply(1);
    history.on_handed_over(chunk_of({1, 0}, "One two."));
    history.record_heard({}, {1, 0}, 3);
    const auto saved = history.saved();
    EXPECT_EQ(saved.exchanges.back().messages.back().content, "One");
    EXPECT_EQ(saved.last_turn, (saved_turn{8, 8, 3}));
    EXPECT_EQ(history.state({}), turn_state::running);
    EXPECT_EQ(history.transcript().back().content, "One two.");
}

TEST(saved_conversation, leaves_a_turn_open_that_can_still_be_resumed) {
    turn_history history;
    history.append({"user", "Hi"});
    history.begin_turn();
    history.record_unspoken_text({}, "One");
    history.on_interrupted({});
    history.saved();
    EXPECT_TRUE(history.can_resume({}));
}

/// A running turn that has handed over two chunks, of which the first was heard.
turn_history make_running_turn() {
    turn_history history;
    history.append({"user", "Hi"});
    history.begin_turn();
    history.begin_reply(7);
    history.on_handed_over(chunk_of({7, 0}, "One two."));
    history.on_handed_over(chunk_of({7, 1}, " Three four."));
    history.on_continued({}, {7, 0});
    return history;
}

TEST(saved_conversation, is_resumed_elsewhere_after_what_was_heard) {
    turn_history elsewhere(read_back(make_running_turn().saved()), time_point{5s});
    EXPECT_EQ(elsewhere.transcript().back().content, "One two.");
    EXPECT_EQ(elsewhere.newest_reply(), 7U);
    EXPECT_EQ(elsewhere.resume(time_point{6s}), " Three four.");
    EXPECT_EQ(elsewhere.spoken(), "One two.");
    EXPECT_EQ(elsewhere.messages_before_turn().size(), 1U);
}

TEST(saved_conversation, is_resumed_elsewhere_after_the_chunk_that_is_spoken) {
    turn_history elsewhere(read_back(make_running_turn().saved()), time_point{5s});
    EXPECT_EQ(elsewhere.resume(time_point{6s}, chunk_id{7, 1}), "");
    EXPECT_TRUE(elsewhere.record_heard(time_point{6s}, {7, 1}, 6));
    elsewhere.on_interrupted(time_point{6s});
    EXPECT_EQ(elsewhere.transcript().back().content, "One two. Three");
}

TEST(saved_conversation, continues_elsewhere_with_the_next_message) {
    turn_history elsewhere(read_back(make_running_turn().saved()), time_point{5s});
    elsewhere.append({"user", "And?"});
    ASSERT_EQ(elsewhere.messages().size(), 3U);
    EXPECT_EQ(elsewhere.messages()[1].content, "One two.");
}

TEST(saved_conversation, keeps_a_given_text_apart_from_the_words_before_it) {
    turn_history history;
    history.append({"user", "Hi"});
    history.append({"assistant", "We have"});
    history.begin_turn();
    history.set_given_text("One moment.");
    history.begin_reply(7);
    history.on_handed_over(chunk_of({7, 0}, "One moment."));
    history.record_heard({}, {7, 0}, 3);
    turn_history elsewhere(read_back(history.saved()), time_point{5s});
    EXPECT_EQ(elsewhere.messages().back().content, "We have One");
    elsewhere.resume(time_point{6s});
    EXPECT_EQ(elsewhere.messages().back().content, "We have One moment.");
}

TEST(saved_conversation, cannot_be_resumed_after_its_grace) {
    auto saved = make_running_turn().saved();
    saved.options.resume_grace = 1s;
    const turn_history elsewhere(saved, time_point{5s});
    EXPECT_TRUE(elsewhere.can_resume(time_point{5s}));
    EXPECT_FALSE(elsewhere.can_resume(time_point{6s}));
}

TEST(saved_conversation, is_not_open_if_its_turn_is_complete_or_has_called) {
    auto complete = make_running_turn();
    complete.on_turn_ended({}, finish_reason::eos);
    EXPECT_FALSE(complete.saved().open_turn);
    auto calling = make_running_turn();
    calling.record_calls({{"1", "book", "{}"}});
    EXPECT_FALSE(calling.saved().open_turn);
}

TEST(saved_conversation, is_refused_with_places_outside_of_its_open_turn) {
    const auto fault_with = [](auto change) {
        auto saved = make_running_turn().saved();
        change(*saved.open_turn);
        saved_conversation read;
        const auto fault = read_saved(saved_text(saved), read);
        return fault ? fault->field : "";
    };
    EXPECT_EQ(fault_with([](auto&) {}), "");
    EXPECT_EQ(fault_with([](auto& t) { t.heard = 100; }), "open_turn.heard");
    EXPECT_EQ(fault_with([](auto& t) { t.spoken = t.heard + 1; }), "open_turn.heard");
    EXPECT_EQ(fault_with([](auto& t) { t.handed_over = t.heard - 1; }), "open_turn.handed_over");
    EXPECT_EQ(fault_with([](auto& t) { t.chunks[0].end = t.handed_over + 1; }),
              "open_turn.chunks[0]");
    EXPECT_EQ(fault_with([](auto& t) { t.chunks.push_back({.reply = 8}); }), "open_turn.chunks[1]");
    EXPECT_EQ(fault_with([](auto& t) { t.kept_messages = 3; }), "open_turn.kept_messages");
    EXPECT_EQ(fault_with([](auto& t) {
                  t.text = "One é";
                  t.handed_over = t.heard = 5;
                  t.spoken = 0;
                  t.chunks.clear();
              }),
              "open_turn.heard");
}

TEST(saved_conversation, is_not_heard_inside_a_character_that_its_runs_part) {
    for (const auto& runs : {std::vector<speech_run>{{4, 4}, {4, 5}},
                             std::vector<speech_run>{{3, 3}, {2, 2}, {3, 4}}}) {
        auto saved = make_running_turn().saved();
        auto& turn = *saved.open_turn;
        turn.text = "Café bar";
        turn.handed_over = turn.text.size();
        turn.heard = turn.spoken = 0;
        turn.chunks = {{.reply = 7, .end = turn.text.size(), .speech = "Cafe bar"}};
        turn.chunks[0].speech_runs = runs;
        turn_history elsewhere(read_back(saved), time_point{5s});
        EXPECT_TRUE(elsewhere.record_heard(time_point{5s}, {7, 0}, 4));
        EXPECT_EQ(elsewhere.saved().open_turn->heard, 3U);
    }
}

/// A history after random calls. The seed determines the calls.
class random_history {
 public:
    explicit random_history(unsigned seed) : random_(seed) {
        conversation_options o;
        o.messages = {{"system", text()}, {"assistant", text()}};
        o.messages.resize(below(3), {"system", text()});
        o.interrupted = history_policy(below(4));
        o.interrupted_mark = below(2) ? "…" : "";
        o.resume_grace = duration(below(2'000'000'000));
        o.reply_reserve = static_cast<int>(below(1000));
        o.trim_slack = static_cast<double>(below(90)) / 100;
        o.isolate = below(2) == 0;
        o.raw = below(2) == 0;
        history_ = turn_history(std::move(o));
        for (auto n = below(60); n > 0; --n) step();
    }
    turn_history& history() { return history_; }

 private:
    std::size_t below(std::size_t n) { return random_() % n; }
    std::string text() {
        static constexpr std::string_view parts[] = {
            "a", "word", " the", " ", "\n", ". ", "\"", "\\", "é", "我", "😀", "<|im_end|>", "{}"};
        std::string made;
        for (auto n = below(8); n > 0; --n) made += parts[below(std::size(parts))];
        return made;
    }
    void append() {
        static constexpr const char* roles[] = {"user",      "user", "user",
                                                "assistant", "tool", "system"};
        chat_message m{roles[below(std::size(roles))], text()};
        if (m.role == "tool") m.tool_call_id = text();
        if (m.role == "assistant") m.tool_calls = calls();
        history_.append(std::move(m));
    }
    void step() {
        now_ += std::chrono::milliseconds(below(400));
        switch (below(11)) {
            case 0:
                return append();
            case 1:
                history_.begin_turn();
                return history_.begin_reply(++reply_);
            case 2:
            case 3:
                return history_.on_handed_over(chunk_of({reply_, seq_++}, "x" + text()));
            case 4:
                history_.record_heard(now_, {reply_, seq_ - 1}, below(12));
                return;
            case 5:
                return history_.on_turn_ended(now_, finish_reason(below(5)));
            case 6:
                history_.on_interrupted(now_);
                return history_.record_unspoken_text(now_, text());
            case 7:
                if (history_.resume(now_)) history_.begin_reply(++reply_);
                return;
            case 8:
                return history_.record_calls(calls());
            case 9:
                history_.answer_call(text(), text(), below(2) == 0);
                return;
            default:
                history_.record_prompt_tokens(prompt_ += static_cast<int>(below(50)));
                if (below(4) == 0) history_.drop_oldest(below(3));
        }
    }
    std::vector<tool_call> calls() {
        if (below(3)) return {};
        return {{text(), text(), text()}};
    }

    std::mt19937 random_;
    turn_history history_;
    time_point now_{};
    std::uint64_t reply_ = 0;
    std::uint32_t seq_ = 0;
    int prompt_ = 0;
};

template <class Check>
void for_random_histories(Check check) {
    for (unsigned seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        random_history random(seed);
        check(random.history());
    }
}

TEST(saved_conversation, is_the_same_after_text_and_history) {
    for_random_histories([](turn_history& history) {
        const auto saved = history.saved();
        const auto read = read_back(saved);
        EXPECT_EQ(read, saved);
        const turn_history restored(read);
        EXPECT_EQ(restored.saved(), saved);
        EXPECT_EQ(restored.last_turn(), history.last_turn());
        if (history.state({}) == turn_state::running) return;
        EXPECT_EQ(restored.transcript(), history.transcript());
        EXPECT_EQ(restored.messages(), history.messages());
        EXPECT_EQ(restored.measure_exchanges(), history.measure_exchanges());
    });
}

TEST(random_histories, never_have_the_user_speak_twice_in_a_prompt) {
    for_random_histories([](turn_history& history) {
        const auto messages = history.messages();
        for (std::size_t i = 1; i < messages.size(); ++i)
            EXPECT_FALSE(messages[i].role == "user" && messages[i - 1].role == "user");
    });
}

TEST(random_histories, do_not_change_what_is_settled) {
    for_random_histories([](turn_history& history) {
        history.on_interrupted({});
        history.append({"user", "Next"});
        const auto before = history.transcript();
        for (std::uint64_t reply = 0; reply < 20; ++reply)
            for (std::uint32_t seq = 0; seq < 20; ++seq) {
                history.on_continued({}, {reply, seq});
                EXPECT_FALSE(history.record_heard({}, {reply, seq}, 99));
            }
        history.record_unspoken_text({}, "more");
        EXPECT_FALSE(history.on_interrupted({}));
        EXPECT_FALSE(history.resume({}));
        EXPECT_EQ(history.transcript(), before);
    });
}

}  // namespace
}  // namespace tandem::conversations
