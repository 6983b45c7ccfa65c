#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

// Internal to the gateway's request parsers.
namespace tandem::gateway {

/// A function that may be called.
struct callable {
    std::string name{};
    /// Schema of the arguments; nullptr if the function takes none.
    const nlohmann::ordered_json* parameters = nullptr;
};

/// The JSON schema of an answer that is a call of one of `functions`, an object of `name` and
/// `parameters`. If `words` is not nullptr, an answer that matches this schema is also allowed.
/// References inside the given schemas are adjusted. (The member names are those of Llama's calls:
/// unlike `arguments`, `parameters` sorts after `name`, so that the name comes first even if a
/// schema's members are sorted.)
std::string answer_schema(std::span<const callable> functions, const nlohmann::ordered_json* words);

}  // namespace tandem::gateway
