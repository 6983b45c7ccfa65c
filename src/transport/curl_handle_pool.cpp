#include "transport/curl_handle_pool.hpp"

#include "transport/transport.hpp"

#include "tandem/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tandem::transport {
namespace {

constexpr std::size_t max_idle = 16;
// In seconds.
constexpr long address_lifetime = 60;
// In bytes: the events of about sixty tokens. Each stream has a buffer of this size.
constexpr long read_at_once = 8192;

bool curl_is_ready() {
    // The initialization of a local static is thread-safe. curl is never cleaned up, because other
    // code may use it.
    static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    return code == CURLE_OK;
}

void set_connection(option_setter& set) {
    // Each request has its own connection: closing the connection cancels the request.
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_BUFFERSIZE, read_at_once);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
    set(CURLOPT_PROTOCOLS_STR, "http,https");
#else
    set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    // Without this option, cutting a request during its host name lookup would block until the
    // lookup ends.
    set(CURLOPT_QUICK_EXIT, 1L);
#endif
}

void set_trust(option_setter& set, const curl_options& o) {
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_PROXY_SSL_VERIFYPEER, 1L);
    set(CURLOPT_PROXY_SSL_VERIFYHOST, 2L);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (o.ca_file.empty() && o.ca_path.empty()) return;
    // Sets both options, because curl would use the system's certificates for an unset one.
    const char* file = o.ca_file.empty() ? nullptr : o.ca_file.c_str();
    const char* path = o.ca_path.empty() ? nullptr : o.ca_path.c_str();
    for (const auto option : {CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO}) set(option, file);
    for (const auto option : {CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH}) set(option, path);
}

long milliseconds_of(duration d) {
    // 0 would select curl's default.
    const auto count = std::chrono::ceil<std::chrono::milliseconds>(d).count();
    return static_cast<long>(std::clamp<decltype(count)>(count, 1, 1'000'000'000));
}

}  // namespace

curl_handle_pool::curl_handle_pool(curl_options options) : options_(std::move(options)) {
    if (!curl_is_ready()) throw std::bad_alloc();
    auto parsed = parse_server_url(options_.url);
    fault_ = parsed.fault ? std::move(parsed.fault) : check_api_key(options_.api_key);
    server_ = std::move(parsed.url);
    shown_proxy_ = without_credentials(options_.proxy);
    if (fault_) return;
    if (!server_.address.empty())
        append(connect_to_, fmt::format("::{}:", server_.address).c_str());
    headers_ = make_headers(false);
    json_headers_ = make_headers(true);
}

header_list curl_handle_pool::make_headers(bool has_body) const {
    header_list list;
    append(list, "Accept: text/event-stream, application/json");
    append(list, "Connection: close");
    append(list, "Expect:");
    if (!options_.api_key.empty())
        append(list, ("Authorization: Bearer " + options_.api_key).c_str());
    for (const auto& line : options_.headers) append(list, line.c_str());
    append(list, has_body ? "Content-Type: application/json" : "Content-Type:");
    return list;
}

easy_handle curl_handle_pool::prepare_handle(const http_request& request, header_list& own,
                                             CURLcode& code) {
    easy_handle easy;
    code = CURLE_OK;
    if (idle_.empty()) {
        easy.reset(curl_easy_init());
        code = easy ? set_common_options(easy.get()) : CURLE_OUT_OF_MEMORY;
    } else {
        easy = std::move(idle_.back());
        idle_.pop_back();
    }
    if (code == CURLE_OK) code = set_request_options(easy.get(), request, own);
    if (code != CURLE_OK) easy.reset();
    return easy;
}

std::optional<duration> curl_handle_pool::own_connect_timeout(
    const http_request& request) const noexcept {
    const auto& own = request.connect_within;
    return own && *own < options_.connect_timeout ? own : std::nullopt;
}

void curl_handle_pool::bypass_dns_cache_unless_connected(CURL* easy) noexcept {
    curl_off_t connect_time = 0;
    curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connect_time);
    is_address_doubtful_ = connect_time == 0;
}

void curl_handle_pool::return_handle(easy_handle easy) noexcept try {
    if (idle_.size() < max_idle) idle_.push_back(std::move(easy));
} catch (...) {
    // Out of memory: the handle is freed instead of kept.
}

CURLcode curl_handle_pool::set_common_options(CURL* easy) const {
    option_setter set(easy);
    set_connection(set);
    set_trust(set, options_);
    set(CURLOPT_USERAGENT, "tandem/" TANDEM_VERSION_STRING);
    set(CURLOPT_CONNECT_TO, connect_to_.get());
    set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
    if (options_.proxy == "none")
        set(CURLOPT_PROXY, "");
    else if (!options_.proxy.empty())
        set(CURLOPT_PROXY, options_.proxy.c_str());
    return set.result();
}

CURLcode curl_handle_pool::set_request_options(CURL* easy, const http_request& request,
                                               header_list& own) const {
    const bool sends_body = !request.body.empty() || request.method == "POST";
    const bool plain = request.method == (sends_body ? "POST" : "GET");
    option_setter set(easy);
    set(CURLOPT_DNS_CACHE_TIMEOUT, is_address_doubtful_ ? 0L : address_lifetime);
    set(CURLOPT_CONNECTTIMEOUT_MS,
        milliseconds_of(own_connect_timeout(request).value_or(options_.connect_timeout)));
    set(CURLOPT_URL, (server_.base + request.path).c_str());
    set(sends_body ? CURLOPT_POST : CURLOPT_HTTPGET, 1L);
    set(CURLOPT_CUSTOMREQUEST, plain ? nullptr : request.method.c_str());
    if (sends_body) {
        set(CURLOPT_POSTFIELDS, request.body.c_str());
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
    if (!request.traceparent.empty()) {
        own = make_headers(!request.body.empty());
        append(own, ("traceparent: " + request.traceparent).c_str());
    }
    const auto& shared = request.body.empty() ? headers_ : json_headers_;
    set(CURLOPT_HTTPHEADER, (own ? own : shared).get());
    return set.result();
}

}  // namespace tandem::transport
