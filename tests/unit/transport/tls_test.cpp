#include "support/certificate.hpp"
#include "tls_server.hpp"
#include "transport_fixture.hpp"

#include <fstream>
#include <stdlib.h>
#include <unistd.h>

namespace tandem::transport {
namespace {

using tandem::testing::certificate;
using tandem::testing::tls_server;
using ::testing::AllOf;
using ::testing::HasSubstr;

class temporary_file {
 public:
    explicit temporary_file(const std::string& text) {
        ::close(::mkstemp(name_.data()));
        std::ofstream(name_) << text;
    }
    ~temporary_file() { ::unlink(name_.c_str()); }
    const std::string& name() const { return name_; }

 private:
    std::string name_ = ::testing::TempDir() + "tandem-XXXXXX";
};

class TlsTest : public TransportTest {
 protected:
    const certificate right{"IP:127.0.0.1"};
    const temporary_file trusted{right.cert};

    curl_options trusting(std::string url, std::string ca_file) {
        auto options = options_for(std::move(url));
        options.ca_file = std::move(ca_file);
        return options;
    }
};

TEST_F(TlsTest, a_server_with_a_trusted_certificate_is_talked_to) {
    tls_server server(right, whole_answer("secret"));
    const auto r = exchange_with(trusting(server.url(), trusted.name()));
    EXPECT_EQ(r.ec, error_code());
    EXPECT_EQ(r.body, "secret");
}

// A server that is reached by its address, but whose certificate is for a name.
class NamedTlsTest : public TlsTest {
 protected:
    recorder exchange_as(const std::string& host) {
        const certificate named("DNS:llama.example");
        const temporary_file ca(named.cert);
        tls_server server(named, whole_answer("secret"));
        const auto port = server.url().substr(server.url().rfind(':'));
        return exchange_with(trusting("https://" + host + port + "#127.0.0.1", ca.name()));
    }
};

TEST_F(NamedTlsTest, a_server_at_an_address_is_known_by_its_name) {
    const auto r = exchange_as("llama.example");
    EXPECT_EQ(r.ec, error_code());
    EXPECT_EQ(r.body, "secret");
}

TEST_F(NamedTlsTest, a_server_at_an_address_is_refused_under_another_name) {
    EXPECT_EQ(exchange_as("other.example").ec, errc::tls_failed);
}

TEST_F(TlsTest, a_server_with_an_unknown_certificate_is_refused) {
    tls_server server(right, whole_answer("secret"));
    const auto r = exchange_with(server.url());
    EXPECT_EQ(r.ec, errc::tls_failed);
    EXPECT_THAT(r.diag.client_message, AllOf(HasSubstr(server.url()), HasSubstr("ca_file")));
    EXPECT_EQ(r.body, "");
}

TEST_F(TlsTest, a_server_with_a_certificate_for_another_host_is_refused) {
    const certificate other("DNS:other.example");
    const temporary_file ca(other.cert);
    tls_server server(other, whole_answer("secret"));
    const auto r = exchange_with(trusting(server.url(), ca.name()));
    EXPECT_EQ(r.ec, errc::tls_failed);
    EXPECT_THAT(r.diag.client_message, HasSubstr("check the host name"));
}

TEST_F(TlsTest, a_ca_file_that_cannot_be_read_is_told_in_words) {
    tls_server server(right, whole_answer("secret"));
    const auto r = exchange_with(trusting(server.url(), "/no/such/file.pem"));
    EXPECT_EQ(r.ec, errc::tls_failed);
    EXPECT_THAT(r.diag.client_message, HasSubstr("check ca_file"));
}

TEST_F(TlsTest, a_stream_that_breaks_off_is_incomplete) {
    tls_server server(right, std::string(stream_head) + "5\r\nhello\r\n", false);
    const auto r = exchange_with(trusting(server.url(), trusted.name()));
    EXPECT_EQ(r.body, "hello");
    EXPECT_EQ(r.ec, errc::stream_incomplete);
}

TEST_F(TlsTest, a_cut_reaches_the_server_in_the_same_turn_of_the_loop) {
    tls_server server(right, std::string(stream_head) + "5\r\nhello\r\n");
    connect(trusting(server.url(), trusted.name()));
    recorder r;
    auto x = start(r);
    r.then_on_data = [&] {
        x.reset();
        EXPECT_EQ(server.connection_closed().wait_for(std::chrono::seconds(20)),
                  std::future_status::ready);
    };
    run();
    EXPECT_EQ(r.calls.back(), "data");
}

}  // namespace
}  // namespace tandem::transport
