#pragma once

#include "doctor/doctor_findings.hpp"

#include <string_view>
#include <vector>

// The checks by topic; each function appends its findings. Pure.
namespace tandem::command {

/// The remedy for a server that generates too slowly.
inline constexpr std::string_view faster_model_remedy =
    "use a smaller model or quantization, or a GPU (-ngl 99)";

/// Checks that a llama-server is reachable, accepts the API key and has loaded its model.
void check_connection(const doctor_facts& facts, std::vector<finding>& all);
/// Checks the settings that the server reports. Precondition: facts.props.ok().
void check_setup(const doctor_facts& facts, std::vector<finding>& all);
/// Checks the store of the gateways. Precondition: facts.store.
void check_cluster(const doctor_facts& facts, std::vector<finding>& all);
/// Checks the measurements. Precondition: facts.measured.done.
void check_measurements(const doctor_facts& facts, std::vector<finding>& all);

}  // namespace tandem::command
