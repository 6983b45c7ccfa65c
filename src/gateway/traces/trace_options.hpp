#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tandem::gateway {

/// Where to send traces.
struct trace_options {
    /// Base URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; empty = no
    /// traces.
    std::string endpoint{};
    /// Names and values of additional headers, such as the collector's API key. Never logged.
    std::vector<std::pair<std::string, std::string>> headers{};
    /// Whether spans contain the texts of prompts and replies.
    bool texts = false;
};

}  // namespace tandem::gateway
