#include "engine_driver.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::engine_driver;
using test::prompt_of;
using test::timed;

// How long slot 0 needs for 100 tokens while replies run in `others` other slots.
milliseconds time_of_100_tokens(const options& o, int others) {
    engine_driver d(o);
    for (int slot = 1; slot <= others; ++slot) d.submit(prompt_of(1, slot));
    completion_request r = prompt_of(1, 0);
    r.n_predict = 101;
    const task_id id = d.submit(r);
    d.run_for(seconds(60));
    const auto last = nlohmann::json::parse(d.outputs_of(id).back().payload.substr(6));
    return milliseconds(last["timings"]["predicted_ms"].get<int>());
}

// At most 100 tokens per second in one slot, and 200 in all slots together.
options with_shared_speed() {
    options o = timed(1000);
    o.parallel = 8;
    o.total_tokens_per_second = 200;
    return o;
}

TEST(speed, of_a_slot_is_its_maximum_while_few_run) {
    EXPECT_EQ(time_of_100_tokens(with_shared_speed(), 0), seconds(1));
    EXPECT_EQ(time_of_100_tokens(with_shared_speed(), 1), seconds(1));
}

TEST(speed, of_all_slots_is_shared_if_more_run) {
    EXPECT_EQ(time_of_100_tokens(with_shared_speed(), 3), seconds(2));
    EXPECT_EQ(time_of_100_tokens(with_shared_speed(), 7), seconds(4));
}

TEST(speed, of_all_slots_is_unlimited_by_default) {
    options o = with_shared_speed();
    o.total_tokens_per_second = 0;
    EXPECT_EQ(time_of_100_tokens(o, 7), seconds(1));
}

// A request for one token after a prompt of 100 equal tokens. The prompt takes 100 ms.
completion_request conversation_of(token_id token) {
    completion_request r = prompt_of(100);
    r.prompt.assign(100, token);
    r.n_predict = 1;
    return r;
}

options with_conversation_change() {
    options o = timed(100);
    o.conversation_change = milliseconds(40);
    return o;
}

struct run_time {
    milliseconds all, prompt;
    bool operator==(const run_time&) const = default;
};

run_time run(engine_driver& d, completion_request r) {
    const task_id id = d.submit(std::move(r));
    d.run_for(seconds(60));
    const request_record record = d.record(id);
    const auto last = nlohmann::json::parse(d.outputs_of(id).back().payload.substr(6));
    return {std::chrono::duration_cast<milliseconds>(*record.ended - *record.started),
            milliseconds(last["timings"]["prompt_ms"].get<int>())};
}

TEST(conversation_change, takes_half_of_its_time_for_each_copy_outside_of_the_prompt) {
    engine_driver d(with_conversation_change());
    EXPECT_EQ(run(d, conversation_of('a')), (run_time{milliseconds(100), milliseconds(100)}));
    EXPECT_EQ(run(d, conversation_of('b')), (run_time{milliseconds(120), milliseconds(100)}));
    EXPECT_EQ(run(d, conversation_of('a')), (run_time{milliseconds(41), milliseconds(1)}));
    EXPECT_EQ(run(d, conversation_of('a')), (run_time{milliseconds(1), milliseconds(1)}));
}

TEST(conversation_change, makes_the_other_slots_wait) {
    options o = with_conversation_change();
    o.prompt_tokens_per_second = 0;
    engine_driver d(o);
    run(d, conversation_of('a'));
    const task_id other = d.submit(prompt_of(1, 1));
    d.run_for(milliseconds(500));
    d.submit(conversation_of('b'));
    d.run_for(seconds(60));
    const request_record r = d.record(other);
    // 100 tokens of 10 ms each, and the wait while slot 0 is copied.
    EXPECT_EQ(*r.ended - *r.started, milliseconds(1000) + milliseconds(20));
}

}  // namespace
}  // namespace tandem::mock
