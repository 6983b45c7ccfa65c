#include "transport/curl_errors.hpp"

#include "transport/tls_failure.hpp"
#include "wire/stream/sanitize_server_text.hpp"

#include "tandem/config_fields.hpp"

#include <boost/system/error_code.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tandem::transport {
namespace {

constexpr std::string_view untrusted_start = "the certificate of ";

errc errc_of(CURLcode code) noexcept {
    switch (code) {
        case CURLE_URL_MALFORMAT:
        case CURLE_BAD_FUNCTION_ARGUMENT:
        case CURLE_NOT_BUILT_IN:
        case CURLE_UNKNOWN_OPTION:
            return errc::invalid_config;
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_RESOLVE_PROXY:
            return errc::resolve_failed;
        // The connect timeout is the only timeout that curl is given.
        case CURLE_OPERATION_TIMEDOUT:
            return errc::connect_timeout;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_ENGINE_NOTFOUND:
        case CURLE_SSL_ENGINE_SETFAILED:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_USE_SSL_FAILED:
        case CURLE_SSL_ENGINE_INITFAILED:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_SHUTDOWN_FAILED:
        case CURLE_SSL_CRL_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        case CURLE_SSL_INVALIDCERTSTATUS:
        case CURLE_SSL_CLIENTCERT:
            return errc::tls_failed;
        case CURLE_GOT_NOTHING:
        case CURLE_PARTIAL_FILE:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
            return errc::stream_incomplete;
        // curl reports CURLE_UNSUPPORTED_PROTOCOL for data that does not start with a status line.
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_WEIRD_SERVER_REPLY:
        case CURLE_BAD_CONTENT_ENCODING:
            return errc::bad_response;
#if LIBCURL_VERSION_NUM >= 0x080600
        case CURLE_TOO_LARGE:
            return errc::response_too_large;
#endif
        default:
            return errc::connect_failed;
    }
}

bool is_out_of_memory(CURLcode code) noexcept {
    // Our write callback fails only if memory is exhausted.
    return code == CURLE_OUT_OF_MEMORY || code == CURLE_WRITE_ERROR || code == CURLE_FAILED_INIT;
}

// curl uses the same error code whether the server rejects a handshake or dies during one.
bool broke_off(const failure_context& c) noexcept {
    // getpeername() fails if the reset arrives before curl queries the peer's address.
    constexpr std::array<std::string_view, 4> words{"SSL_ERROR_SYSCALL", "reset by peer",
                                                    "unexpected eof", "getpeername() failed"};
    return std::any_of(words.begin(), words.end(),
                       [&c](auto w) { return c.detail.find(w) != std::string::npos; });
}

bool is_about_proxy(CURLcode code, const failure_context& c) noexcept {
    return code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY || c.proxy_status >= 300;
}

std::string words_about_proxy(CURLcode code, const failure_context& c) {
    const std::string proxy =
        c.proxy.empty() ? "the proxy from the environment" : fmt::format("the proxy {}", c.proxy);
    const auto* advice = "check proxy, or set it to \"none\" to use no proxy";
    if (c.proxy_status == 407)
        return fmt::format(
            "{} requires credentials to connect to {}; set proxy to http://user:password@host:port",
            proxy, c.url);
    if (c.proxy_status >= 300)
        return fmt::format("{} refused to connect to {} with HTTP {}; {}", proxy, c.url,
                           c.proxy_status, advice);
    const auto* verb = code == CURLE_COULDNT_RESOLVE_PROXY ? "cannot be resolved" : "failed";
    return fmt::format("{} for {} {}; {}", proxy, c.url, verb, advice);
}

std::string words_about_tls(CURLcode code, const failure_context& c) {
    if (code == CURLE_SSL_CACERT_BADFILE)
        return fmt::format("cannot read the trusted certificates for {}; check ca_file and ca_path",
                           c.url);
    if (code == CURLE_PEER_FAILED_VERIFICATION)
        return fmt::format(
            "{}{} is not trusted; check the host name in the URL, or set ca_file to the "
            "certificate of its issuer",
            untrusted_start, c.url);
    return fmt::format("the TLS handshake with {} failed; check that the port speaks https", c.url);
}

constexpr std::string_view silent_handshake =
    "the port does not answer the TLS handshake: if it speaks http, use http:// in the URL";

// Whether the timeout expired after the server had accepted the TCP connection.
bool is_in_handshake(const failure_context& c) {
    return c.https && c.detail.find("SSL") != std::string_view::npos;
}

std::string connect_limit(const failure_context& c) {
    if (c.connect_within) return to_string(*c.connect_within);
    return fmt::format("connect_timeout ({})", to_string(c.connect_timeout));
}

std::string words(errc e, CURLcode code, const failure_context& c) {
    switch (e) {
        case errc::resolve_failed:
            return fmt::format("the host name of {} cannot be resolved; check the URL", c.url);
        case errc::connect_timeout:
            return fmt::format(
                "no connection to {} within {}; {}", c.url, connect_limit(c),
                is_in_handshake(c) ? silent_handshake : "check host, port and firewall");
        case errc::tls_failed:
            return words_about_tls(code, c);
        case errc::stream_incomplete:
            return c.http_status == 0
                       ? fmt::format("{} closed the connection without an answer; {}", c.url,
                                     c.https ? "the server may have died"
                                             : "the server may have died, or the port speaks https")
                       : fmt::format(
                             "the connection to {} closed before the answer was complete; "
                             "the server may have died",
                             c.url);
        case errc::bad_response:
            return fmt::format("the answer of {} is not HTTP; check host and port", c.url);
        case errc::response_too_large:
            return fmt::format("the headers of {}'s answer are too large; check the URL", c.url);
        case errc::invalid_config:
            return fmt::format("libcurl rejected the request to {}; check url, proxy and ca_path",
                               c.url);
        default:
            return fmt::format("cannot connect to {}; start {}, or check host and port", c.url,
                               c.peer);
    }
}

// Finds the environment variable that sets a proxy, because users easily forget it; null if none is
// set.
const char* environment_proxy(bool https) {
    constexpr std::array https_names{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    constexpr std::array http_names{"http_proxy", "all_proxy", "ALL_PROXY", ""};
    for (const char* name : https ? https_names : http_names)
        if (const char* value = *name ? std::getenv(name) : nullptr; value && *value) return name;
    return nullptr;
}

std::string proxy_note(errc e, const failure_context& c) {
    if (e != errc::connect_failed && e != errc::connect_timeout) return {};
    if (c.proxy == "none") return {};
    if (!c.proxy.empty()) return fmt::format("; the request uses the proxy {}", c.proxy);
    const char* name = environment_proxy(c.https);
    return name ? fmt::format("; {} may set a proxy; set proxy to \"none\" to use no proxy", name)
                : std::string();
}

std::string with_detail(std::string text, const failure_context& c) {
    // curl's message about a faulty proxy contains the credentials, so it is left out.
    const bool quotes_credentials =
        c.detail.find("proxy") != std::string::npos && c.detail.find('@') != std::string::npos;
    if (quotes_credentials) return text;
    // curl's message may contain the server's text, for example a name in a certificate.
    return c.detail.empty() ? text
                            : fmt::format("{} ({})", text, wire::sanitize_server_text(c.detail));
}

failure make_failure(error_code ec, std::string text, int http_status) {
    return {ec, {std::move(text), {}, http_status}};
}

}  // namespace

failure make_curl_failure(CURLcode code, const failure_context& c) {
    if (is_out_of_memory(code))
        return make_failure(
            boost::system::errc::make_error_code(boost::system::errc::not_enough_memory),
            fmt::format("out of memory for the request to {}", c.url), c.http_status);
    if (is_about_proxy(code, c)) {
        const auto e =
            code == CURLE_COULDNT_RESOLVE_PROXY ? errc::resolve_failed : errc::connect_failed;
        return make_failure(e, with_detail(words_about_proxy(code, c), c), c.http_status);
    }
    if (code == CURLE_SSL_CONNECT_ERROR && broke_off(c))
        return make_failure(
            errc::connect_failed,
            with_detail(fmt::format("{} closed the connection in the TLS handshake; the server may "
                                    "have died, or the port does not speak https",
                                    c.url),
                        c),
            c.http_status);
    const auto e = errc_of(code);
    return make_failure(e, with_detail(words(e, code, c) + proxy_note(e, c), c), c.http_status);
}

failure reclassify_handshake_timeout(failure f) {
    if (f.ec == errc::connect_timeout &&
        f.diag.client_message.find(silent_handshake) != std::string::npos)
        f.ec = errc::tls_failed;
    return f;
}

bool is_untrusted_certificate(const failure& f) {
    return f.ec == errc::tls_failed && f.diag.client_message.starts_with(untrusted_start);
}

failure make_missing_status_failure(const failure_context& c) {
    return make_failure(errc::stream_incomplete, words(errc::stream_incomplete, CURLE_OK, c), 0);
}

failure make_config_failure(std::string text) {
    return make_failure(errc::invalid_config, std::move(text), 0);
}

}  // namespace tandem::transport
