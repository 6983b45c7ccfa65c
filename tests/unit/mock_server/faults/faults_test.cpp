#include "faults/fault_plan.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

using std::chrono::milliseconds;

time_point fault_at(int ms) {
    return time_point{} + milliseconds(ms);
}

request_record completion(int id_slot = -1) {
    request_record r;
    r.path = "/completion";
    r.id_slot = id_slot;
    return r;
}

TEST(fault_text, reads_each_field) {
    const fault f = parse_fault(
        "http_error:at_token=-1,at_byte=7,duration=250ms,skip=2,times=0,path=/props,id_slot=1,"
        "status=503,text=a, b=c");
    EXPECT_EQ(f.kind, fault_kind::http_error);
    EXPECT_EQ(f.at_token, -1);
    EXPECT_EQ(f.at_byte, 7);
    EXPECT_EQ(f.duration, milliseconds(250));
    EXPECT_EQ(f.skip, 2);
    EXPECT_EQ(f.times, 0);
    EXPECT_EQ(f.path, "/props");
    EXPECT_EQ(f.id_slot, 1);
    EXPECT_EQ(f.status, 503);
    EXPECT_EQ(f.text, "a, b=c");
}

TEST(fault_text, reads_durations) {
    const struct {
        std::string text;
        milliseconds duration;
    } table[] = {{"250ms", milliseconds(250)},
                 {"2s", milliseconds(2000)},
                 {"1m", milliseconds(60000)},
                 {"3", milliseconds(3000)}};
    for (const auto& row : table) {
        EXPECT_EQ(parse_fault("stall:duration=" + row.text).duration, row.duration) << row.text;
    }
}

TEST(fault_text, reports_what_is_wrong) {
    const struct {
        std::string text;
        std::string message;
    } table[] = {
        {"", "fault: unknown kind ''"},
        {"boom", "fault: unknown kind 'boom'"},
        {"reset:at_token", "fault: no value for 'at_token'"},
        {"reset:at_token=x", "fault: not a number: 'x'"},
        {"reset:color=red", "fault: unknown field 'color'"},
        {"stall:duration=2h", "fault: not a duration: '2h'"},
        {"http_error:status=200", "fault: status is not an error status: 'http_error:status=200'"}};
    for (const auto& row : table) {
        try {
            parse_fault(row.text);
            ADD_FAILURE() << row.text;
        } catch (const std::invalid_argument& e) {
            EXPECT_EQ(e.what(), row.message);
        }
    }
}

TEST(fault_plan, lets_a_fault_happen_once) {
    fault_plan p;
    p.add({.kind = fault_kind::reset}, fault_at(0));
    EXPECT_TRUE(p.use_fault_for(completion(), fault_at(1)));
    EXPECT_FALSE(p.use_fault_for(completion(), fault_at(1)));
}

TEST(fault_plan, gives_each_request_the_oldest_fault) {
    fault_plan p;
    p.add({.kind = fault_kind::reset}, fault_at(0));
    p.add({.kind = fault_kind::close}, fault_at(0));
    EXPECT_EQ(p.use_fault_for(completion(), fault_at(1))->kind, fault_kind::reset);
    EXPECT_EQ(p.use_fault_for(completion(), fault_at(1))->kind, fault_kind::close);
}

TEST(fault_plan, counts_requests_to_skip_and_times) {
    fault_plan p;
    p.add({.kind = fault_kind::reset, .skip = 1, .times = 2}, fault_at(0));
    EXPECT_FALSE(p.use_fault_for(completion(), fault_at(1)));
    EXPECT_TRUE(p.use_fault_for(completion(), fault_at(1)));
    EXPECT_TRUE(p.use_fault_for(completion(), fault_at(1)));
    EXPECT_FALSE(p.use_fault_for(completion(), fault_at(1)));
}

TEST(fault_plan, never_runs_out_of_a_fault_for_all_requests) {
    fault_plan p;
    p.add({.kind = fault_kind::reset, .times = 0}, fault_at(0));
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(p.use_fault_for(completion(), fault_at(i)));
}

TEST(fault_plan, leaves_requests_alone_that_do_not_fit) {
    fault_plan p;
    p.add({.kind = fault_kind::reset, .id_slot = 1}, fault_at(0));
    p.add({.kind = fault_kind::close, .path = "/props"}, fault_at(0));
    p.add({.kind = fault_kind::stall,
           .when = [](const request_record& r) { return r.prompt == "x"; }},
          fault_at(0));
    EXPECT_FALSE(p.use_fault_for(completion(0), fault_at(1)));
    EXPECT_TRUE(p.use_fault_for(completion(1), fault_at(1)));
}

TEST(fault_plan, keeps_the_server_unavailable_for_a_time) {
    fault_plan p;
    p.add({.kind = fault_kind::unavailable, .duration = milliseconds(100)}, fault_at(0));
    request_record health;
    health.path = "/health";
    EXPECT_TRUE(p.use_fault_for(completion(), fault_at(10)));
    EXPECT_TRUE(p.use_fault_for(health, fault_at(99)));
    EXPECT_FALSE(p.use_fault_for(completion(), fault_at(100)));
}

TEST(fault_plan, can_be_cleared) {
    fault_plan p;
    p.add({.kind = fault_kind::reset}, fault_at(0));
    p.clear();
    EXPECT_FALSE(p.use_fault_for(completion(), fault_at(1)));
}

}  // namespace
}  // namespace tandem::mock
