#pragma once

#include "tandem/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::testing {

/// Stores every log line and checks the contents of the lines.
class captured_log {
 public:
    /// A logger that stores the lines of all levels. The logger may outlive this object.
    tandem::logger logger() const {
        return {log_level::debug, [kept = kept_](log_level level, std::string_view line) {
                    const std::lock_guard lock(kept->mutex);
                    kept->lines.emplace_back(level, std::string(line));
                }};
    }

    /// The number of lines of this level that contain `part`.
    std::size_t count(log_level level, std::string_view part) const {
        const std::lock_guard lock(kept_->mutex);
        return static_cast<std::size_t>(
            std::count_if(kept_->lines.begin(), kept_->lines.end(), [&](const auto& entry) {
                return entry.first == level && entry.second.find(part) != std::string::npos;
            }));
    }

    /// Fails the test if a line contains `secret`.
    void expect_nowhere(std::string_view secret) const {
        const std::lock_guard lock(kept_->mutex);
        for (const auto& [level, line] : kept_->lines)
            EXPECT_EQ(line.find(secret), std::string::npos) << "logged: " << line;
    }

    /// Fails the test for each line for which `is_right` returns false.
    template <class IsRight>
    void expect_each(IsRight is_right) const {
        const std::lock_guard lock(kept_->mutex);
        for (const auto& [level, line] : kept_->lines)
            EXPECT_TRUE(is_right(line)) << "logged: " << line;
    }

 private:
    struct store {
        std::mutex mutex;
        std::vector<std::pair<log_level, std::string>> lines;
    };
    std::shared_ptr<store> kept_ = std::make_shared<store>();
};

}  // namespace tandem::testing
