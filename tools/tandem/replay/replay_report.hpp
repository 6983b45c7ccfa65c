#pragma once

#include "os/atomic_file.hpp"
#include "replay/replay_command.hpp"
#include "report/report_view.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Returns true if the file name denotes a page; false for a drawing of one reply.
bool is_page(std::string_view name);
bool is_drawing(std::string_view name);

/// The report of one run: collects the events and writes the files.
class replay_report {
 public:
    /// `replies`: the number of requested replies.
    replay_report(const replay_options& options, int replies);

    /// Checks before the run whether the reports can be written. Returns the error, or an empty
    /// string.
    std::string fault() const;
    replay_view& view() noexcept { return view_; }
    /// Writes the files at the end. Returns the error, or an empty string.
    std::string write() const;

 private:
    std::string write_file(const std::string& name) const;

    std::vector<std::string> names_;
    int replies_;
    report_view view_;
};

}  // namespace tandem::command
