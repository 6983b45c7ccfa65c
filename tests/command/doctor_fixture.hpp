#pragma once

#include "support/child_process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tandem::testing {

using nlohmann::json;

/// The exit status and output of a run of `tandem doctor`.
struct doctor_run {
    int status = 0;
    std::string out{};
    std::string err{};

    json object() const { return json::parse(out); }
    /// The check with this name; null if there is none.
    json check(const std::string& name) const {
        const auto all = object();
        for (const auto& c : all["checks"])
            if (c["name"] == name) return c;
        return {};
    }
};

/// Starts `tandem doctor` with these arguments. The command ignores the machine's proxy settings.
inline child_process start_doctor(std::vector<std::string> args) {
    args.insert(args.begin(), {"doctor", "--proxy", "none"});
    return child_process(TANDEM_COMMAND, {.args = std::move(args)});
}

inline doctor_run wait_for_doctor(child_process& child) {
    auto end = child.wait();
    return {end.status, std::move(end.out), std::move(end.err)};
}

}  // namespace tandem::testing
