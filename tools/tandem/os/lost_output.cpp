#include "os/lost_output.hpp"

#include "os/exit_status.hpp"
#include "os/stop_pipe.hpp"

#include <fmt/format.h>

#include <csignal>

namespace tandem::command {

void tell_lost_output(terminal& t, std::string_view who) {
    if (!t.failure().empty() && !t.reader_has_left())
        t.print_error(fmt::format("{}: {}", who, t.failure()));
}

std::optional<int> status_of_output(const terminal& t) {
    if (t.failure().empty() || stop_pipe::has_hung_up()) return std::nullopt;
    return t.reader_has_left() ? by_signal + SIGPIPE : not_all_good;
}

}  // namespace tandem::command
