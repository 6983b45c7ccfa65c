// The answers of a server contain invalid UTF-8. Every text that the library returns is valid.

#include "integration/mock_fixture.hpp"
#include "support/scripted_server.hpp"

#include "tandem/utf8.hpp"

#include <fmt/ranges.h>

#include <map>
#include <mutex>

namespace tandem::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

#define REPLACED "\xEF\xBF\xBD"

std::string token(const std::string& text, int count) {
    return "data: {\"content\":\"" + text + "\",\"tokens\":[" + std::to_string(10 + count) +
           "],\"tokens_predicted\":" + std::to_string(count) + ",\"tokens_evaluated\":2}\n\n";
}

constexpr const char* final_event =
    "data: {\"content\":\"\",\"stop\":true,\"stop_type\":\"eos\",\"tokens_predicted\":9}\n\n";

/// A stream with these tokens. With `goes_on`, the server does not end the stream.
struct stream {
    std::vector<std::string> tokens;
    bool goes_on = false;
};

class invalid_bytes : public client_and_mock {
 protected:
    ~invalid_bytes() override { scripted_.reset(); }

    void TearDown() override {
        client_and_mock::TearDown();
        log.expect_each([](const std::string& line) { return sanitized_utf8(line) == line; });
    }

    void serve() {
        scripted_.emplace([this](scripted_peer& peer) { return answer(peer); });
        config.server.url = scripted_->url();
        config.chunking.first_chunk_min_tokens = 0;
        config.server.reuse_guard = 0s;
        config.chunking.peek_hold = 20ms;
        config.chunking.boundary_rule = boundary_rule::classic;
        connect();
    }
    std::vector<std::string> completions() {
        const std::lock_guard lock(mutex_);
        return completions_;
    }

    std::map<std::string, std::string> answers_{
        {"GET /props",
         "{\"total_slots\":1,\"model_alias\":\"m\xE2\x82\",\"build_info\":\"b\xFF\","
         "\"chat_template\":\"t\xC3\",\"bos_token\":\"\x80\"}"},
        {"POST /tokenize", R"({"tokens":[1,2]})"},
        {"POST /apply-template", "{\"prompt\":\"p\xF0\x9F\"}"}};
    std::map<std::string, std::string> statuses_;
    std::vector<stream> streams_;  // the answers to /completion

 private:
    boost::asio::awaitable<void> answer(scripted_peer& peer) {
        const auto request = co_await peer.read_request();
        const auto what = request.substr(0, request.find(' ', 6));
        if (what == "POST /completion" && !streams_.empty()) {
            const auto s = next_stream(request);
            co_await peer.send(std::string(stream_head));
            // Sends all tokens at once, so that the client reads all of them before it acts on any.
            co_await peer.send_chunk(fmt::format("{}", fmt::join(s.tokens, "")));
            if (s.goes_on) co_await peer.wait_for_close();
            co_await peer.send(std::string(stream_end));
            co_return;
        }
        const auto status = statuses_.contains(what) ? statuses_[what] : "200 OK";
        co_await peer.send(whole_answer(answers_[what], status));
    }
    stream next_stream(const std::string& request) {
        const std::lock_guard lock(mutex_);
        completions_.push_back(request);
        return streams_.at(std::min(completions_.size(), streams_.size()) - 1);
    }

    std::mutex mutex_;
    std::vector<std::string> completions_;
    std::optional<scripted_server> scripted_;
};

TEST_F(invalid_bytes, in_two_events_become_one_character) {
    streams_ = {{{token("Caf\xC3", 1), token("\xA9. \xF0\x9F", 2), token("\x98", 3),
                  token("\x80 ok.", 4), final_event}}};
    config.pacing.mode = pacing::stream;
    serve();
    const auto c = say();
    EXPECT_FALSE(c.error()) << c.result().diagnostics.to_string();
    EXPECT_EQ(c.text(), "Caf\xC3\xA9. \xF0\x9F\x98\x80 ok.");
    EXPECT_EQ(c.result().text, c.text());
}

TEST_F(invalid_bytes, that_can_never_become_a_character_are_replaced_in_text_and_speech) {
    streams_ = {{{token("A\xFF"
                        "b.",
                        1),
                  token(" C\xE2\x82", 2), final_event}}};
    config.pacing.mode = pacing::stream;
    serve();
    const auto c = say();
    EXPECT_EQ(c.text(), "A" REPLACED "b. C" REPLACED);
    ASSERT_THAT(c.chunks(), SizeIs(2));
    EXPECT_EQ(c.chunks()[0].speech, "A" REPLACED "b.");
    EXPECT_EQ(c.chunks()[1].speech, "C" REPLACED);
    EXPECT_EQ(c.result().text, c.text());
}

TEST_F(invalid_bytes, of_half_a_character_at_a_cut_are_generated_again) {
    streams_ = {{{token("One.", 1), token(" a\xE2\x82", 2)}, true},
                {{token(" a\xE2\x82", 1), token("\xAC.", 2), final_event}}};
    serve();
    const auto c = say();
    EXPECT_FALSE(c.error()) << c.result().diagnostics.to_string();
    EXPECT_EQ(c.text(), "One. a\xE2\x82\xAC.");
    const auto requests = completions();
    ASSERT_THAT(requests, SizeIs(2));
    EXPECT_THAT(requests[1], HasSubstr("[1,2,11]")) << "the id of half a character is not sent";
}

TEST_F(invalid_bytes, of_half_a_character_at_a_cut_are_not_sent_if_a_prompt_is_text) {
    answers_["POST /tokenize"] = "no";
    streams_ = {{{token("One.", 1), token(" a\xE2\x82", 2)}, true},
                {{token(" a\xE2\x82", 1), token("\xAC.", 2), final_event}}};
    serve();
    const auto c = say();
    EXPECT_EQ(c.text(), "One. a\xE2\x82\xAC.");
    const auto requests = completions();
    ASSERT_THAT(requests, SizeIs(2));
    EXPECT_THAT(requests[1], HasSubstr(std::string(prompt) + "One.\""));
}

TEST_F(invalid_bytes, are_replaced_in_what_was_not_spoken) {
    streams_ = {{{token("One.", 1),
                  token(" a\xFF"
                        "b c\xE2",
                        2),
                  token("d", 3)},
                 true}};
    config.pacing.mode = pacing::stream;
    serve();
    consumer c(llm->start(prompt), consumer::do_not_continue);
    loop.run_until([&] { return !c.chunks().empty(); });
    c.interrupt();
    loop.run_to_end(c);
    EXPECT_EQ(c.result().text, "One.");
    EXPECT_EQ(c.result().unspoken_text, " a" REPLACED "b c" REPLACED "d");
}

TEST_F(invalid_bytes, are_replaced_in_the_servers_words_about_a_failure) {
    answers_["POST /completion"] =
        "{\"error\":{\"code\":500,\"message\":\"bad\xE2\x82 luck\xFF\",\"type\":\"server_error\"}}";
    statuses_["POST /completion"] = "500 Internal Server Error";
    serve();
    const auto c = expect_failure(errc::server_error);
    EXPECT_EQ(c.result().diagnostics.server_message, "bad" REPLACED " luck" REPLACED);
}

TEST_F(invalid_bytes, are_replaced_in_an_error_that_is_no_json) {
    answers_["POST /completion"] = "Bad Gateway\xFF\xE2\x82";
    statuses_["POST /completion"] = "502 Bad Gateway";
    serve();
    const auto c = expect_failure(errc::server_error);
    EXPECT_EQ(c.result().diagnostics.server_message, "Bad Gateway" REPLACED REPLACED);
}

TEST_F(invalid_bytes, are_replaced_in_an_error_in_the_stream) {
    streams_ = {{{"data: {\"error\":{\"code\":500,\"message\":\"m\xE2\x82\"}}\n\n"}}};
    serve();
    const auto c = expect_failure(errc::server_error);
    EXPECT_EQ(c.result().diagnostics.server_message, "m" REPLACED);
}

TEST_F(invalid_bytes, are_replaced_in_props) {
    serve();
    const auto [ec, props] =
        loop.call<server_props>([&](auto handler) { llm->async_props(std::move(handler)); });
    ASSERT_FALSE(ec);
    EXPECT_EQ(props.model, "m" REPLACED);
    EXPECT_EQ(props.build_info, "b" REPLACED);
    EXPECT_EQ(props.chat_template, "t" REPLACED);
    EXPECT_EQ(props.bos_token, REPLACED);
}

TEST_F(invalid_bytes, are_replaced_in_a_prompt_that_the_server_made) {
    serve();
    const auto [ec, made] = loop.call<std::string>([&](auto handler) {
        llm->async_apply_template({{"user", "Hi"}}, std::move(handler));
    });
    ASSERT_FALSE(ec);
    EXPECT_EQ(made, "p" REPLACED);
}

TEST_F(invalid_bytes, are_replaced_in_the_name_of_a_slots_file_that_is_refused) {
    serve();
    diagnostics diag;
    const auto got = loop.call<slot_file_result>(
        [&](auto handler) { llm->async_save_slot(0, "a\xFF/b", diag, std::move(handler)); });
    EXPECT_EQ(got.first, errc::bad_request);
    EXPECT_THAT(diag.client_message, HasSubstr("\"a" REPLACED "/b\""));
}

TEST_F(invalid_bytes, before_the_answer_are_replaced_if_they_are_reported) {
    scripted_server garbage([](scripted_peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.read_request();
        co_await peer.send("HTTP/1.1 200 \xFF\xFE\r\nContent-Length: \xE2\x82\r\n\r\n\xFF");
    });
    config.server.url = garbage.url();
    connect();
    const auto c = say();
    EXPECT_TRUE(c.error());
    const auto words = c.result().diagnostics.to_string();
    EXPECT_EQ(sanitized_utf8(words), words);
}

}  // namespace
}  // namespace tandem::testing
