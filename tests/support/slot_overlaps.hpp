#pragma once

#include "tandem_mock/observations.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace tandem::testing {

/// Completions that reached a slot before the previous completion there had ended or its client had
/// left, such as "7 to slot 1 before the end of 5". The records of the slots do not show overlaps,
/// because the server runs one request at a time on each slot.
inline std::vector<std::string> slot_overlaps(const mock::observations& seen) {
    std::vector<std::string> found;
    std::map<int, mock::request_record> last;
    for (const auto& r : seen.of_path("/completion")) {
        const auto before = last.find(r.id_slot);
        if (before != last.end()) {
            const auto& b = before->second;
            const bool is_over = (b.client_gone && *b.client_gone <= r.arrived) ||
                                 (b.ended && *b.ended <= r.arrived);
            if (!is_over)
                found.push_back(fmt::format("{} to slot {} before the end of {}", r.number,
                                            r.id_slot, b.number));
        }
        last.insert_or_assign(r.id_slot, r);
    }
    return found;
}

}  // namespace tandem::testing
