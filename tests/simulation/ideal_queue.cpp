#include "simulation/ideal_queue.hpp"

#include "simulation/simulated_world.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace tandem::test {
namespace {

constexpr double step_s = 0.005;
constexpr double ahead_s = 8;

struct ideal_caller {
    double next_turn = 0;
    double asked = 0;
    bool has_asked = false;
    std::vector<int> sentences{};
    std::size_t made = 0;
    std::size_t played = 0;
    double progress = 0;  // tokens of the next sentence; negative: seconds of prompt left
    std::optional<double> speech_ends{};
    std::optional<double> silent_since{};
};

class ideal_crowd {
 public:
    ideal_crowd(const crowd_rules& rules, std::uint64_t seed)
        : rules_(rules),
          random_(seed),
          word_s_(60.0 / 170 / rules.voice_speed),
          callers_(static_cast<std::size_t>(rules.callers)) {
        for (auto& c : callers_) c.next_turn = pick(random_, 0, 20'000) / 1000.0;
    }

    crowd_report run() {
        const double end = std::chrono::duration<double>(rules_.length).count();
        for (; now_ < end; now_ += step_s) {
            for (auto& c : callers_) follow(c);
            generate();
        }
        return std::move(report_);
    }

 private:
    void ask(ideal_caller& c) {
        c.sentences.resize(static_cast<std::size_t>(pick(random_, 3, 8)));
        for (auto& words : c.sentences) words = pick(random_, 7, 20);
        c.asked = now_;
        c.has_asked = true;
        c.made = c.played = 0;
        c.progress = -std::chrono::duration<double>(rules_.prompt_time).count();
        c.speech_ends.reset();
        c.silent_since.reset();
        ++report_.turns;
    }
    double speech_s(int words) const { return words * word_s_; }

    void follow(ideal_caller& c) {
        if (!c.has_asked && now_ >= c.next_turn) ask(c);
        if (!c.has_asked) return;
        if (!c.speech_ends) {
            if (c.made > 0) begin_speech(c);
        } else if (now_ >= *c.speech_ends) {
            end_speech(c);
        }
    }
    void begin_speech(ideal_caller& c) {
        report_.first_chunk_ms.push_back((now_ - c.asked) * 1000);
        c.speech_ends = now_ + speech_s(c.sentences[0]);
        c.played = 1;
    }
    void end_speech(ideal_caller& c) {
        if (c.played == c.sentences.size()) {
            c.has_asked = false;
            c.next_turn = now_ + std::chrono::duration<double>(rules_.pause_between_turns).count();
        } else if (c.made > c.played) {
            const auto silent = std::exchange(c.silent_since, {});
            report_.gap_ms.push_back(silent ? (now_ - *silent) * 1000 : 0);
            c.speech_ends = (silent ? now_ : *c.speech_ends) + speech_s(c.sentences[c.played++]);
        } else if (!c.silent_since) {
            c.silent_since = c.speech_ends;
        }
    }

    // The time when the listener will have heard all sentences made so far. Before the speech
    // begins, the time when the reply was requested.
    double due_of(const ideal_caller& c) const {
        if (!c.speech_ends) return c.asked;
        const auto begin = c.sentences.begin() + static_cast<std::ptrdiff_t>(c.played);
        const auto end = c.sentences.begin() + static_cast<std::ptrdiff_t>(c.made);
        return std::max(now_, *c.speech_ends) + speech_s(std::accumulate(begin, end, 0));
    }

    void generate() {
        std::vector<std::pair<double, ideal_caller*>> wanting;
        for (auto& c : callers_)
            if (c.has_asked && c.made < c.sentences.size() && due_of(c) - now_ < ahead_s)
                wanting.emplace_back(due_of(c), &c);
        std::sort(wanting.begin(), wanting.end());
        // The number of replies that together reach the server's total speed.
        const auto most =
            std::min(rules_.slots, static_cast<int>(rules_.total_speed / rules_.speed));
        wanting.resize(std::min(wanting.size(), static_cast<std::size_t>(std::max(most, 1))));
        const auto running = std::max<double>(1, static_cast<double>(wanting.size()));
        const double speed = std::min(rules_.speed, rules_.total_speed / running);
        for (const auto& [due, c] : wanting) advance(*c, speed);
    }
    // A sentence is complete once the token after the sentence has been generated.
    static void advance(ideal_caller& c, double speed) {
        if (c.progress < 0) return void(c.progress = std::min(0.0, c.progress + step_s));
        c.progress += speed * step_s;
        if (c.progress < c.sentences[c.made] + 2) return;
        ++c.made;
        c.progress = 1;
    }

    const crowd_rules rules_;
    rng random_;
    double word_s_;
    std::vector<ideal_caller> callers_;
    double now_ = 0;
    crowd_report report_;
};

}  // namespace

crowd_report run_ideal_queue(const crowd_rules& rules, std::uint64_t seed) {
    return ideal_crowd(rules, seed).run();
}

}  // namespace tandem::test
