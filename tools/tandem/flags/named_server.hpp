#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// A server, and the model that it is said to have.
struct named_server {
    /// Empty if nothing is said of it.
    std::string model{};
    std::string url{};
    /// Why it did not tell when it was asked; empty if it was not, or did.
    std::string silent_because{};

    friend bool operator==(const named_server&, const named_server&) = default;
};

/// Reads `NAME=URL`, or a URL alone. A name may have any character; the URL begins at the first
/// `=http://` or `=https://`.
named_server parse_named_server(std::string_view text);

}  // namespace tandem::command
