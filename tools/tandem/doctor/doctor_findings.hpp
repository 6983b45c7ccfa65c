#pragma once

#include "probe/doctor_facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::command {

enum class finding_status {
    ok,
    note,     ///< worth knowing; no action needed
    warning,  ///< a bot works, but not optimally
    bad,      ///< a bot would fail
};

std::string_view status_name(finding_status s) noexcept;

/// The section of the report that contains a finding.
enum class finding_group { server, measured, cluster };

/// The result of one check of a server.
struct finding {
    using value_type = std::variant<std::monostate, std::int64_t, double, std::string>;

    /// Stable across versions, such as "context". Only "build_fault" may occur repeatedly.
    std::string name;
    finding_status status = finding_status::ok;
    /// The machine-readable value of the finding.
    value_type value{};
    std::string message{};
    /// What the user should do; empty if no action is needed.
    std::string remedy{};
    finding_group group = finding_group::server;
};

/// Returns all findings, in the order of the report. Pure.
std::vector<finding> collect_findings(const doctor_facts& facts);

/// Returns true if any finding means that a bot would fail.
bool has_bad_finding(const std::vector<finding>& findings);

/// An error message of the library, split into its parts: "what is wrong; what to do (detail)".
struct error_message_parts {
    std::string what;
    std::string remedy;
};
error_message_parts split_error_message(const failure& f);

}  // namespace tandem::command
