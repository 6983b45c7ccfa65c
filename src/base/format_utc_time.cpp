#include "base/format_utc_time.hpp"

#include <fmt/chrono.h>

namespace tandem {

std::string format_utc_time(std::chrono::system_clock::time_point time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(time) - seconds;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), ms.count());
}

}  // namespace tandem
