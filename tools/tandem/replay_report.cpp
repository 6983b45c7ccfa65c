#include "replay_report.hpp"

#include "report_drawing.hpp"
#include "report_page.hpp"
#include "report_settings.hpp"

#include <fmt/format.h>

#include <chrono>

namespace tandem::command {
namespace {

// What a drawing, which has little room, tells of its run.
std::string head_of(const report_run& run) {
    std::string head;
    for (const auto& [name, value] : run.settings)
        if (name == "tandem" || name == "pacing" || name == "reuse guard" || name == "server")
            head += fmt::format("{}{} {}", head.empty() ? "" : " · ", name, value);
    return head;
}

}  // namespace

bool is_drawing(const std::string& name) {
    return name.ends_with(".svg");
}

replay_report::replay_report(const replay_options& options, int replies)
    : name_(options.report),
      replies_(replies),
      file_(options.report),
      view_(report_settings(options, replies, std::chrono::system_clock::now())) {}

std::string replay_report::fault() const {
    if (is_drawing(name_) && replies_ != 1)
        return fmt::format(
            "--report is {}, which shows one reply, and this run has {}; give a name in .html",
            name_, replies_);
    const auto fault = file_.fault();
    return fault.empty() ? fault : "--report: " + fault;
}

std::string replay_report::write() const {
    const auto& run = view_.run();
    if (is_drawing(name_) && run.replies.empty())
        return fmt::format("--report: {} was not written, as there was no reply", name_);
    const auto fault = file_.write(
        is_drawing(name_) ? drawing_file(run.replies.front(), head_of(run)) : report_page(run));
    return fault.empty() ? fault : "the report is lost: " + fault;
}

}  // namespace tandem::command
