#include "replay/junit_report.hpp"

#include "os/atomic_file.hpp"

#include <utility>

namespace tandem::command {

junit_report::junit_report(std::string path, std::string input, int expectations)
    : path_(std::move(path)), input_(std::move(input)), expectations_(expectations) {}

std::string junit_report::fault() const {
    if (path_.empty()) return {};
    if (expectations_ == 0)
        return "--junit: no line of the prompts has expect; add it to one, or omit the flag";
    const auto fault = atomic_file(path_).fault();
    return fault.empty() ? fault : "--junit: " + fault;
}

std::string junit_report::write() const {
    if (path_.empty()) return {};
    const auto unchecked = expectations_ - static_cast<int>(cases_.size());
    const auto fault = atomic_file(path_).write(junit_text(input_, cases_, unchecked));
    return fault.empty() ? fault : "--junit: " + fault;
}

// Counts turns instead of replies: the name of a test case must not depend on how often the model
// calls functions.
void junit_report::on_reply_ended(const end_event& e) {
    if (!e.checked || path_.empty()) return;
    const reply_name of_turn{e.where.id, e.where.turn, e.where.turn};
    cases_.push_back({format_reply_name(of_turn), *e.checked});
}

}  // namespace tandem::command
