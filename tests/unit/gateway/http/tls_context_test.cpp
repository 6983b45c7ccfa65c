#include "gateway/http/tls_context.hpp"

#include "support/certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <string>
#include <vector>

namespace tandem::gateway {
namespace {

using tandem::testing::certificate;
using ::testing::HasSubstr;

class tls_context_of : public ::testing::Test {
 protected:
    // The only fault as "field message", or an empty string.
    std::string fault_of(const tls_credentials& credentials) {
        std::vector<config_fault> faults;
        made = make_tls_context(credentials, faults);
        EXPECT_EQ(made == nullptr, !faults.empty());
        EXPECT_LE(faults.size(), 1u);
        return faults.empty() ? "" : faults.front().field + ' ' + faults.front().message;
    }

    const certificate one{"DNS:one"};
    const certificate two{"DNS:two"};
    std::shared_ptr<boost::asio::ssl::context> made;
};

std::string text_of_key(EVP_PKEY* key, const EVP_CIPHER* cipher, std::string password) {
    const std::shared_ptr<EVP_PKEY> owned(key, EVP_PKEY_free);
    const std::shared_ptr<BIO> out(BIO_new(BIO_s_mem()), BIO_free);
    PEM_write_bio_PrivateKey(out.get(), key, cipher,
                             reinterpret_cast<unsigned char*>(password.data()),
                             static_cast<int>(password.size()), nullptr, nullptr);
    char* data = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

constexpr auto fault_of_another_key =
    "tls.key is not the key of the certificate; give the key that was made for it";

/// A broken PEM text.
std::string without_second_line(std::string pem) {
    const auto at = pem.find('\n') + 1;
    return pem.erase(at, pem.find('\n', at) + 1 - at);
}

TEST_F(tls_context_of, a_certificate_and_its_key_talks_tls_1_2_and_later) {
    EXPECT_EQ(fault_of({one.cert, one.key}), "");
    ASSERT_TRUE(made);
    EXPECT_EQ(SSL_CTX_get_min_proto_version(made->native_handle()), TLS1_2_VERSION);
    EXPECT_EQ(SSL_CTX_get_max_proto_version(made->native_handle()), 0) << "no bound";
}

TEST_F(tls_context_of, a_chain_has_all_of_it) {
    EXPECT_EQ(fault_of({one.cert + two.cert, one.key}), "");
    ASSERT_TRUE(made);
    STACK_OF(X509)* chain = nullptr;
    SSL_CTX_get_extra_chain_certs(made->native_handle(), &chain);
    EXPECT_EQ(sk_X509_num(chain), 1) << "one certificate after its own";
}

TEST_F(tls_context_of, no_certificate_is_refused) {
    const auto fault = HasSubstr("tls.certificates has no valid PEM certificate; it must contain");
    EXPECT_THAT(fault_of({"", one.key}), fault);
    EXPECT_THAT(fault_of({one.key, one.key}), fault);
    EXPECT_THAT(fault_of({without_second_line(one.cert), one.key}), fault);
}

TEST_F(tls_context_of, a_weak_certificate_is_refused) {
    const certificate weak("DNS:one", EVP_RSA_gen(512));
    EXPECT_THAT(fault_of({weak.cert, weak.key}),
                HasSubstr("tls.certificates has a certificate that is too weak for TLS; use"));
}

TEST_F(tls_context_of, no_key_is_refused) {
    const auto fault = HasSubstr("tls.key has no valid PEM private key; it must contain the key");
    for (const auto& text :
         {std::string(), std::string("no PEM"), one.cert, without_second_line(one.key)})
        EXPECT_THAT(fault_of({one.cert, text}), fault) << text;
}

TEST_F(tls_context_of, the_key_of_another_certificate_is_refused) {
    EXPECT_EQ(fault_of({one.cert, two.key}), fault_of_another_key);
}

TEST_F(tls_context_of, a_key_of_another_kind_is_refused) {
    const auto rsa = text_of_key(EVP_RSA_gen(2048), nullptr, "");
    EXPECT_EQ(fault_of({one.cert, rsa}), fault_of_another_key);
}

TEST_F(tls_context_of, a_key_with_a_password_is_refused_without_asking_for_it) {
    const auto locked = text_of_key(EVP_EC_gen("P-256"), EVP_aes_256_cbc(), "secret");
    EXPECT_THAT(fault_of({one.cert, locked}), HasSubstr("tls.key has a password; write the key"));
}

TEST_F(tls_context_of, one_that_failed_does_no_harm_to_the_next) {
    fault_of({"", ""});
    EXPECT_EQ(fault_of({one.cert, one.key}), "");
}

}  // namespace
}  // namespace tandem::gateway
