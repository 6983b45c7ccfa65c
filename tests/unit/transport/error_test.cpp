#include "full_listener.hpp"
#include "transport_fixture.hpp"

#include <array>
#include <sys/socket.h>
#include <unistd.h>

namespace tandem::transport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using boost::asio::ip::tcp;

class ErrorTest : public TransportTest {
 protected:
    recorder exchange_after(std::string sent, bool reset = false) {
        scripted_server server([&](scripted_peer& peer) -> script_result {
            co_await peer.read_request();
            co_await peer.send(sent);
            if (reset) peer.reset();
        });
        return exchange_with(server.url());
    }
    std::string closed_port_url() {
        tcp::acceptor acceptor(ioc, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
        return "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
    }
};

TEST_F(ErrorTest, is_connect_failed_if_nobody_listens) {
    const auto url = closed_port_url();
    const auto r = exchange_with(url);
    EXPECT_EQ(r.ec, errc::connect_failed);
    EXPECT_THAT(r.diag.client_message, AllOf(HasSubstr(url), HasSubstr("start llama-server")));
}

TEST_F(ErrorTest, is_resolve_failed_if_the_host_has_no_address) {
    const auto r = exchange_with("http://no-such-host.invalid:8080");
    EXPECT_EQ(r.ec, errc::resolve_failed);
    EXPECT_THAT(r.diag.client_message,
                AllOf(HasSubstr("http://no-such-host.invalid:8080"), HasSubstr("check the URL")));
}

TEST_F(ErrorTest, is_connect_timeout_if_the_connection_takes_too_long) {
    full_listener listener;
    auto options = options_for(listener.url());
    options.connect_timeout = std::chrono::milliseconds(50);
    const auto r = exchange_with(options);
    EXPECT_EQ(r.ec, errc::connect_timeout);
    EXPECT_THAT(r.diag.client_message, AllOf(HasSubstr(listener.url()), HasSubstr("(50ms)")));
}

TEST_F(ErrorTest, leaves_no_work_if_cut_while_connecting) {
    full_listener listener;
    connect(listener.url());
    recorder r;
    auto x = start(r);
    ioc.poll();
    x.reset();
    run();
    EXPECT_TRUE(r.calls.empty());
}

TEST_F(ErrorTest, is_stream_incomplete_if_there_is_no_answer) {
    const auto r = exchange_after("");
    EXPECT_EQ(r.ec, errc::stream_incomplete);
    EXPECT_THAT(r.diag.client_message, HasSubstr("without an answer"));
}

TEST_F(ErrorTest, is_stream_incomplete_if_the_headers_break_off) {
    EXPECT_EQ(exchange_after("HTTP/1.1 200 OK\r\nContent-").ec, errc::stream_incomplete);
}

TEST_F(ErrorTest, is_stream_incomplete_if_the_final_chunk_is_missing) {
    const auto r = exchange_after(std::string(stream_head) + "5\r\nhello\r\n");
    EXPECT_EQ(r.body, "hello");
    EXPECT_EQ(r.ec, errc::stream_incomplete);
    EXPECT_EQ(r.diag.http_status, 200);
    EXPECT_THAT(r.diag.client_message, HasSubstr("before the answer was complete"));
}

TEST_F(ErrorTest, is_stream_incomplete_if_the_body_is_shorter_than_its_length) {
    EXPECT_EQ(exchange_after("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello").ec,
              errc::stream_incomplete);
}

TEST_F(ErrorTest, is_stream_incomplete_if_the_connection_is_reset) {
    EXPECT_EQ(exchange_after(std::string(stream_head) + "5\r\nhello\r\n", true).ec,
              errc::stream_incomplete);
}

TEST_F(ErrorTest, is_bad_response_if_the_answer_is_not_http) {
    EXPECT_EQ(exchange_after("SSH-2.0-OpenSSH_9.2\r\n").ec, errc::bad_response);
}

TEST_F(ErrorTest, is_tls_failed_if_the_port_does_not_speak_it) {
    scripted_server server([](scripted_peer& peer) -> script_result {
        co_await peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
        co_await peer.wait_for_close();
    });
    const auto r = exchange_with("https://127.0.0.1:" + std::to_string(server.port()));
    EXPECT_EQ(r.ec, errc::tls_failed);
}

TEST_F(ErrorTest, is_connect_failed_if_the_server_dies_in_the_tls_handshake) {
    scripted_server server([](scripted_peer& peer) -> script_result {
        co_await peer.wait_readable();
        peer.reset();
    });
    const auto r = exchange_with("https://127.0.0.1:" + std::to_string(server.port()));
    EXPECT_EQ(r.ec, errc::connect_failed);
    EXPECT_THAT(r.diag.client_message, HasSubstr("in the TLS handshake"));
}

// The reset may arrive while the client connects, writes or reads.
TEST_F(ErrorTest, is_connect_failed_whenever_the_server_dies_before_the_tls_handshake) {
    scripted_server server([](scripted_peer& peer) -> script_result {
        peer.reset();
        co_return;
    });
    for (int n = 0; n < 20; ++n) {
        const auto r = exchange_with("https://127.0.0.1:" + std::to_string(server.port()));
        ASSERT_EQ(r.ec, errc::connect_failed) << r.diag.to_string();
    }
}

TEST_F(ErrorTest, shows_no_credentials) {
    auto options = options_for(closed_port_url());
    options.url.insert(7, "user:secret@");
    options.api_key = "sesame";
    const auto r = exchange_with(options);
    EXPECT_THAT(r.diag.to_string(), AllOf(HasSubstr("http://127.0.0.1:"), Not(HasSubstr("user")),
                                          Not(HasSubstr("secret")), Not(HasSubstr("sesame"))));
}

TEST_F(ErrorTest, is_invalid_config_for_a_bad_url_and_comes_from_the_event_loop) {
    connect(std::string("localhost:8080"));
    recorder r;
    const auto x = start(r);
    EXPECT_TRUE(r.calls.empty());
    run();
    EXPECT_EQ(r.ec, errc::invalid_config);
    EXPECT_THAT(r.diag.client_message, HasSubstr("\"localhost:8080\" is not a URL"));
}

TEST_F(ErrorTest, is_invalid_config_for_a_key_that_would_forge_a_header) {
    auto options = options_for("http://127.0.0.1:1");
    options.api_key = "key\r\nX-Conversation-Id: x";
    const auto r = exchange_with(options);
    EXPECT_EQ(r.ec, errc::invalid_config);
    EXPECT_THAT(r.diag.to_string(), Not(HasSubstr("X-Conversation-Id")));
}

}  // namespace
}  // namespace tandem::transport
