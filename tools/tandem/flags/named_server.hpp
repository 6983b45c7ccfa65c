#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// A server and its model name.
struct named_server {
    /// Empty if unknown.
    std::string model{};
    std::string url{};
    /// Why the server did not report its model; empty if it was not queried or did report it.
    std::string no_answer_reason{};

    friend bool operator==(const named_server&, const named_server&) = default;
};

/// Parses `NAME=URL`, or a URL alone. A name may contain any character; the URL starts at the first
/// `=http://` or `=https://`.
named_server parse_named_server(std::string_view text);

}  // namespace tandem::command
