#pragma once

#include "probe/doctor_facts.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// A recommended setting.
struct advised_setting {
    /// A field of the configuration ("reuse_guard") or a flag of llama-server ("--parallel").
    std::string name;
    std::string value;
    /// The current value; empty if unknown.
    std::string current{};
    std::string reason;
};

struct doctor_advice {
    std::vector<advised_setting> tandem{};
    std::vector<advised_setting> llama_server{};
    /// A command line for the server. Omits settings that /props does not report.
    std::string command{};
};

/// Recommends only settings that this version of tandem supports. Returns an empty object if /props
/// did not answer. Pure.
doctor_advice make_advice(const doctor_facts& facts);

}  // namespace tandem::command
