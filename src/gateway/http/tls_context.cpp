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

std::string fault_of_key(ssl::context& context, std::string_view key) {
    boost::system::error_code ec;
    context.use_private_key(boost::asio::buffer(key), ssl::context::pem, ec);
    const auto reason = static_cast<unsigned long>(ec.value());
    if (ec && ERR_GET_LIB(reason) != ERR_LIB_X509)
        return "has no PEM private key without a password: " + ec.message();
    // use_private_key() accepts a key whose type differs from the certificate's, so the key is
    // checked again.
    if (ec || SSL_CTX_check_private_key(context.native_handle()) != 1)
        return "is not the key of the certificate";
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
    boost::system::error_code ec;
    context->use_certificate_chain(boost::asio::buffer(credentials.certificates), ec);
    if (ec)
        faults.push_back({"tls.certificates", "has no PEM certificate: " + ec.message()});
    else if (auto fault = fault_of_key(*context, credentials.key); !fault.empty())
        faults.push_back({"tls.key", std::move(fault)});
    ERR_clear_error();
    return faults.size() == known ? context : nullptr;
}

}  // namespace tandem::gateway
