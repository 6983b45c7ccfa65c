#pragma once

#include "transport/transport.hpp"

#include "tandem/config.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::transport {

/// Where to send requests, and how; the fields of `tandem::config` with the same names.
struct curl_options {
    std::string url;
    std::string api_key;
    std::string ca_file;
    std::string ca_path;
    std::string proxy;
    duration connect_timeout = std::chrono::seconds(5);
    /// Name of the program at the URL, for messages; must live as long as the program.
    std::string_view peer = "llama-server";
    /// Additional headers in printable ASCII, as "Name: value".
    std::vector<std::string> headers{};
};

inline curl_options curl_options_of(const config& c) {
    return {c.server.url,   c.server.api_key,         c.server.ca_file, c.server.ca_path,
            c.server.proxy, c.limits.connect_timeout, "llama-server",   {}};
}

/// A transport based on libcurl. `executor` must run one handler at a time: a strand, or the
/// executor of an io_context with one thread. All functions must be called on it. Each exchange
/// reports invalid options to on_end() as invalid_config.
///
/// The transport may be destroyed inside a handler, and while its own handlers are queued.
/// Exchanges must be destroyed first (asserted; without assertions they call no more handlers). The
/// io_context must outlive the transport, as with all I/O objects.
std::unique_ptr<http_transport> make_curl_transport(boost::asio::any_io_executor executor,
                                                    curl_options options);

}  // namespace tandem::transport
