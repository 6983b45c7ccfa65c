#pragma once

#include "tandem/log.hpp"

#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

namespace tandem {
inline namespace v0 {

/// A logger that writes to `target`, which it keeps alive. Thread-safe if `target` is.
inline logger log_to(std::shared_ptr<spdlog::logger> target, log_level level = log_level::info) {
    return {level, [target = std::move(target)](log_level l, std::string_view text) {
                constexpr spdlog::level::level_enum levels[] = {
                    spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                    spdlog::level::err, spdlog::level::off};
                target->log(levels[static_cast<int>(l)], "{}", text);
            }};
}

}  // namespace v0
}  // namespace tandem
