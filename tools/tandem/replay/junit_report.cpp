#include "replay/junit_report.hpp"

#include "os/atomic_file.hpp"

#include <utility>

namespace tandem::command {

junit_report::junit_report(std::string path, std::string input, int expectations)
    : path_(std::move(path)), input_(std::move(input)), expectations_(expectations) {}

std::string junit_report::fault() const {
    if (path_.empty()) return {};
    if (expectations_ == 0) return "--junit: no line of the prompts has expect";
    const auto fault = atomic_file(path_).fault();
    return fault.empty() ? fault : "--junit: " + fault;
}

std::string junit_report::write() const {
    if (path_.empty()) return {};
    const auto unchecked = expectations_ - static_cast<int>(cases_.size());
    const auto fault = atomic_file(path_).write(junit_text(input_, cases_, unchecked));
    return fault.empty() ? fault : "--junit: " + fault;
}

void junit_report::on_reply_ended(const end_event& e) {
    if (e.checked && !path_.empty()) cases_.push_back({format_reply_name(e.where), *e.checked});
}

}  // namespace tandem::command
