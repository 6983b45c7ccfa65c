#include "wire/stream/completion_reader.hpp"

#include "wire/json/wire_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using tandem::errc;
using tandem::wire::completion_reader;
using tandem::wire::token_event;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view hello = "data: {\"content\":\"Hello\",\"tokens\":[1]}\n\n";
constexpr std::string_view bye = "data: {\"content\":\"Bye\",\"tokens\":[2]}\n\n";
constexpr std::string_view server_error =
    "data: {\"error\":{\"code\":500,\"message\":\"out of luck\",\"type\":\"server_error\"}}\n\n";
constexpr std::string_view key_refused =
    R"({"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}})";

// The texts of the events in `bytes`.
std::vector<std::string> texts_in(completion_reader& reader, std::string_view bytes) {
    std::vector<std::string> texts;
    token_event event;
    reader.feed(bytes);
    while (reader.next(event)) texts.push_back(event.content);
    return texts;
}

completion_reader stream() {
    completion_reader reader;
    reader.begin(200);
    return reader;
}

TEST(completion_reader, reads_the_events_of_a_stream) {
    auto reader = stream();
    EXPECT_THAT(texts_in(reader, std::string(hello) + std::string(bye)),
                ElementsAre("Hello", "Bye"));
    EXPECT_FALSE(reader.fault());
}

TEST(completion_reader, passes_over_keep_alives_and_the_end_mark_of_other_endpoints) {
    auto reader = stream();
    EXPECT_THAT(
        texts_in(reader, ":\n\n" + std::string(hello) + "data: [DONE]\n\n" + std::string(bye)),
        ElementsAre("Hello", "Bye"));
}

TEST(completion_reader, takes_an_event_that_cannot_be_read_for_a_bad_response) {
    auto reader = stream();
    EXPECT_THAT(texts_in(reader, std::string(hello) + "data: what?\n\n" + std::string(bye)),
                ElementsAre("Hello"));
    ASSERT_TRUE(reader.fault());
    EXPECT_EQ(reader.fault()->ec, errc::bad_response);
    EXPECT_THAT(reader.fault()->diag.client_message, HasSubstr("an event of 5 bytes"));
}

TEST(completion_reader, tells_an_error_in_the_stream_in_the_servers_words) {
    auto reader = stream();
    EXPECT_THAT(texts_in(reader, std::string(hello) + std::string(server_error)),
                ElementsAre("Hello"));
    ASSERT_TRUE(reader.fault());
    EXPECT_EQ(reader.fault()->ec, errc::server_error);
    EXPECT_EQ(reader.fault()->diag.server_message, "out of luck");
}

TEST(completion_reader, refuses_an_event_that_is_too_large) {
    auto reader = stream();
    const std::string endless(tandem::wire::max_event_bytes + 1, 'a');
    EXPECT_THAT(texts_in(reader, "data: " + endless), IsEmpty());
    ASSERT_TRUE(reader.fault());
    EXPECT_EQ(reader.fault()->ec, errc::response_too_large);
}

TEST(completion_reader, gives_nothing_more_after_a_fault) {
    auto reader = stream();
    texts_in(reader, "data: what?\n\n");
    token_event event;
    EXPECT_FALSE(reader.next(event));
}

TEST(completion_reader, reads_the_body_of_another_status_as_an_error_and_not_as_events) {
    completion_reader reader;
    reader.begin(401);
    EXPECT_THAT(texts_in(reader, key_refused.substr(0, 20)), IsEmpty());
    EXPECT_THAT(texts_in(reader, key_refused.substr(20)), IsEmpty());
    const auto why = reader.make_end_failure({}, {});
    EXPECT_EQ(why.ec, errc::unauthorized);
    EXPECT_EQ(why.diag.http_status, 401);
    EXPECT_EQ(why.diag.server_message, "Invalid API Key");
}

TEST(completion_reader, keeps_no_more_than_its_bound_of_an_error) {
    completion_reader reader;
    reader.begin(500);
    const std::string blanks(tandem::wire::max_error_bytes / 2 + 1, ' ');
    for (int i = 0; i < 2; ++i) texts_in(reader, blanks);
    texts_in(reader, R"({"error":{"message":"out of luck"}})");
    const auto why = reader.make_end_failure({}, {});
    EXPECT_EQ(why.ec, errc::server_error);
    EXPECT_THAT(why.diag.server_message, Not(HasSubstr("out of luck")));
}

TEST(completion_reader, prefers_the_servers_words_to_how_its_answer_broke_off) {
    completion_reader reader;
    reader.begin(401);
    texts_in(reader, key_refused);
    EXPECT_EQ(reader.make_end_failure(errc::stream_incomplete, {}).ec, errc::unauthorized);
}

TEST(completion_reader, passes_on_why_no_answer_came) {
    const auto why =
        completion_reader().make_end_failure(errc::connect_failed, {.client_message = "refused"});
    EXPECT_EQ(why.ec, errc::connect_failed);
    EXPECT_EQ(why.diag.client_message, "refused");
}

TEST(completion_reader, takes_an_answer_without_events_for_another_servers) {
    auto reader = stream();
    texts_in(reader, "<html>Welcome</html>");
    EXPECT_EQ(reader.make_end_failure({}, {}).ec, errc::bad_response);
}

TEST(completion_reader, takes_a_stream_without_its_final_event_for_incomplete) {
    auto reader = stream();
    texts_in(reader, hello);
    EXPECT_EQ(reader.make_end_failure({}, {}).ec, errc::stream_incomplete);
}

TEST(completion_reader, takes_keep_alives_for_a_sign_of_the_right_server) {
    auto reader = stream();
    texts_in(reader, ":\n\n");
    EXPECT_EQ(reader.make_end_failure({}, {}).ec, errc::stream_incomplete);
}

// A line of an event stream that contains `text` as one token.
std::string line(std::string_view text) {
    return "data: {\"content\":\"" + std::string(text) + "\",\"tokens\":[1]}\n\n";
}

TEST(completion_reader, puts_a_character_together_that_came_in_two_events) {
    auto reader = stream();
    EXPECT_THAT(texts_in(reader, line("a\xE2\x82") + line("\xAC") + line("b")),
                ElementsAre("", "a\xE2\x82\xAC", "b"));
    EXPECT_FALSE(reader.fault());
}

TEST(completion_reader, puts_a_character_together_over_keep_alives_and_whatever_the_split) {
    const auto bytes = line("a\xF0\x9F") + ":\n\n" + line("\x98\x80");
    for (std::size_t split = 0; split <= bytes.size(); ++split) {
        auto reader = stream();
        auto texts = texts_in(reader, std::string_view(bytes).substr(0, split));
        for (auto& text : texts_in(reader, std::string_view(bytes).substr(split)))
            texts.push_back(std::move(text));
        EXPECT_THAT(texts, ElementsAre("", "a\xF0\x9F\x98\x80")) << split;
    }
}

TEST(completion_reader, replaces_half_a_character_that_the_final_event_ends) {
    auto reader = stream();
    EXPECT_THAT(texts_in(reader, line("a\xE2\x82") + "data: {\"content\":\"\",\"stop\":true}\n\n"),
                ElementsAre("", "a\xEF\xBF\xBD"));
}

TEST(completion_reader, drops_half_a_character_of_a_stream_that_breaks_off) {
    auto reader = stream();
    EXPECT_THAT(texts_in(reader, line("a") + line("b\xE2\x82")), ElementsAre("a", ""));
    EXPECT_EQ(reader.make_end_failure({}, {}).ec, errc::stream_incomplete);
}

}  // namespace
