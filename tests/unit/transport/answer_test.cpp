#include "transport_fixture.hpp"

namespace tandem::transport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using AnswerTest = TransportTest;

scripted_server::script answers(std::string text) {
    return [text](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(text);
    };
}

TEST_F(AnswerTest, gives_status_then_data_then_end) {
    scripted_server server(answers(whole_answer("hello")));
    const auto r = exchange_with(server.url());
    EXPECT_THAT(r.calls, ElementsAre("status", "data", "end"));
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(r.body, "hello");
    EXPECT_EQ(r.ec, error_code());
}

TEST_F(AnswerTest, tells_with_its_status_how_long_the_connection_took) {
    scripted_server server(answers(whole_answer("hello")));
    connect(server.url());
    recorder r;
    std::optional<duration> at_status;
    const auto x = start(r);
    EXPECT_EQ(x->connect_duration(), std::nullopt);
    r.then_on_status = [&] { at_status = x->connect_duration(); };
    run();
    ASSERT_TRUE(at_status);
    EXPECT_GT(*at_status, duration{});
    EXPECT_EQ(x->connect_duration(), at_status) << "it does not change any more";
}

TEST_F(AnswerTest, without_a_body_has_no_data) {
    scripted_server server(answers("HTTP/1.1 204 No Content\r\n\r\n"));
    EXPECT_THAT(exchange_with(server.url()).calls, ElementsAre("status", "end"));
}

TEST_F(AnswerTest, of_an_http_error_is_no_error_here) {
    scripted_server server(answers(whole_answer("who are you", "401 Unauthorized")));
    const auto r = exchange_with(server.url());
    EXPECT_EQ(r.status, 401);
    EXPECT_EQ(r.body, "who are you");
    EXPECT_EQ(r.ec, error_code());
}

TEST_F(AnswerTest, takes_the_final_status_after_an_interim_one) {
    scripted_server server(answers("HTTP/1.1 103 Early Hints\r\n\r\n" + whole_answer("x")));
    const auto r = exchange_with(server.url());
    EXPECT_THAT(r.calls, ElementsAre("status", "data", "end"));
    EXPECT_EQ(r.status, 200);
}

TEST_F(AnswerTest, follows_no_redirect) {
    scripted_server server(
        answers("HTTP/1.1 302 Found\r\nLocation: /else\r\n"
                "Content-Length: 0\r\n\r\n"));
    EXPECT_EQ(exchange_with(server.url()).status, 302);
    EXPECT_EQ(server.accepted(), 1);
}

TEST_F(AnswerTest, may_end_with_the_connection) {
    scripted_server server(answers("HTTP/1.1 200 OK\r\n\r\nuntil the close"));
    const auto r = exchange_with(server.url());
    EXPECT_EQ(r.body, "until the close");
    EXPECT_EQ(r.ec, error_code());
}

TEST_F(AnswerTest, streamed_byte_by_byte_keeps_its_order) {
    std::string text;
    for (int i = 0; i < 500; ++i) text += std::to_string(i) + " ";
    scripted_server server([&](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(std::string(stream_head));
        for (const char c : text) co_await peer.send_chunk({&c, 1});
        co_await peer.send(std::string(stream_end));
    });
    EXPECT_EQ(exchange_with(server.url()).body, text);
}

TEST_F(AnswerTest, comes_as_it_is_streamed) {
    // The server sends each part only after the previous part has arrived.
    gate arrived[2];
    scripted_server server([&](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(std::string(stream_head));
        co_await arrived[0].wait_until_open();
        co_await peer.send_chunk("one");
        co_await arrived[1].wait_until_open();
        co_await peer.send(std::string(stream_end));
    });
    recorder r;
    r.then_on_status = [&] { arrived[0].open(); };
    r.then_on_data = [&] { arrived[1].open(); };
    connect(server.url());
    const auto x = start(r);
    run();
    EXPECT_THAT(r.calls, ElementsAre("status", "data", "end"));
}

TEST_F(AnswerTest, of_many_megabytes_comes_whole) {
    const std::string text(8'000'000, 'x');
    scripted_server server(answers(whole_answer(text)));
    EXPECT_EQ(exchange_with(server.url()).body, text);
}

class RequestTest : public TransportTest {
 protected:
    std::string sent_for(curl_options options, http_request request) {
        std::string seen;
        scripted_server server([&](scripted_peer& peer) -> script_result {
            seen = co_await peer.read_request();
            co_await peer.send(whole_answer("{}"));
        });
        options.url = server.url() + options.url;
        recorder r;
        connect(std::move(options));
        const auto x = transport->start(std::move(request), r);
        run();
        return seen;
    }
};

TEST_F(RequestTest, carries_method_path_and_body) {
    const auto sent = sent_for(options_for(""), completion(R"({"prompt":"x"})"));
    EXPECT_THAT(sent, StartsWith("POST /completion HTTP/1.1\r\n"));
    EXPECT_THAT(sent, HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(sent, HasSubstr("\r\n\r\n{\"prompt\":\"x\"}"));
}

TEST_F(RequestTest, goes_below_the_prefix_of_the_url) {
    EXPECT_THAT(sent_for(options_for("/llm/"), {"GET", "/props", {}}),
                StartsWith("GET /llm/props HTTP/1.1\r\n"));
}

TEST_F(RequestTest, may_have_any_method) {
    EXPECT_THAT(sent_for(options_for(""), {"DELETE", "/v1/stream", {}}),
                StartsWith("DELETE /v1/stream HTTP/1.1\r\n"));
}

TEST_F(RequestTest, asks_for_the_close_and_for_nothing_that_outlives_it) {
    const auto sent = sent_for(options_for(""), completion(std::string(2'000'000, 'x')));
    EXPECT_THAT(sent, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(sent, HasSubstr("\r\nAccept: text/event-stream, application/json\r\n"));
    EXPECT_THAT(sent, HasSubstr("\r\nUser-Agent: tandem/"));
    EXPECT_THAT(sent, AllOf(Not(HasSubstr("Expect")), Not(HasSubstr("X-Conversation-Id")),
                            Not(HasSubstr("Authorization"))));
}

TEST_F(RequestTest, carries_the_api_key) {
    auto options = options_for("");
    options.api_key = "sesame";
    EXPECT_THAT(sent_for(options, completion()), HasSubstr("Authorization: Bearer sesame\r\n"));
}

TEST_F(RequestTest, of_another_kind_reuses_nothing_of_the_one_before) {
    std::vector<std::string> seen;
    scripted_server server([&](scripted_peer& peer) -> script_result {
        seen.push_back(co_await peer.read_request());
        co_await peer.send(whole_answer("{}"));
    });
    connect(server.url());
    for (const auto& request : {http_request{"PUT", "/a", "body"}, http_request{"GET", "/b", {}},
                                http_request{"POST", "/c", {}}}) {
        recorder r;
        const auto x = transport->start(request, r);
        run();
    }
    EXPECT_THAT(seen, ElementsAre(StartsWith("PUT /a "), StartsWith("GET /b "),
                                  AllOf(StartsWith("POST /c "), HasSubstr("Content-Length: 0"))));
    EXPECT_THAT(seen[1], AllOf(Not(HasSubstr("body")), Not(HasSubstr("Content-"))));
}

}  // namespace
}  // namespace tandem::transport
