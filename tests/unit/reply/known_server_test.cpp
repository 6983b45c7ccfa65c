#include "reply/known_server.hpp"

#include "tandem/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using tandem::errc;
using tandem::log_level;
using tandem::server_props;
using tandem::detail::known_server;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

server_props props_with(int slots) {
    server_props p;
    p.total_slots = slots;
    p.context_per_slot = 4096;
    p.model = "talk";
    p.build_info = "b11669";
    return p;
}

std::vector<std::string> texts(const std::vector<tandem::detail::log_line>& lines) {
    std::vector<std::string> all;
    for (const auto& l : lines) all.push_back(l.text);
    return all;
}

TEST(known_server, is_unknown_at_first) {
    EXPECT_FALSE(known_server(2).props());
}

TEST(known_server, is_known_once_it_told) {
    known_server s(2);
    EXPECT_THAT(texts(s.learn(props_with(2))),
                ElementsAre("server b11669: model talk, 2 slots of 4096 tokens"));
    ASSERT_TRUE(s.props());
    EXPECT_EQ(s.props()->total_slots, 2);
}

TEST(known_server, with_too_few_slots_is_warned_of) {
    known_server s(2);
    const auto lines = s.learn(props_with(1));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[1].level, log_level::warning);
    EXPECT_EQ(lines[1].text,
              "slots is 2, but the server has 1: using 1; start llama-server with --parallel 2");
}

TEST(known_server, is_forgotten_where_it_may_have_been_started_anew) {
    for (const auto ec : {errc::connect_failed, errc::stream_incomplete, errc::model_loading}) {
        known_server s(2);
        s.learn(props_with(2));
        s.request_failed(ec);
        EXPECT_FALSE(s.props()) << make_error_code(ec).message();
    }
}

TEST(known_server, is_not_forgotten_for_what_one_request_did_wrong) {
    for (const auto ec : {errc::prompt_too_long, errc::bad_request, errc::server_error}) {
        known_server s(2);
        s.learn(props_with(2));
        s.request_failed(ec);
        EXPECT_TRUE(s.props()) << make_error_code(ec).message();
    }
}

TEST(known_server, that_comes_back_as_it_was_is_not_told_again) {
    known_server s(2);
    s.learn(props_with(1));
    s.request_failed(errc::connect_failed);
    EXPECT_THAT(s.learn(props_with(1)), IsEmpty());
    EXPECT_TRUE(s.props());
}

TEST(known_server, that_comes_back_with_other_slots_is_told_and_warned_of_again) {
    known_server s(3);
    s.learn(props_with(2));
    s.request_failed(errc::stream_incomplete);
    EXPECT_THAT(texts(s.learn(props_with(1))),
                ElementsAre(HasSubstr("1 slot of"), HasSubstr("using 1")));
}

TEST(known_server, that_comes_back_with_another_model_is_told_but_not_warned_of_again) {
    known_server s(3);
    s.learn(props_with(2));
    s.request_failed(errc::stream_incomplete);
    auto other = props_with(2);
    other.model = "chat";
    EXPECT_THAT(texts(s.learn(other)), ElementsAre(HasSubstr("model chat")));
}

TEST(known_server, that_uses_another_slot_than_was_asked_for_is_forgotten) {
    known_server s(2);
    s.learn(props_with(2));
    EXPECT_THAT(texts(s.ran_on_another_slot(1, 0)),
                ElementsAre(HasSubstr("a request to slot 1 ran on slot 0")));
    EXPECT_FALSE(s.props());
}

}  // namespace
