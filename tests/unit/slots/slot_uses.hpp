#pragma once

#include "slots/slot_scheduler.hpp"
#include "support/at.hpp"
#include "support/next_grant.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace tandem::test {

/// The guard of most tests.
constexpr duration guard = std::chrono::seconds(2);

/// Uses one slot for each entry of `ends`, from 0 s on, and releases the slot at the entry's time.
inline void use_all(slots::slot_scheduler& s, const std::vector<duration>& ends) {
    for (std::size_t i = 0; i < ends.size(); ++i) s.request();
    ASSERT_EQ(s.take_grants(at({})).size(), ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) s.release(static_cast<int>(i), at(ends[i]));
}

/// The only possible grant at `now`.
inline slots::grant only_grant(slots::slot_scheduler& s, time_point now) {
    const auto given = s.take_grants(now);
    EXPECT_EQ(given.size(), 1u);
    return given.empty() ? slots::grant{} : given.front();
}

}  // namespace tandem::test
