#pragma once

#include <functional>
#include <string_view>

namespace tandem {

/// How much a log line matters; `off` is for `logger::level` alone.
enum class log_level { debug, info, warning, error, off };

/// Where the library's log lines go. It is called on the strand of the client or service. It must
/// not block, must not throw, and must not call the library: it is in the middle of something. The
/// text is one line without a newline, and never holds a key or a prompt. `tandem/spdlog.hpp` makes
/// one from a spdlog logger.
using log_function = std::function<void(log_level, std::string_view)>;

/// A log function and the level below which nothing is formatted. The default is silent.
struct logger {
    log_level level = log_level::info;  ///< lines below it are not even formatted
    log_function write{};               ///< empty: nothing is logged

    /// Whether a line of this level goes anywhere.
    bool enabled(log_level l) const noexcept { return write && l >= level; }
};

}  // namespace tandem
