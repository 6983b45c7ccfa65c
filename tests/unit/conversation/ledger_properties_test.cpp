#include "conversation/history/turn_ledger.hpp"
#include "text/characters/utf8.hpp"
#include "text/speech/speech_text_maker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::conversations {
namespace {

/// A turn with random chunks, reports and resumes, checked against `model_`, the text of the whole
/// turn. The seed determines the turn.
class random_turn {
 public:
    explicit random_turn(unsigned seed) : random_(seed) {
        static constexpr std::string_view parts[] = {
            "a",  "word", " the", " ",   "\n",  ".", "! ",   "**",  "_",     "é",
            "我", "。",   "😀",    " on", "](x", "[", "&lt;", "<b>", "don't", " 1"};
        for (auto n = below(60); n > 0; --n) model_ += parts[below(std::size(parts))];
        begin_reply();
    }

    void step() {
        switch (below(8)) {
            case 0:
            case 1:
            case 2:
                return hand_over();
            case 3:
                return turn_.on_continued(some_chunk());
            case 4:
                return static_cast<void>(turn_.record_heard(some_chunk(), below(30)));
            case 5:
                return static_cast<void>(turn_.record_heard_share(
                    some_chunk(), static_cast<double>(below(14)) / 10 - 0.2));
            case 6:
                return turn_.record_unspoken_text(next_text(below(12)));
            default:
                if (below(4) == 0) below(2) ? resume() : speak_on();
        }
    }
    void finish() {
        while (at_ < model_.size()) hand_over();
    }
    void check() {
        EXPECT_GE(turn_.generated_bytes(), turn_.handed_over_bytes());
        EXPECT_GE(turn_.handed_over_bytes(), turn_.heard_bytes());
        EXPECT_EQ(turn_.generated_bytes(), turn_.text().size());
        EXPECT_EQ(turn_.text(), model_.substr(0, turn_.generated_bytes()));
        EXPECT_EQ(turn_.handed_over_bytes(), at_);
        EXPECT_GE(turn_.heard_bytes(), heard_before_);
        heard_before_ = turn_.heard_bytes();
        for (const auto policy : {history_policy::heard, history_policy::handed_over,
                                  history_policy::full, history_policy::none}) {
            const auto kept = turn_.make_history_text(policy, "");
            EXPECT_TRUE(turn_.text().starts_with(kept));
            EXPECT_EQ(text::find_invalid_utf8(kept), std::string::npos);
        }
        EXPECT_LE(turn_.make_history_text(history_policy::heard, "").size(), turn_.heard_bytes());
    }
    const turn_ledger& turn() const { return turn_; }
    const std::string& model() const { return model_; }

 private:
    std::size_t below(std::size_t n) { return random_() % n; }
    void begin_reply() {
        turn_.begin_reply(++reply_);
        seq_ = 0;
        voice_ = text::speech_text_maker({});
    }
    std::string next_text(std::size_t most) {
        const auto end = text::floor_to_character(model_, at_ + most);
        return model_.substr(at_, std::max(end, at_) - at_);
    }
    void hand_over() {
        chunk c;
        c.id = {reply_, seq_};
        c.text = next_text(4 + below(20));
        if (c.text.empty()) return;
        ++seq_;
        if (below(3))
            voice_.fill_speech(c);
        else
            c.speech = c.text;
        turn_.on_handed_over(c);
        turn_.on_handed_over(c);
        at_ += c.text.size();
    }
    void resume() {
        const auto kept = turn_.make_history_text(history_policy::heard, "");
        const auto before = turn_.text();
        const auto rest = turn_.resume();
        EXPECT_EQ(kept + rest, before);
        EXPECT_EQ(turn_.heard_bytes(), kept.size());
        at_ = turn_.heard_bytes();
        heard_before_ = at_;
        begin_reply();
    }
    void speak_on() {
        const auto before = turn_.text();
        const auto heard = turn_.heard_bytes();
        const auto rest = turn_.resume(some_chunk());
        EXPECT_TRUE(before.ends_with(rest));
        at_ = turn_.handed_over_bytes();
        EXPECT_EQ(at_ + rest.size(), before.size());
        heard_before_ = std::min(heard, turn_.heard_bytes());
        begin_reply();
    }
    /// The id of a chunk of the current or another reply. The chunk may not exist yet.
    chunk_id some_chunk() {
        return {below(5) ? reply_ : reply_ - 1 + below(3), static_cast<std::uint32_t>(below(8))};
    }

    std::mt19937 random_;
    turn_ledger turn_;
    text::speech_text_maker voice_{text::speech_options()};
    std::string model_;
    std::size_t at_ = 0;  // bytes handed over
    std::size_t heard_before_ = 0;
    std::uint64_t reply_ = 0;
    std::uint32_t seq_ = 0;
};

TEST(ledger_properties, hold_after_any_chunks_reports_and_resumes) {
    for (unsigned seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        random_turn turn(seed);
        for (int i = 0; i < 40; ++i) {
            turn.step();
            turn.check();
        }
        turn.finish();
        turn.check();
        EXPECT_EQ(turn.turn().text(), turn.model());
    }
}

}  // namespace
}  // namespace tandem::conversations
