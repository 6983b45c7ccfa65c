#pragma once

#include <functional>
#include <string_view>

namespace tandem {
inline namespace v0 {

/// Severity of a log line; `off` is only for `logger::level`.
enum class log_level { debug, info, warning, error, off };

/// Receives the library's log lines on the strand of the client or service. It must not block,
/// throw, or call the library. The text is one line without a newline, and never contains a key or
/// a prompt. `tandem/spdlog.hpp` makes a log function that writes to a spdlog logger.
using log_function = std::function<void(log_level, std::string_view)>;

/// A log function and its level. The default is silent.
struct logger {
    log_level level = log_level::info;  ///< less severe lines are not even formatted
    log_function write{};               ///< empty: nothing is logged

    /// Whether a line of this level is logged.
    bool enabled(log_level l) const noexcept { return write && l >= level; }
};

}  // namespace v0
}  // namespace tandem
