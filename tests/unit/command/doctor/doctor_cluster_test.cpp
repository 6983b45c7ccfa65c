#include "doctor/doctor_report.hpp"
#include "doctor_facts_fixture.hpp"
#include "terminal/color.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tandem::command {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto info =
    "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\n"
    "valkey_version:8.0.1\r\n\r\n# Memory\r\nused_memory:1000000\r\n"
    "maxmemory:4000000\r\nmaxmemory_policy:noeviction\r\n\r\n"
    "# Replication\r\nrole:master\r\n";

doctor_facts facts_with_store() {
    auto f = tandem::testing::good_facts();
    f.store = parse_store_info(info);
    f.store->round_trip_ms = 0.2;
    f.store->gateways = {"a", "b"};
    f.store->servers = {"127.0.0.1:8080", "127.0.0.1:8081"};
    return f;
}

std::vector<finding> cluster_findings(const doctor_facts& f) {
    auto all = collect_findings(f);
    std::erase_if(all, [](const finding& x) { return x.group != finding_group::cluster; });
    return all;
}

std::vector<std::string> messages(const std::vector<finding>& all) {
    std::vector<std::string> texts;
    texts.reserve(all.size());
    for (const auto& f : all) texts.push_back(f.message);
    return texts;
}

finding find_wrong(const doctor_facts& f) {
    const auto all = cluster_findings(f);
    const auto wrong =
        std::ranges::find_if(all, [](const finding& x) { return x.status != finding_status::ok; });
    return wrong == all.end() ? finding{} : *wrong;
}

TEST(doctor_cluster, reports_that_all_is_well) {
    EXPECT_THAT(messages(cluster_findings(facts_with_store())),
                ElementsAre("Valkey 8.0.1 answers in 0.2 ms", "2 gateways are up: a, b"));
    EXPECT_EQ(find_wrong(facts_with_store()).message, "");
}

TEST(doctor_cluster, is_not_mentioned_unless_asked_for) {
    EXPECT_THAT(cluster_findings(tandem::testing::good_facts()), IsEmpty());
}

TEST(doctor_cluster, reports_why_the_store_does_not_answer) {
    auto f = facts_with_store();
    f.store->fault = "store redis://valkey:6379: connection refused";
    ASSERT_EQ(cluster_findings(f).size(), 1u);
    EXPECT_EQ(find_wrong(f).status, finding_status::bad);
    EXPECT_THAT(find_wrong(f).message, HasSubstr("connection refused"));
}

TEST(doctor_cluster, warns_of_a_store_that_is_far_away) {
    auto f = facts_with_store();
    f.store->round_trip_ms = 20;
    EXPECT_THAT(find_wrong(f).message, HasSubstr("20 ms; a turn waits"));
}

TEST(doctor_cluster, refuses_old_stores_and_replicas) {
    auto f = facts_with_store();
    f.store->product = "Redis 5.0.14";
    f.store->major_version = 5;
    EXPECT_EQ(find_wrong(f).name, "store_version");
    f = facts_with_store();
    f.store->is_replica = true;
    EXPECT_EQ(find_wrong(f).name, "store_role");
    EXPECT_TRUE(has_bad_finding(collect_findings(f)));
}

TEST(doctor_cluster, warns_if_the_store_drops_or_refuses_records) {
    auto f = facts_with_store();
    f.store->eviction_policy = "allkeys-lru";
    EXPECT_EQ(find_wrong(f).remedy, "set maxmemory-policy noeviction");
    f = facts_with_store();
    f.store->used_bytes = 3'800'000;
    EXPECT_THAT(find_wrong(f).message, HasSubstr("95 % of the store's maxmemory"));
}

TEST(doctor_cluster, warns_if_the_gateways_know_the_server_by_another_name) {
    auto f = facts_with_store();
    f.url = "http://llama:8080";
    EXPECT_EQ(find_wrong(f).message,
              "no gateway uses http://llama:8080; the gateways use 127.0.0.1:8080, 127.0.0.1:8081");
    f.store->servers.clear();
    EXPECT_EQ(find_wrong(f).message, "") << "no request has been sent yet";
}

TEST(doctor_cluster, notes_that_no_gateway_is_up) {
    auto f = facts_with_store();
    f.store->gateways.clear();
    EXPECT_EQ(find_wrong(f).status, finding_status::note);
    EXPECT_EQ(find_wrong(f).message, "no gateway is up");
}

TEST(doctor_cluster, has_a_section_of_its_own) {
    const auto report = make_doctor_report(facts_with_store());
    EXPECT_THAT(format_doctor_report({.width = 100, .color = false}, report),
                HasSubstr("\nCluster\n  ok      store         Valkey 8.0.1 answers in 0.2 ms\n"));
    EXPECT_THAT(doctor_json(report), HasSubstr(R"({"name":"gateways","status":"ok","value":2)"));
}

TEST(doctor_cluster, reads_stores_that_tell_less) {
    EXPECT_EQ(parse_store_info("# Server\r\nredis_version:6.0.16\r\n").product, "Redis 6.0.16");
    const auto nothing = parse_store_info("");
    EXPECT_EQ(nothing.product, "");
    EXPECT_EQ(nothing.major_version, 0);
}

}  // namespace
}  // namespace tandem::command
