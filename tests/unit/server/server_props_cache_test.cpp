#include "server/server_props_cache.hpp"

#include "tandem/config.hpp"
#include "tandem/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

using tandem::duration;
using tandem::errc;
using tandem::log_level;
using tandem::server_props;
using tandem::detail::server_props_cache;
using testing::AllOf;
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

TEST(server_props_cache, is_unknown_at_first) {
    EXPECT_FALSE(server_props_cache(2, 2s).props());
}

TEST(server_props_cache, is_known_once_it_told) {
    server_props_cache s(2, 2s);
    EXPECT_THAT(texts(s.store_props(props_with(2))),
                ElementsAre("server b11669: model talk, 2 slots of 4096 tokens"));
    ASSERT_TRUE(s.props());
    EXPECT_EQ(s.props()->total_slots, 2);
}

TEST(server_props_cache, with_too_few_slots_is_warned_of) {
    server_props_cache s(2, 2s);
    const auto lines = s.store_props(props_with(1));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[1].level, log_level::warning);
    EXPECT_EQ(lines[1].text,
              "slots is 2, but the server has 1: using 1; start llama-server with --parallel 2");
}

TEST(server_props_cache, is_forgotten_if_it_may_have_been_started_again) {
    for (const auto ec : {errc::connect_failed, errc::stream_incomplete, errc::model_loading}) {
        server_props_cache s(2, 2s);
        s.store_props(props_with(2));
        s.on_request_failed(ec);
        EXPECT_FALSE(s.props()) << make_error_code(ec).message();
    }
}

TEST(server_props_cache, is_not_forgotten_for_what_one_request_did_wrong) {
    for (const auto ec : {errc::prompt_too_long, errc::bad_request, errc::server_error}) {
        server_props_cache s(2, 2s);
        s.store_props(props_with(2));
        s.on_request_failed(ec);
        EXPECT_TRUE(s.props()) << make_error_code(ec).message();
    }
}

TEST(server_props_cache, that_returns_as_it_was_is_not_told_again) {
    server_props_cache s(2, 2s);
    s.store_props(props_with(1));
    s.on_request_failed(errc::connect_failed);
    EXPECT_THAT(s.store_props(props_with(1)), IsEmpty());
    EXPECT_TRUE(s.props());
}

TEST(server_props_cache, that_returns_with_other_slots_is_reported_and_warned_of_again) {
    server_props_cache s(3, 2s);
    s.store_props(props_with(2));
    s.on_request_failed(errc::stream_incomplete);
    EXPECT_THAT(texts(s.store_props(props_with(1))),
                ElementsAre(HasSubstr("1 slot of"), HasSubstr("using 1")));
}

TEST(server_props_cache, that_returns_with_another_model_is_reported_but_not_warned_of_again) {
    server_props_cache s(3, 2s);
    s.store_props(props_with(2));
    s.on_request_failed(errc::stream_incomplete);
    auto other = props_with(2);
    other.model = "chat";
    EXPECT_THAT(texts(s.store_props(other)), ElementsAre(HasSubstr("model chat")));
}

TEST(server_props_cache, that_uses_another_slot_than_was_asked_for_is_forgotten) {
    server_props_cache s(2, 2s);
    s.store_props(props_with(2));
    EXPECT_THAT(texts(s.report_slot_mismatch(1, 0)),
                ElementsAre(HasSubstr("a request to slot 1 ran on slot 0")));
    EXPECT_FALSE(s.props());
}

TEST(server_props_cache, has_the_guard_that_is_wanted_whatever_its_build) {
    server_props_cache s(2, 700ms);
    EXPECT_EQ(s.reuse_guard(), 700ms);
    EXPECT_EQ(s.store_props(props_with(2)).size(), 1u);
    EXPECT_EQ(s.reuse_guard(), 700ms);
}

struct build_and_guard {
    const char* build;
    duration guard;
    const char* line;
};

class automatic_guard : public testing::TestWithParam<build_and_guard> {};

TEST_P(automatic_guard, is_as_the_build_allows_and_reported_with_the_reason) {
    const auto& row = GetParam();
    server_props_cache s(2, std::nullopt);
    EXPECT_EQ(s.reuse_guard(), 2s);
    auto props = props_with(2);
    props.build_info = row.build;
    const auto lines = s.store_props(props);
    EXPECT_EQ(s.reuse_guard(), row.guard);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[1].level, log_level::info);
    EXPECT_EQ(lines[1].text, row.line);
}

INSTANTIATE_TEST_SUITE_P(
    builds, automatic_guard,
    testing::Values(
        build_and_guard{"b11669-Debian", 0ms,
                        "reuse guard: 0 ms, build b11669-Debian is known to be sound"},
        build_and_guard{"b7000-1a2b3c4", 2s,
                        "reuse guard: 2000 ms, build b7000-1a2b3c4 is not known to be sound"},
        build_and_guard{"custom", 2s,
                        "reuse guard: 2000 ms, build custom is not known to be sound"},
        build_and_guard{"", 2s, "reuse guard: 2000 ms, the server does not report its build"}));

TEST(automatic_guard, follows_a_server_that_returns_with_another_build) {
    server_props_cache s(2, std::nullopt);
    s.store_props(props_with(2));
    EXPECT_EQ(s.reuse_guard(), 0s);
    s.on_request_failed(errc::connect_failed);
    auto other = props_with(2);
    other.build_info = "b7000";
    EXPECT_THAT(texts(s.store_props(other)),
                ElementsAre(HasSubstr("server b7000"), HasSubstr("2000 ms")));
    EXPECT_EQ(s.reuse_guard(), 2s);
}

TEST(automatic_guard, is_reported_once_for_a_server_that_returns_as_it_was) {
    server_props_cache s(2, std::nullopt);
    s.store_props(props_with(2));
    s.on_request_failed(errc::connect_failed);
    EXPECT_THAT(s.store_props(props_with(2)), IsEmpty());
    auto other = props_with(2);
    other.model = "chat";
    EXPECT_THAT(texts(s.store_props(other)), ElementsAre(HasSubstr("model chat")));
}

TEST(a_long_wait_for_the_guard, names_the_setting_that_would_spare_it_once) {
    server_props_cache s(2, 2s);
    s.store_props(props_with(2));
    EXPECT_EQ(s.take_guard_advice(100ms), "");
    EXPECT_THAT(s.take_guard_advice(101ms), HasSubstr("reuse_guard = auto"));
    EXPECT_EQ(s.take_guard_advice(2s), "");
}

TEST(a_long_wait_for_the_guard, names_no_setting_that_would_not_spare_it) {
    server_props_cache s(2, std::nullopt);
    auto props = props_with(2);
    props.build_info = "b7000";
    s.store_props(props);
    EXPECT_THAT(s.take_guard_advice(2s),
                AllOf(HasSubstr("reuse_guard = 0"), HasSubstr("build b7000")));
}

}  // namespace
