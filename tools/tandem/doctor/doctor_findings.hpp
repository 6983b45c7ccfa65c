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
    note,     ///< worth knowing; nothing has to be done
    warning,  ///< a bot works, but not as well as it could
    bad,      ///< a bot would break
};

std::string_view status_name(finding_status s) noexcept;

/// Which part of the screen a finding belongs to.
enum class finding_group { server, measured };

/// The answer to one question that a user has about a server.
struct finding {
    using value_type = std::variant<std::monostate, std::int64_t, double, std::string>;

    /// Stays the same from version to version: "context". Only "build_fault" may come repeatedly.
    std::string name;
    finding_status status = finding_status::ok;
    /// For programs: the figure or word that the finding is about.
    value_type value{};
    std::string message{};
    /// What to do; empty where there is nothing to be done.
    std::string remedy{};
    finding_group group = finding_group::server;
};

/// All that can be said, in the order in which people ask. Pure.
std::vector<finding> findings_of(const doctor_facts& facts);

/// True if one of them would break a bot.
bool any_bad(const std::vector<finding>& findings);

/// Our words about a fault, taken apart: "what is wrong; what to do (detail)".
struct fault_words {
    std::string what;
    std::string remedy;
};
fault_words words_of(const failure& f);

}  // namespace tandem::command
