#pragma once

#include <string>
#include <string_view>

namespace tandem::command {

/// A server and its model name.
struct named_server {
    /// Empty if unknown.
    std::string model{};
    std::string url{};
    /// Why the server did not report its model; empty if it reported it or was not queried.
    std::string no_answer_reason{};
    /// Whether each address of the URL's host is a server of its own.
    bool is_name = false;
    /// The file that lists the URL; empty if the URL was given directly.
    std::string file{};

    friend bool operator==(const named_server&, const named_server&) = default;
};

/// Parses `NAME=URL`, or a URL alone. A name may contain any character; the URL starts at the first
/// `=http://` or `=https://`. Instead of a URL, accepts `dns+http://…` and `dns+https://…`, which
/// set `is_name`, and `file:PATH`, which sets `file` and no URL.
named_server parse_named_server(std::string_view text);

}  // namespace tandem::command
