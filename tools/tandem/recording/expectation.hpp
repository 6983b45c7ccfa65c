#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace tandem::command {

/// A regular expression to search for in the text of a turn.
struct text_pattern {
    std::string source{};
    std::regex regex{};
};

struct expected_call {
    std::string name{};
    /// A JSON object that the arguments must contain; empty = any.
    std::string arguments{};
};

/// What the outcome of a turn must be; unset fields allow anything.
struct expectation {
    std::optional<text_pattern> text{};
    std::optional<text_pattern> not_text{};
    /// Exactly these calls, in this order.
    std::optional<std::vector<expected_call>> calls{};
    /// Empty = any.
    std::string finish_reason{};
    /// Upper limits.
    std::optional<double> first_chunk_ms{};
    std::optional<double> gap_ms{};
    std::optional<int> min_chunks{};
    std::optional<int> max_chunks{};
    /// The JSON object that the expectation was read from.
    std::string source{};
};

/// Reads `expect` of a line or turn. `faults` receives the faults; `where` is the path of `expect`
/// in the messages.
expectation read_expectation(const nlohmann::ordered_json& value, const std::string& where,
                             std::vector<std::string>& faults);

}  // namespace tandem::command
