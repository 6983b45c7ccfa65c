#pragma once

#include "probe/doctor_facts.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// One thing to set.
struct advised_setting {
    /// A field of the configuration, "reuse_guard", or a flag of llama-server, "--parallel".
    std::string name;
    std::string value;
    /// What it is now; empty where that is not known.
    std::string current{};
    std::string reason;
};

struct doctor_advice {
    std::vector<advised_setting> tandem{};
    std::vector<advised_setting> llama_server{};
    /// How to start the server; what /props does not tell is left out.
    std::string command{};
};

/// Advises only what this version of tandem takes. Empty where /props was not answered. Pure.
doctor_advice advice_of(const doctor_facts& facts);

}  // namespace tandem::command
