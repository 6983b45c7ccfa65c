#include "os/exit_status.hpp"

#include "os/signal_pipe.hpp"

#include <fmt/format.h>

#include <csignal>

namespace tandem::command {

void print_output_failure(terminal& t, std::string_view who) {
    if (!t.failure().empty() && !t.is_pipe_closed())
        t.print_error(fmt::format("{}: {}", who, t.failure()));
}

int choose_exit_status(const terminal& t, bool good) {
    if (const auto lost = lost_output_exit_status(t)) return *lost;
    if (signal_pipe::received_signal() != 0) return by_signal + signal_pipe::received_signal();
    return good ? all_good : not_all_good;
}

std::optional<int> lost_output_exit_status(const terminal& t) {
    if (t.failure().empty() || signal_pipe::has_hung_up()) return std::nullopt;
    return t.is_pipe_closed() ? by_signal + SIGPIPE : not_all_good;
}

}  // namespace tandem::command
