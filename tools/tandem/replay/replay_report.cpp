#include "replay/replay_report.hpp"

#include "base/format_count.hpp"
#include "report/report_drawing.hpp"
#include "report/report_page.hpp"
#include "run/replay_text.hpp"

#include "tandem/config_fields.hpp"
#include "tandem/version.hpp"

#include <boost/algorithm/string/predicate.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <utility>

namespace tandem::command {
namespace {

// Returns the main settings, because a drawing has no room for all of them.
std::string head_of(const report_run& run) {
    std::string head;
    for (const auto& [name, value] : run.settings)
        if (name == "tandem" || name == "played" || name == "pacing" || name == "reuse guard" ||
            name == "server" || name == "recorded server")
            head += fmt::format("{}{} {}", head.empty() ? "" : " · ", name, value);
    return head;
}

std::string lost_by(const std::string& fault) {
    return fault.empty() ? fault : "cannot write the report: " + fault;
}

std::string prompts_text(const replay_options& options, int replies) {
    auto text = format_count(replies, "reply") + " requested";
    if (options.played) return text;  // the entry "played" names the recording
    const auto* const from = options.file.empty() ? "the command line" : nullptr;
    return text + ", from " + (from ? from : options.file == "-" ? "stdin" : options.file);
}

std::string voice_text(const speech_pace& pace) {
    return pace.words_per_minute > 0 ? fmt::format("{:g} words a minute", pace.words_per_minute)
                                     : "none: each chunk is continued at once";
}

std::string run_text(const replay_options& options) {
    return fmt::format("{} at a time, each line {}", options.concurrency,
                       format_count(options.conversations, "time"));
}

// Returns the settings of a run that are known before it begins, as names and values.
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

}  // namespace

bool is_page(std::string_view name) {
    return boost::iends_with(name, ".html") || boost::iends_with(name, ".htm");
}

bool is_drawing(std::string_view name) {
    return boost::iends_with(name, ".svg");
}

replay_report::replay_report(const replay_options& options, int replies)
    : names_(options.reports),
      replies_(replies),
      view_(report_settings(options, replies, std::chrono::system_clock::now()),
            options.played != nullptr) {}

std::string replay_report::fault() const {
    for (const auto& name : names_) {
        if (is_drawing(name) && replies_ != 1)
            return fmt::format(
                "--report is {}, which can show only one reply, but this run has {}; use a name "
                "that ends in .html",
                name, replies_);
        if (const auto fault = atomic_file(name).fault(); !fault.empty())
            return "--report: " + fault;
    }
    return {};
}

std::string replay_report::write() const {
    std::vector<std::string> faults;
    for (const auto& name : names_)
        if (auto fault = write_file(name); !fault.empty()) faults.push_back(std::move(fault));
    return fmt::format("{}", fmt::join(faults, "; "));
}

std::string replay_report::write_file(const std::string& name) const {
    const auto& run = view_.run();
    const auto not_written = [&](std::string_view why) {
        return fmt::format("--report: {} was not written, as {}", name, why);
    };
    if (!is_drawing(name)) return lost_by(atomic_file(name).write(report_page(run)));
    if (run.replies.empty() && run.left_out == 0) return not_written("there was no reply");
    const auto drawing =
        run.replies.empty() ? "" : make_svg_file(run.replies.front(), head_of(run));
    if (drawing.empty() || drawing.size() > max_report_bytes)
        return not_written(fmt::format("its reply takes more than {} MiB", max_report_bytes >> 20));
    return lost_by(atomic_file(name).write(drawing));
}

}  // namespace tandem::command
