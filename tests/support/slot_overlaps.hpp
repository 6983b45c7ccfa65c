#pragma once

#include "tandem_mock/observations.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace tandem::testing {

/// Completions that came for a slot before the one before them there was over or given up, as the
/// server saw it: "7 to slot 1 before the end of 5". The slots' own histories cannot tell: a
/// server runs one request at a time there whatever it is sent.
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
