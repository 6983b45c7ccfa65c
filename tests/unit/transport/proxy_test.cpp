#include "transport_fixture.hpp"

#include <cstdlib>

namespace tandem::transport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProxyTest : public TransportTest {
 protected:
    std::string answer = whole_answer("by proxy");
    std::string seen;
    std::unique_ptr<scripted_server> proxy =
        std::make_unique<scripted_server>([this](scripted_peer& peer) -> script_result {
            seen = co_await peer.read_request();
            co_await peer.send(answer);
        });

    recorder exchange_over_proxy(const std::string& url) {
        auto options = options_for(url);
        options.proxy = "http://user:secret@127.0.0.1:" + std::to_string(proxy->port());
        options.api_key = "sesame";
        auto r = exchange_with(options);
        proxy.reset();
        return r;
    }
};

TEST_F(ProxyTest, passes_on_requests) {
    const auto r = exchange_over_proxy("http://llm.invalid:8080");
    EXPECT_EQ(r.body, "by proxy");
    EXPECT_THAT(seen, StartsWith("POST http://llm.invalid:8080/completion HTTP/1.1\r\n"));
}

TEST_F(ProxyTest, of_the_environment_is_used_if_none_is_set) {
    ::setenv("http_proxy", proxy->url().c_str(), 1);
    auto options = options_for("http://llm.invalid:8080");
    options.proxy.clear();
    const auto r = exchange_with(options);
    ::unsetenv("http_proxy");
    EXPECT_EQ(r.body, "by proxy");
}

TEST_F(ProxyTest, of_the_environment_is_not_used_if_set_to_none) {
    ::setenv("http_proxy", proxy->url().c_str(), 1);
    const auto r = exchange_with(options_for("http://llm.invalid:8080"));
    ::unsetenv("http_proxy");
    EXPECT_EQ(r.ec, errc::resolve_failed);
}

TEST_F(ProxyTest, does_not_get_the_api_key_of_a_tunnel) {
    answer = whole_answer("", "403 Forbidden");
    exchange_over_proxy("https://llm.invalid");
    EXPECT_THAT(seen, AllOf(StartsWith("CONNECT llm.invalid:443 "), Not(HasSubstr("sesame"))));
}

TEST_F(ProxyTest, that_refuses_a_tunnel_is_told_in_words) {
    answer = whole_answer("", "403 Forbidden");
    const auto r = exchange_over_proxy("https://llm.invalid");
    EXPECT_EQ(r.ec, errc::connect_failed);
    EXPECT_THAT(r.diag.client_message,
                AllOf(HasSubstr("the proxy http://127.0.0.1:"), HasSubstr("refused"),
                      HasSubstr("HTTP 403"), Not(HasSubstr("secret"))));
}

TEST_F(ProxyTest, that_wants_credentials_is_told_in_words) {
    answer = whole_answer("", "407 Proxy Authentication Required");
    const auto r = exchange_over_proxy("https://llm.invalid");
    EXPECT_EQ(r.ec, errc::connect_failed);
    EXPECT_THAT(r.diag.client_message, HasSubstr("requires credentials"));
}

TEST_F(ProxyTest, without_an_address_is_told_in_words) {
    auto options = options_for("http://127.0.0.1:8080");
    options.proxy = "http://no-such-proxy.invalid:3128";
    const auto r = exchange_with(options);
    EXPECT_EQ(r.ec, errc::resolve_failed);
    EXPECT_THAT(r.diag.client_message, HasSubstr("the proxy http://no-such-proxy.invalid:3128"));
}

}  // namespace
}  // namespace tandem::transport
