#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

// For the sources of this room that read requests.
namespace tandem::gateway {

/// A function that may be called.
struct callable {
    std::string name{};
    /// The schema of its arguments; nullptr if it takes none.
    const nlohmann::ordered_json* parameters = nullptr;
};

/// The schema, as JSON text, of an answer that is a call of one of `functions` as an object of
/// `name` and `parameters`, or else what the schema `words` allows; nullptr = nothing else.
/// References inside the given schemas stay right. (The names are those of Llama's calls, and not
/// `arguments`: so the name comes first also where a schema's members are put in order.)
std::string answer_schema(std::span<const callable> functions, const nlohmann::ordered_json* words);

}  // namespace tandem::gateway
