#pragma once

#include "base/failure.hpp"

#include "tandem/config.hpp"

#include <curl/curl.h>

#include <string>
#include <string_view>

namespace tandem::transport {

/// What the words about a failed exchange need besides curl's code.
struct failure_context {
    /// The server's URL and the proxy's, without credentials.
    std::string_view url{};
    std::string_view proxy{};
    bool https = false;
    duration connect_timeout{};
    /// The request's own limit in its place.
    std::optional<duration> connect_within{};
    /// What is to be started where nobody listens.
    std::string_view peer = "llama-server";
    /// curl's own words.
    std::string_view detail{};
    /// Status of the answer, and of a proxy's answer to CONNECT; 0 if there was none.
    int http_status = 0;
    long proxy_status = 0;
};

/// `code` is never CURLE_OK.
failure describe(CURLcode code, const failure_context& context);

/// The answer ended well for curl, but without a status line.
failure describe_missing_status(const failure_context& context);

/// A fault of the configuration, in its own words.
failure invalid_config(std::string text);

}  // namespace tandem::transport
