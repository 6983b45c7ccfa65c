#include "report/report_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace tandem::command;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

void end_reply(report_view& view, std::string_view id, int turn = 0,
               const tandem::reply_result& result = {}) {
    view.on_reply_ended({.where = {id, turn}, .result = result});
}

TEST(report_view, keeps_each_reply_with_its_chunks) {
    report_view view;
    view.on_reply_started({.where = {"a", 0}, .prompt = "Hi"});
    view.on_reply_started({.where = {"b", 0}, .prompt = "Ho"});
    view.on_chunk({.where = {"b", 0}, .chunk = {.text = "Hello."}});
    end_reply(view, "b");
    end_reply(view, "a");
    view.on_run_finished({});
    ASSERT_THAT(view.run().replies, SizeIs(2));
    EXPECT_EQ(view.run().replies[0].prompt, "Hi");
    EXPECT_THAT(view.run().replies[0].chunks, IsEmpty());
    EXPECT_EQ(view.run().replies[1].chunks.at(0).text, "Hello.");
}

TEST(report_view, puts_the_turns_of_a_dialogue_together) {
    report_view view;
    for (const auto& [id, turn] : {std::pair{"a", 0}, {"b", 0}, {"b", 1}, {"a", 1}}) {
        view.on_reply_started({.where = {id, turn}});
        end_reply(view, id, turn);
    }
    view.on_run_finished({});
    std::string order;
    for (const auto& r : view.run().replies) order += r.id + std::to_string(r.reply) + ' ';
    EXPECT_EQ(order, "a0 a1 b0 b1 ");
}

TEST(report_view, keeps_so_many_replies_and_counts_the_others) {
    report_view view;
    for (std::size_t i = 0; i < max_report_replies + 3; ++i) end_reply(view, std::to_string(i));
    EXPECT_THAT(view.run().replies, SizeIs(max_report_replies));
    EXPECT_EQ(view.run().left_out, 3);
}

TEST(report_view, keeps_no_more_bytes_than_its_limit) {
    report_view view;
    tandem::reply_result r;
    r.unspoken_text.assign(max_report_bytes / 2, 'x');
    for (const auto* id : {"a", "b", "c"}) end_reply(view, id, 0, r);
    EXPECT_THAT(view.run().replies, SizeIs(1));
    EXPECT_EQ(view.run().left_out, 2);
}

TEST(report_view, keeps_no_small_reply_after_one_that_it_left_out) {
    report_view view;
    tandem::reply_result great;
    great.unspoken_text.assign(max_report_bytes, 'x');
    end_reply(view, "a");
    end_reply(view, "b", 0, great);
    end_reply(view, "c");
    EXPECT_THAT(view.run().replies, SizeIs(1));
    EXPECT_EQ(view.run().left_out, 2);
}

TEST(report_view, keeps_the_turns_that_broke_an_expectation) {
    report_view view;
    view.on_reply_ended({.where = {"a", 0}, .result = {}, .checked = checked_turn{.line = 1}});
    view.on_reply_ended(
        {.where = {"a", 1},
         .result = {},
         .checked =
             checked_turn{.line = 1, .turn = 2, .broken = {{"text", "/noon/", "«It is one.»"}}}});
    ASSERT_THAT(view.run().broken_turns, SizeIs(1));
    EXPECT_EQ(view.run().broken_turns[0].reply, "a.1");
    EXPECT_EQ(view.run().broken_turns[0].outcome.turn, 2);
}

TEST(report_view, shows_no_password_of_a_server) {
    report_view view;
    tandem::reply_result r;
    r.servers = {"http://user:secret@host:1"};
    end_reply(view, "a", 0, r);
    EXPECT_THAT(view.run().replies.at(0).result.servers, ElementsAre("http://host:1"));
}

TEST(report_view, reports_what_the_servers_are) {
    const std::vector<std::pair<std::string, std::string>> settings{{"pacing", "warm"}};
    report_view view(settings);
    tandem::server_props props;
    props.total_slots = 2;
    props.model = "m";
    props.build_info = "b1";
    view.on_server_ready("http://a:1", props);
    EXPECT_THAT(
        view.run().settings,
        ElementsAre(Pair("pacing", "warm"), Pair("server", "http://a:1, 2 slots, m, build b1")));
}

TEST(report_view, tells_servers_of_a_recording_from_those_that_are_there) {
    report_view view({}, true);
    view.on_server_ready("http://a:1", {});
    EXPECT_THAT(view.run().settings, ElementsAre(Pair("recorded server", "http://a:1, 0 slots")));
}

}  // namespace
