#include "support/certificate.hpp"

#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace tandem::testing {
namespace {

struct deleter {
    void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
    void operator()(X509* p) const { X509_free(p); }
    void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
    void operator()(BIO* p) const { BIO_free(p); }
};
template <class T>
using owned = std::unique_ptr<T, deleter>;

void add_extension(X509* cert, int nid, const std::string& value) {
    owned<X509_EXTENSION> e(X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str()));
    X509_add_ext(cert, e.get(), -1);
}

void set_name(X509* cert) {
    auto* name = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(cert, name);
}

template <class Write>
std::string pem(Write write) {
    owned<BIO> out(BIO_new(BIO_s_mem()));
    write(out.get());
    char* data = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

}  // namespace

certificate::certificate(const std::string& name) : certificate(name, EVP_EC_gen("P-256")) {}

certificate::certificate(const std::string& name, EVP_PKEY* key_pair) {
    const owned<EVP_PKEY> pair(key_pair);
    owned<X509> x509(X509_new());
    X509_set_version(x509.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509.get()), 3600);
    set_name(x509.get());
    X509_set_pubkey(x509.get(), pair.get());
    add_extension(x509.get(), NID_basic_constraints, "critical,CA:TRUE");
    add_extension(x509.get(), NID_subject_alt_name, name);
    X509_sign(x509.get(), pair.get(), EVP_sha256());
    cert = pem([&](BIO* out) { PEM_write_bio_X509(out, x509.get()); });
    key = pem([&](BIO* out) {
        PEM_write_bio_PrivateKey(out, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
}

}  // namespace tandem::testing
