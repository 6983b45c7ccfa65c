#pragma once

#include "transport/transport.hpp"

#include "tandem/config.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace tandem::transport {

/// Where requests go and how; the fields of `tandem::config` with the same names.
struct curl_options {
    std::string url;
    std::string api_key;
    std::string ca_file;
    std::string ca_path;
    std::string proxy;
    duration connect_timeout = std::chrono::seconds(5);
    /// What listens there, as messages call it; lives as long as the program.
    std::string_view peer = "llama-server";
};

inline curl_options curl_options_of(const config& c) {
    return {c.url, c.api_key, c.ca_file, c.ca_path, c.proxy, c.connect_timeout, "llama-server"};
}

/// A transport on libcurl. `executor` must run one handler at a time: a strand, or the executor of
/// an io_context with one thread; all functions must be called on it. Options with a fault are
/// reported by each exchange's on_end() as invalid_config.
///
/// The transport may be destroyed inside a handler, and with handlers of its own still queued;
/// exchanges must be destroyed first (asserted; without assertions they fall silent). As with all
/// I/O objects, the io_context must outlive it.
std::unique_ptr<http_transport> make_curl_transport(boost::asio::any_io_executor executor,
                                                    curl_options options);

}  // namespace tandem::transport
