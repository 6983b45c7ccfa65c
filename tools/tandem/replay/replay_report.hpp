#pragma once

#include "os/whole_file.hpp"
#include "replay/replay_command.hpp"
#include "report/report_view.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Whether a report of that name is a page, or a drawing of one reply.
bool is_page(std::string_view name);
bool is_drawing(std::string_view name);

/// The report of one run, from its first event to its files.
class replay_report {
 public:
    /// `replies`: how many the run asks for.
    replay_report(const replay_options& options, int replies);

    /// Why there cannot be one, known before the run; or nothing.
    std::string fault() const;
    replay_view& view() noexcept { return view_; }
    /// At the end: why it was not written, or nothing.
    std::string write() const;

 private:
    std::string write_file(const std::string& name) const;

    std::vector<std::string> names_;
    int replies_;
    report_view view_;
};

}  // namespace tandem::command
