#include "run/user_speech.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <utility>

namespace tandem::command {
namespace {

// Short words that the recognizer reports instead of the right ones.
constexpr std::array<std::string_view, 4> misheard_words{"the", "a", "to", "you"};

double draw_share(std::mt19937_64& dice) {
    return std::uniform_real_distribution<double>(0, 1)(dice);
}

duration scale(duration d, double share) {
    return duration(std::llround(static_cast<double>(d.count()) * share));
}

// Plans one turn.
class speech_plan {
 public:
    speech_plan(std::string_view text, const user_speech_rules& rules, std::mt19937_64& dice)
        : text_(text), rules_(rules), dice_(dice), words_(split_words(text)) {
        choose_pause();
        time_words();
    }

    user_speech make() {
        if (rules_.partials) add_partials();
        if (pause_after_) add_mistaken_end();
        const auto end = ends_.empty() ? duration{} : ends_.back();
        if (rules_.eager && !ends_.empty()) add(end, kind::early_end, std::string(text_));
        // A stable sort, so that an end comes after a partial transcript with the same time.
        std::ranges::stable_sort(speech_.steps, {}, &user_speech_step::at);
        speech_.length = end + rules_.eager.value_or(duration{});
        return std::move(speech_);
    }

 private:
    using kind = user_speech_step::kind;

    void choose_pause() {
        if (!rules_.eager || words_.size() < 2 || draw_share(dice_) >= rules_.revise) return;
        pause_after_ = std::uniform_int_distribution<std::size_t>(1, words_.size() - 1)(dice_);
        // Shorter than `eager`: the user continues speaking before the end is certain.
        pause_ = scale(*rules_.eager, 0.5 + draw_share(dice_) / 2);
    }

    void time_words() {
        duration at{};
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (i == pause_after_) at += pause_;
            const auto& w = words_[i];
            at += speaking_time(user_pace, text_.substr(w.begin, w.end - w.begin));
            ends_.push_back(at);
        }
    }

    // A word that was wrong is right in the next transcript. The words reported with an early end
    // are always right.
    void add_partials() {
        std::size_t known = 0;
        bool is_wrong = false;
        for (auto at = *rules_.partials; !ends_.empty() && at < ends_.back();
             at += *rules_.partials) {
            const auto spoken =
                static_cast<std::size_t>(std::ranges::upper_bound(ends_, at) - ends_.begin());
            if (spoken == 0 || (spoken == known && !is_wrong)) continue;
            is_wrong =
                spoken > known && spoken != pause_after_ && draw_share(dice_) < rules_.revise;
            known = spoken;
            add(at, kind::partial, is_wrong ? with_wrong_word(spoken) : beginning(spoken));
        }
    }

    void add_mistaken_end() {
        const auto at = ends_[*pause_after_ - 1];
        add(at, kind::early_end, beginning(*pause_after_));
        add(at + pause_, kind::speaks_on, {});
    }

    void add(duration at, kind what, std::string text) {
        speech_.steps.push_back({at, what, std::move(text)});
    }

    std::string beginning(std::size_t words) const {
        return std::string(text_.substr(0, words_[words - 1].end));
    }

    std::string with_wrong_word(std::size_t words) {
        const auto& last = words_[words - 1];
        const auto right = text_.substr(last.begin, last.end - last.begin);
        const auto first = static_cast<std::size_t>(dice_() % misheard_words.size());
        const auto wrong = misheard_words[first] == right
                               ? misheard_words[(first + 1) % misheard_words.size()]
                               : misheard_words[first];
        return std::string(text_.substr(0, last.begin)).append(wrong);
    }

    std::string_view text_;
    const user_speech_rules& rules_;
    std::mt19937_64& dice_;
    std::vector<spoken_word> words_;
    std::vector<duration> ends_;  // of the words
    std::optional<std::size_t> pause_after_;
    duration pause_{};
    user_speech speech_;
};

}  // namespace

user_speech plan_user_speech(std::string_view text, const user_speech_rules& rules,
                             std::int64_t seed, std::string_view dialogue, int turn) {
    std::vector<std::uint32_t> values{static_cast<std::uint32_t>(seed),
                                      static_cast<std::uint32_t>(seed >> 32),
                                      static_cast<std::uint32_t>(turn)};
    for (const char c : dialogue) values.push_back(static_cast<unsigned char>(c));
    std::seed_seq mixed(values.begin(), values.end());
    std::mt19937_64 dice(mixed);
    return speech_plan(text, rules, dice).make();
}

}  // namespace tandem::command
