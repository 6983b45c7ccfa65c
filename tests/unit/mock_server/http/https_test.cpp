#include "tandem_mock/server.hpp"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string>
#include <unistd.h>

namespace tandem::mock {
namespace {

template <typename T, void (*free)(T*)>
struct freed_by {
    void operator()(T* t) const { free(t); }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY, EVP_PKEY_free>>;
using cert_ptr = std::unique_ptr<X509, freed_by<X509, X509_free>>;

void add_address(X509* cert) {
    X509_EXTENSION* e = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(cert, e, -1);
    X509_EXTENSION_free(e);
}

cert_ptr certificate_for(EVP_PKEY* key) {
    cert_ptr cert(X509_new());
    X509_set_version(cert.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3600);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("mock"), -1, -1, 0);
    X509_set_issuer_name(cert.get(), X509_get_subject_name(cert.get()));
    X509_set_pubkey(cert.get(), key);
    add_address(cert.get());
    X509_sign(cert.get(), key, EVP_sha256());
    return cert;
}

// A self-signed certificate for 127.0.0.1 in two files.
struct pem_files {
    // Tests run in parallel, each in its own process, and must not share files.
    std::string cert = testing::TempDir() + "mock_cert." + std::to_string(::getpid()) + ".pem";
    std::string key = testing::TempDir() + "mock_key." + std::to_string(::getpid()) + ".pem";

    pem_files() {
        const key_ptr pkey(EVP_EC_gen("P-256"));
        const cert_ptr x509 = certificate_for(pkey.get());
        std::FILE* file = std::fopen(cert.c_str(), "w");
        PEM_write_X509(file, x509.get());
        std::fclose(file);
        file = std::fopen(key.c_str(), "w");
        PEM_write_PrivateKey(file, pkey.get(), nullptr, nullptr, 0, nullptr, nullptr);
        std::fclose(file);
    }
    ~pem_files() {
        std::remove(cert.c_str());
        std::remove(key.c_str());
    }
    pem_files(const pem_files&) = delete;
    pem_files& operator=(const pem_files&) = delete;
};

std::size_t append(char* data, std::size_t, std::size_t size, void* to) {
    static_cast<std::string*>(to)->append(data, size);
    return size;
}

CURLcode fetch(const std::string& url, const char* trusted, const char* post, std::string& body) {
    CURL* curl = curl_easy_init();
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
    if (trusted) curl_easy_setopt(curl, CURLOPT_CAINFO, trusted);
    if (post) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, post);
    const CURLcode result = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    return result;
}

TEST(https, streams_to_a_client_that_trusts_the_certificate) {
    const pem_files files;
    server s({.ssl_cert_file = files.cert, .ssl_key_file = files.key});
    EXPECT_EQ(s.url().rfind("https://127.0.0.1:", 0), 0u);
    std::string body;
    const char* request = R"({"prompt":"Hi","stream":true})";
    EXPECT_EQ(fetch(s.url() + "/completion", files.cert.c_str(), request, body), CURLE_OK);
    EXPECT_NE(body.find("\"stop\":true"), body.npos);
}

TEST(https, is_refused_by_a_client_that_does_not_trust_the_certificate) {
    const pem_files files;
    server s({.ssl_cert_file = files.cert, .ssl_key_file = files.key});
    std::string body;
    EXPECT_EQ(fetch(s.url() + "/health", nullptr, nullptr, body), CURLE_PEER_FAILED_VERIFICATION);
}

TEST(https, breaks_off_in_a_fault_like_plain_http) {
    const pem_files files;
    server s({.ssl_cert_file = files.cert, .ssl_key_file = files.key});
    for (const auto kind : {fault_kind::reset, fault_kind::close}) {
        s.inject({.kind = kind});
        std::string body;
        const char* request = R"({"prompt":"Hi","stream":true})";
        EXPECT_NE(fetch(s.url() + "/completion", files.cert.c_str(), request, body), CURLE_OK);
    }
}

TEST(https, needs_files_that_can_be_read) {
    EXPECT_THROW(server({.ssl_cert_file = "/no.pem", .ssl_key_file = "/no.pem"}), std::exception);
}

}  // namespace
}  // namespace tandem::mock
