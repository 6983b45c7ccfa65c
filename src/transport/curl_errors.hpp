#pragma once

#include "base/failure.hpp"

#include "tandem/config.hpp"

#include <curl/curl.h>

#include <string>
#include <string_view>

namespace tandem::transport {

/// Context for the description of a failed exchange, in addition to curl's code.
struct failure_context {
    /// URLs of the server and the proxy, without credentials.
    std::string_view url{};
    std::string_view proxy{};
    bool https = false;
    duration connect_timeout{};
    /// The request's own connect limit, if it has one that applies instead of connect_timeout.
    std::optional<duration> connect_within{};
    /// The program to start if nothing listens at the URL.
    std::string_view peer = "llama-server";
    /// curl's own error message.
    std::string_view detail{};
    /// Status of the answer, and of a proxy's answer to CONNECT; 0 if there was none.
    int http_status = 0;
    long proxy_status = 0;
};

/// `code` must not be CURLE_OK.
failure make_curl_failure(CURLcode code, const failure_context& context);

/// The answer ended without an error from curl, but had no status line.
failure make_missing_status_failure(const failure_context& context);

/// A configuration fault, with `text` as its message.
failure make_config_failure(std::string text);

}  // namespace tandem::transport
