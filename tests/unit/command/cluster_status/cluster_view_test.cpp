#include "cluster_status/cluster_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem::command {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

cluster::store_answer list_of(const std::vector<std::string>& texts) {
    cluster::store_answer list{.kind = cluster::answer_kind::list};
    for (const auto& t : texts)
        list.items.push_back({.kind = cluster::answer_kind::text, .text = t});
    return list;
}

cluster::store_answer number(std::int64_t n) {
    return {.kind = cluster::answer_kind::integer, .number = n};
}

cluster_view some_view() {
    constexpr std::int64_t now = 100'000;
    cluster_view v{
        .gateways = read_gateways(
            list_of({"b", "102000", "a", "88000", "c", "101000"}),
            list_of({"a", R"({"serves http://gone":1})", "b",
                     R"({"running server:8080":0.5,"serves server:8080":1})", "c", "odd"}),
            now),
        .servers = {{.name = "server:8080",
                     .slots = read_slots(list_of({"born", "1", "1", "7:99000:0:b", "0", "6:0:1:a",
                                                  "highest", "7", "2", "3:0:0:"}),
                                         now),
                     .wishes = {}}}};
    v.servers[0].wishes =
        read_wishes(list_of({"c", "100500:continuation", "b", "98000:turn", "a", "80000:turn"}),
                    v.gateways, now);
    v.servers[0].is_drained = true;
    v.sessions = {
        *read_session("kq3XH0m1TzqNQqC0pW9b6A", list_of({"b", "97500"}), number(10'752), now)};
    return v;
}

// Gateway a is missing, so its wish is not listed.
TEST(cluster_view, is_shown_as_text) {
    EXPECT_EQ(format_text(some_view(), cluster_view_part::status),
              R"(gateway a: missing for 12.0 s, 0 voice sessions
gateway b: up, 1 voice session
gateway c: up, 0 voice sessions
server server:8080, drained
  slot 0    a, being watched
  slot 1    b
  slot 2    free
  waiting   b, turn, overdue for 2.0 s
  waiting   c, continuation, due in 0.5 s
)");
}

TEST(cluster_view, is_shown_as_json) {
    EXPECT_EQ(
        format_json(some_view(), cluster_view_part::status),
        R"({"gateways":[{"id":"a","missing_ms":12000,"sessions":0,"servers":["http://gone"]},)"
        R"({"id":"b","missing_ms":0,"sessions":1,"servers":["server:8080"]},)"
        R"({"id":"c","missing_ms":0,"sessions":0,"servers":[]}],)"
        R"("servers":[{"name":"server:8080","drained":true,"slots":[)"
        R"({"slot":0,"gateway":"a","loan":6,"doubtful":true},)"
        R"({"slot":1,"gateway":"b","loan":7,"used_ms_ago":1000,"doubtful":false},)"
        R"({"slot":2,"gateway":"","loan":3,"doubtful":false}],)"
        R"("waiting":[{"gateway":"b","kind":"turn","overdue_ms":2000},)"
        R"({"gateway":"c","kind":"continuation","overdue_ms":-500}]}]})"
        "\n");
}

TEST(cluster_view, lists_the_servers_of_gateways_that_are_up) {
    const auto gateways = some_view().gateways;
    EXPECT_THAT(list_servers(gateways), ElementsAre("server:8080"));
    EXPECT_THAT(list_gateways_of("server:8080", gateways), ElementsAre("b"));
    EXPECT_THAT(list_gateways_of("http://gone", gateways), IsEmpty());
}

TEST(drain_results, report_what_has_changed_and_which_gateways_follow) {
    EXPECT_EQ(format_text({"http://a", true, true, {"g1", "g2"}}),
              "server http://a, drained at g1, g2\n");
    EXPECT_EQ(format_text({"http://a", true, false, {"g1"}}),
              "server http://a, already drained at g1\n");
    EXPECT_EQ(format_text({"http://a", false, true, {"g1"}}),
              "server http://a, no longer drained at g1\n");
    EXPECT_EQ(format_text({"http://a", false, false, {}}),
              "server http://a, was not drained, but no gateway that is up serves it\n");
    EXPECT_EQ(format_json({"http://a", true, false, {"g1", "g2"}}),
              R"({"name":"http://a","drained":true,"changed":false,"gateways":["g1","g2"]})"
              "\n");
}

TEST(cluster_view, reports_that_there_is_no_gateway) {
    EXPECT_EQ(format_text({}, cluster_view_part::status), "no gateway\n");
}

TEST(cluster_view, is_shown_in_parts_as_text) {
    EXPECT_EQ(format_text(some_view(), cluster_view_part::slots), R"(server server:8080, drained
  slot 0    a, being watched
  slot 1    b
  slot 2    free
)");
    EXPECT_EQ(format_text(some_view(), cluster_view_part::queue), R"(server server:8080, drained
  waiting   b, turn, overdue for 2.0 s
  waiting   c, continuation, due in 0.5 s
)");
    EXPECT_EQ(format_text(some_view(), cluster_view_part::sessions),
              "session kq3XH0m1: gateway b, 10.5 KiB, written 2.5 s ago\n");
    auto released = some_view();
    released.sessions[0].gateway.clear();
    EXPECT_EQ(format_text(released, cluster_view_part::sessions),
              "session kq3XH0m1: no gateway, 10.5 KiB, written 2.5 s ago\n");
}

TEST(cluster_view, is_shown_in_parts_as_json) {
    EXPECT_THAT(format_json(some_view(), cluster_view_part::slots),
                AllOf(StartsWith(R"({"servers":[{"name":"server:8080","drained":true,"slots":[)"),
                      Not(HasSubstr("waiting"))));
    EXPECT_THAT(format_json(some_view(), cluster_view_part::queue),
                StartsWith(R"({"servers":[{"name":"server:8080","drained":true,"waiting":[)"));
    EXPECT_EQ(
        format_json(some_view(), cluster_view_part::sessions),
        R"({"sessions":[{"id":"kq3XH0m1","gateway":"b","bytes":10752,"written_ms_ago":2500}]})"
        "\n");
}

TEST(cluster_view, reports_that_a_part_is_empty) {
    EXPECT_EQ(format_text({}, cluster_view_part::slots), "no server\n");
    EXPECT_EQ(format_text({}, cluster_view_part::sessions), "no voice session\n");
}

TEST(cluster_view, leaves_out_records_that_it_does_not_understand) {
    const auto odd = list_of({"0", "", "1", "x:1:0:a", "y", "1:1:0:a", "2"});
    EXPECT_TRUE(read_slots(odd, 0).empty());
    EXPECT_TRUE(read_gateways(list_of({"a", "soon"}), {}, 0).empty());
    EXPECT_TRUE(read_gateways({}, {}, 0).empty());
    EXPECT_FALSE(read_session("ended", list_of({"", ""}), number(0), 0));
    EXPECT_FALSE(read_session("unknown", {}, number(0), 0));
}

}  // namespace
}  // namespace tandem::command
