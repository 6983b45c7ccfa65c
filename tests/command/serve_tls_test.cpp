// Runs `tandem serve` with a certificate.

#include "serve_fixture.hpp"
#include "support/certificate.hpp"
#include "support/poll_until.hpp"

#include <csignal>
#include <filesystem>

namespace {

using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class serve_tls_test : public serve_test {
 protected:
    serve_tls_test() {
        start_server();
        install(mine_);
        fs::permissions(key_, fs::perms::owner_read | fs::perms::owner_write);
    }
    void install(const certificate& c) {
        write(cert_, c.cert);
        write(key_, c.key);
    }
    running_gateway serve_tls() {
        return serve(
            {"--model", "talk", "--tls-cert", cert_, "--tls-key", key_, "--audit", audit_});
    }
    /// The handler that reopens the audit file also reloads the certificate, so the new certificate
    /// is in use once the new file exists.
    bool hang_up(running_gateway& g) {
        fs::remove(audit_);
        g.process.send_signal(SIGHUP);
        return poll_until([&] { return fs::exists(audit_); });
    }
    static int status_for(const running_gateway& g, const certificate& trusted) {
        return http_client(g.port, trusted.cert).get("/health").status;
    }

    const certificate mine_{"IP:127.0.0.1"};
    const certificate other_{"IP:127.0.0.1"};
    std::string cert_ = temporary_path("cert");
    std::string key_ = temporary_path("key");
    std::string audit_ = temporary_path("audit");
};

TEST_F(serve_tls_test, reports_where_it_listens_and_answers_there) {
    auto g = serve_tls();
    EXPECT_THAT(g.line, StartsWith("listening on https://127.0.0.1:"));
    http_client c(g.port, mine_.cert);
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
    EXPECT_THAT(g.stop(SIGTERM).err, Not(HasSubstr("other users")));
}

TEST_F(serve_tls_test, is_not_taken_for_http_by_doctor_if_its_certificate_is_not_trusted) {
    auto g = serve_tls();
    const auto url = "https://127.0.0.1:" + std::to_string(g.port);
    const auto end = run({"doctor", "--quick", "--proxy", "none", "--url", url});
    EXPECT_THAT(end.out, HasSubstr("is not trusted"));
    EXPECT_THAT(end.out, Not(HasSubstr("speaks http")));
    g.stop(SIGTERM);
}

TEST_F(serve_tls_test, warns_of_a_key_that_others_may_read) {
    fs::permissions(key_, fs::perms::others_read, fs::perm_options::add);
    auto g = serve_tls();
    EXPECT_THAT(g.stop(SIGTERM).err,
                HasSubstr(key_ + ": has mode 604: other users can read this key"));
}

TEST_F(serve_tls_test, reads_the_certificate_again_at_a_hangup) {
    auto g = serve_tls();
    EXPECT_EQ(status_for(g, mine_), 200);
    install(other_);
    ASSERT_TRUE(hang_up(g));
    EXPECT_EQ(status_for(g, other_), 200);
    EXPECT_EQ(status_for(g, mine_), 0);
    EXPECT_THAT(g.stop(SIGTERM).err, HasSubstr(cert_ + ": reloaded, used for new connections"));
}

TEST_F(serve_tls_test, leaves_the_certificate_if_the_new_one_is_bad) {
    auto g = serve_tls();
    write(cert_, other_.cert);
    ASSERT_TRUE(hang_up(g));
    EXPECT_EQ(status_for(g, mine_), 200);
    const auto end = g.stop(SIGTERM);
    EXPECT_THAT(end.err, HasSubstr(key_ + ": is not the key of the certificate"));
    EXPECT_THAT(end.err, HasSubstr("the certificate is unchanged"));
}

}  // namespace
