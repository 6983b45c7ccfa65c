#pragma once

#include "transport/curl_handles.hpp"
#include "transport/curl_transport.hpp"
#include "transport/server_url.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tandem::transport {

struct http_request;

/// Easy handles with all options set that are the same for each request. They are used again, as
/// that spares the work and keeps TLS sessions; connections are never used again.
class easy_pool {
 public:
    explicit easy_pool(curl_options options);

    /// What is wrong with the options; then there is nothing to take().
    const std::optional<std::string>& fault() const noexcept { return fault_; }
    const server_url& server() const noexcept { return server_; }
    const curl_options& options() const noexcept { return options_; }
    /// The proxy without its credentials.
    const std::string& shown_proxy() const noexcept { return shown_proxy_; }

    /// A handle prepared for `request`, whose body must outlive its use, as must `own`, where the
    /// headers are that no other request has; null with `code` set if curl refuses.
    easy_handle take(const http_request& request, header_list& own, CURLcode& code);
    void give_back(easy_handle easy) noexcept;
    /// Of a request that is to be connected sooner than others.
    std::optional<duration> own_connect_limit(const http_request& request) const noexcept;

 private:
    CURLcode set_fixed(CURL* easy) const;
    CURLcode set_request(CURL* easy, const http_request& request, header_list& own) const;
    header_list make_headers(bool has_body) const;

    curl_options options_;
    std::optional<std::string> fault_;
    server_url server_;
    std::string shown_proxy_;
    header_list headers_;
    header_list json_headers_;
    std::vector<easy_handle> idle_;
};

}  // namespace tandem::transport
