#include "gateway/http/tls_context.hpp"

#include <boost/asio/buffer.hpp>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string_view>
#include <utility>

namespace tandem::gateway {
namespace {

namespace ssl = boost::asio::ssl;

// Disables features that current TLS 1.2 clients do not need. Sessions resume by tickets, so that
// clients cannot make the gateway store session state.
void set_bounds(ssl::context& context) {
    auto* const handle = context.native_handle();
    SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION);
    SSL_CTX_set_options(handle, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(handle, SSL_SESS_CACHE_OFF);
}

bool is_of_library(const boost::system::error_code& ec, int library) {
    return ERR_GET_LIB(static_cast<unsigned long>(ec.value())) == library;
}

// OpenSSL's own messages, such as "DECODER routines::unsupported", do not help users.
std::string fault_of_certificates(ssl::context& context, std::string_view certificates) {
    boost::system::error_code ec;
    context.use_certificate_chain(boost::asio::buffer(certificates), ec);
    if (!ec) return {};
    if (is_of_library(ec, ERR_LIB_SSL))
        return "has a certificate that is too weak for TLS; use RSA with at least 2048 bits or "
               "ECDSA, and SHA-256";
    return "has no valid PEM certificate; it must contain the certificate and its chain, each "
           "between the lines -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----";
}

// Both forms of an encrypted key have this word in their headers.
bool has_password(std::string_view key) {
    return key.find("ENCRYPTED") != std::string_view::npos;
}

std::string fault_of_key(ssl::context& context, std::string_view key) {
    boost::system::error_code ec;
    context.use_private_key(boost::asio::buffer(key), ssl::context::pem, ec);
    const bool is_other_key = is_of_library(ec, ERR_LIB_X509);
    if (ec && !is_other_key && has_password(key))
        return "has a password; write the key without it into another file: openssl pkey -in "
               "OLD_FILE -out NEW_FILE";
    if (ec && !is_other_key)
        return "has no valid PEM private key; it must contain the key between the lines "
               "-----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----";
    // use_private_key() accepts a key whose type differs from the certificate's, so the key is
    // checked again.
    if (ec || SSL_CTX_check_private_key(context.native_handle()) != 1)
        return "is not the key of the certificate; give the key that was made for it";
    return {};
}

}  // namespace

std::shared_ptr<ssl::context> make_tls_context(const tls_credentials& credentials,
                                               std::vector<config_fault>& faults) {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    set_bounds(*context);
    // Without this callback, OpenSSL would ask for a password on the terminal.
    context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return ""; });
    const auto known = faults.size();
    if (auto fault = fault_of_certificates(*context, credentials.certificates); !fault.empty())
        faults.push_back({"tls.certificates", std::move(fault)});
    else if (fault = fault_of_key(*context, credentials.key); !fault.empty())
        faults.push_back({"tls.key", std::move(fault)});
    ERR_clear_error();
    return faults.size() == known ? context : nullptr;
}

}  // namespace tandem::gateway
