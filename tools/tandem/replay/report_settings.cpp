#include "replay/report_settings.hpp"

#include "run/replay_text.hpp"

#include "tandem/config_fields.hpp"
#include "tandem/version.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace tandem::command {
namespace {

std::string prompts_text(const replay_options& options, int replies) {
    auto text = fmt::format("{} repl{} requested", replies, replies == 1 ? "y" : "ies");
    if (options.played) return text;  // the recording has its own entry
    const auto* const from = options.file.empty() ? "the command line" : nullptr;
    return text + ", from " + (from ? from : options.file == "-" ? "stdin" : options.file);
}

std::string voice_text(const speech_pace& pace) {
    return pace.words_per_minute > 0 ? fmt::format("{:g} words a minute", pace.words_per_minute)
                                     : "none: each chunk is continued at once";
}

std::string run_text(const replay_options& options) {
    return fmt::format("{} at a time, each line {} time{}", options.concurrency,
                       options.conversations, options.conversations == 1 ? "" : "s");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> report_settings(
    const replay_options& options, int replies, std::chrono::system_clock::time_point now) {
    const auto& c = options.service.client;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
    std::vector<std::pair<std::string, std::string>> list{
        {"tandem", TANDEM_VERSION_STRING},
        {"began", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds))}};
    if (options.played) {
        list.emplace_back("played", "from " + options.played_source);
        list.emplace_back("figures", fmt::format("those {}", recorded_figures));
    }
    list.insert(list.end(), {{"prompts", prompts_text(options, replies)},
                             {"dialogues", run_text(options)},
                             {"pacing", field_text(c, "pacing")},
                             {"reuse guard", field_text(c, "reuse_guard")},
                             {"voice", voice_text(options.pace)}});
    return list;
}

}  // namespace tandem::command
