#include "flags/user_speech_flags.hpp"

#include <chrono>

namespace tandem::command {
namespace {

constexpr duration min_interval = std::chrono::milliseconds(10);
constexpr duration max_interval = std::chrono::minutes(1);
// A draft expires after 5 s, so it must begin less than 5 s before the certain end of the turn.
constexpr duration max_draft = std::chrono::milliseconds(4900);

}  // namespace

void add_user_speech_flags(command_flags& flags, user_speech_rules& rules) {
    flags.add_time(
        "--partials", rules.partials,
        "interval of partial transcripts, whose words are evaluated early; users then speak "
        "at 150 words per minute [users do not speak]",
        "", min_interval, max_interval);
    flags.add_time(
        "--eager", rules.eager,
        "draft the reply this long before the end of a turn is certain; users then speak "
        "[no drafts]",
        "", {}, max_draft);
    const auto read_share = [&](const std::string& text, std::vector<std::string>& faults) {
        rules.revise = read_decimal("--revise", text, 0, 1, faults).value_or(0);
        if (!flags.is_set("--partials") && !flags.is_set("--eager"))
            faults.push_back("--revise requires --partials or --eager");
    };
    flags.add("--revise", "N",
              "fraction of partial transcripts with a wrong last word, and of turns with a pause "
              "that is mistaken for their end, 0 to 1 [0]",
              read_share);
}

}  // namespace tandem::command
