#pragma once

#include "transport/curl_handles.hpp"
#include "transport/curl_transport.hpp"
#include "transport/server_url.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tandem::transport {

struct http_request;

/// Easy handles with all request-independent options set. Reusing them saves work and keeps TLS
/// sessions; connections are never reused.
class curl_handle_pool {
 public:
    explicit curl_handle_pool(curl_options options);

    /// The fault of the options; if there is one, prepare_handle() must not be called.
    const std::optional<std::string>& fault() const noexcept { return fault_; }
    const server_url& server() const noexcept { return server_; }
    const curl_options& options() const noexcept { return options_; }
    /// The proxy's URL without credentials.
    const std::string& redacted_proxy() const noexcept { return shown_proxy_; }

    /// Prepares a handle for `request`. `own` receives the headers if the request needs its own
    /// list. It and the request's body must outlive the use of the handle. If curl reports an
    /// error, sets `code` and returns null.
    easy_handle prepare_handle(const http_request& request, header_list& own, CURLcode& code);
    void return_handle(easy_handle easy) noexcept;
    /// Reports that the transfer of this handle has ended. If the transfer did not connect, later
    /// ones resolve the host name again, because a restarted server may have another address.
    void bypass_dns_cache_unless_connected(CURL* easy) noexcept;
    /// The request's own connect timeout, if it is shorter than the general one.
    std::optional<duration> own_connect_timeout(const http_request& request) const noexcept;

 private:
    CURLcode set_common_options(CURL* easy) const;
    CURLcode set_request_options(CURL* easy, const http_request& request, header_list& own) const;
    header_list make_headers(bool has_body) const;

    curl_options options_;
    std::optional<std::string> fault_;
    server_url server_;
    std::string shown_proxy_;
    header_list headers_;
    header_list json_headers_;
    /// For CURLOPT_CONNECT_TO: the URL's address; null if the URL has none.
    header_list connect_to_;
    std::vector<easy_handle> idle_;
    bool is_address_doubtful_ = false;
};

}  // namespace tandem::transport
