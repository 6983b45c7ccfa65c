#include "flags/user_speech_flags.hpp"

#include "flags/flag_parsing.hpp"

#include <chrono>

namespace tandem::command {
namespace {

constexpr duration shortest_interval = std::chrono::milliseconds(10);
constexpr duration longest_interval = std::chrono::minutes(1);
// A draft lives for 5 s.
constexpr duration longest_draft = std::chrono::milliseconds(4900);

}  // namespace

void user_speech_flags::add_to(CLI::App& app, const char* group) {
    add_value_flag(app, "--partials", partials, "TIME",
                   "users speak, at 150 words per minute; interval of partial transcripts, whose "
                   "words are evaluated early [users do not speak]",
                   group);
    add_value_flag(app, "--eager", eager, "TIME",
                   "users speak; draft the reply this long before the end of a turn is certain "
                   "[no drafts]",
                   group);
    add_value_flag(app, "--revise", revise, "N",
                   "share of last words of partial transcripts that are wrong, and of turns with a "
                   "pause that is mistaken for their end, 0 to 1 [0]",
                   group);
}

user_speech_rules user_speech_flags::read(std::vector<std::string>& faults) const {
    user_speech_rules rules;
    if (!partials.empty())
        read_time("--partials", partials, rules.partials.emplace(), faults, shortest_interval,
                  longest_interval);
    if (!eager.empty())
        read_time("--eager", eager, rules.eager.emplace(), faults, {}, longest_draft);
    if (revise.empty()) return rules;
    read_decimal("--revise", revise, 0, 1, rules.revise, faults);
    if (!rules.speak()) faults.push_back("--revise requires --partials or --eager");
    return rules;
}

}  // namespace tandem::command
