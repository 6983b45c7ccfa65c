// The connection to a store over TLS.

#include "store_fixture.hpp"
#include "support/captured_log.hpp"
#include "support/certificate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace {

using namespace tandem::cluster;
using tandem::testing::captured_log;
using tandem::testing::certificate;

class store_with_tls : public tandem::testing::store_fixture {
 protected:
    std::string write_file(const std::string& name, const std::string& text) {
        auto path = fmt::format("{}/{}", files.name(), name);
        std::ofstream(path) << text;
        return path;
    }

    store_options options_by(const std::string& host, const std::string& ca_file) const {
        const auto url = fmt::format("rediss://{}:{}", host, port);
        return {
            .address = parse_store_address(url).address, .ca_file = ca_file, .client_name = "test"};
    }

    void expect_refused(const store_options& o) {
        captured_log log;
        store_link link(loop.get_executor(), o, log.logger());
        link.start({});
        EXPECT_TRUE(run_until([&] { return log.count(tandem::log_level::warning, "TLS") == 1; }));
        EXPECT_FALSE(link.is_connected());
    }

    tandem::testing::temporary_folder files;
    certificate own{"IP:127.0.0.1"};
    std::string cert = write_file("cert.pem", own.cert);
    std::string port = tandem::testing::find_free_port();
    tandem::testing::redis_server secured{{"--tls-port", port, "--tls-cert-file", cert,
                                           "--tls-key-file", write_file("key.pem", own.key),
                                           "--tls-ca-cert-file", cert, "--tls-auth-clients", "no"}};
};

TEST_F(store_with_tls, answers) {
    store_link link(loop.get_executor(), options_by("127.0.0.1", cert), {});
    connect(link);
    const std::string long_text(1'000'000, 'a');
    EXPECT_EQ(ask(link, {"SET", "key", long_text})->text, "OK");
    EXPECT_EQ(ask(link, {"GET", "key"})->text, long_text);
}

TEST_F(store_with_tls, is_refused_with_a_certificate_of_somebody_else) {
    const certificate other("IP:127.0.0.1");
    expect_refused(options_by("127.0.0.1", write_file("other.pem", other.cert)));
}

TEST_F(store_with_tls, is_refused_under_another_name) {
    expect_refused(options_by("localhost", cert));
}

}  // namespace
