#include "engine/model_memory.hpp"
#include "engine_driver.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::engine_driver;
using test::prompt_of;
using test::saying;
using test::timed;

using tokens = std::vector<token_id>;

options with_memory(memory_kind kind, int window = 64, options o = saying(200)) {
    o.memory = kind;
    o.sliding_window = window;
    return o;
}

json memory_event_json(const engine_output& o) {
    return json::parse(o.payload.substr(6));
}

// The ids that were sent, including the last one, which the slot does not hold.
tokens sent_ids(const engine_driver& d, task_id id) {
    tokens ids;
    for (const auto& o : d.outputs_of(id)) {
        if (o.kind == output_kind::event) ids.push_back(memory_event_json(o)["tokens"][0]);
    }
    return ids;
}

completion_request request_of(tokens prompt, int n_predict = 1) {
    completion_request r = prompt_of(0);
    r.prompt = std::move(prompt);
    r.n_predict = n_predict;
    return r;
}

// The first `kept` tokens of `text`, followed by `added` tokens that occur nowhere else.
tokens changed(tokens text, int kept, int added) {
    text.resize(static_cast<std::size_t>(kept));
    text.insert(text.end(), static_cast<std::size_t>(added), '!');
    return text;
}

struct evaluation {
    int cached = 0;
    int evaluated = 0;
    bool operator==(const evaluation&) const = default;
};

std::ostream& operator<<(std::ostream& out, const evaluation& e) {
    return out << e.cached << " / " << e.evaluated;
}

// The figures in a request's final event, after the request has ended.
evaluation evaluation_of(engine_driver& d, task_id id) {
    d.run_for(seconds(0));
    const json timings = memory_event_json(d.outputs_of(id).back())["timings"];
    return {timings["cache_n"], timings["prompt_n"]};
}

// Generates `generated` tokens after a prompt, then sends a request with changed text.
struct follow_up {
    std::string name;
    int prompt = 600;
    int generated = 30;
    int kept;   // tokens kept of the prompt and of the generated text
    int added;  // new tokens
    int slot = 0;
};

evaluation played(const options& o, const follow_up& f) {
    engine_driver d(o);
    completion_request first = prompt_of(f.prompt);
    first.n_predict = f.generated;
    tokens text = first.prompt;
    const task_id id = d.submit(first);
    d.run_for(seconds(0));
    const tokens ids = sent_ids(d, id);
    text.insert(text.end(), ids.begin(), ids.end());
    completion_request next = request_of(changed(text, f.kept, f.added));
    next.id_slot = f.slot;
    return evaluation_of(d, d.submit(next));
}

// Measured on llama-server b11669 with models of each kind.
TEST(memory, is_that_of_the_measured_models) {
    const struct {
        follow_up text;
        evaluation recurrent, sliding_window;
    } table[] = {
        {{.name = "all that was sampled", .kept = 630, .added = 0}, {629, 1}, {629, 1}},
        {{.name = "and five new tokens", .kept = 630, .added = 5}, {629, 6}, {629, 6}},
        {{.name = "cut with unread tokens in the slot", .generated = 40, .kept = 618, .added = 12},
         {596, 34},
         {618, 12}},
        {{.name = "the same with nothing new", .generated = 40, .kept = 630, .added = 0},
         {596, 34},
         {629, 1}},
        {{.name = "exactly the slot's tokens", .kept = 629, .added = 0}, {596, 33}, {628, 1}},
        {{.name = "other from a generated token on", .kept = 615, .added = 3}, {596, 22}, {615, 3}},
        {{.name = "other inside the prompt", .kept = 400, .added = 3}, {84, 319}, {400, 3}},
        {{.name = "rolled back, prompt of 3", .prompt = 3, .kept = 20, .added = 3},
         {0, 23},
         {0, 23}},
        {{.name = "on the other slot", .kept = 630, .added = 0, .slot = 1}, {0, 630}, {0, 630}},
    };
    for (const auto& row : table) {
        EXPECT_EQ(played(with_memory(memory_kind::recurrent), row.text), row.recurrent)
            << row.text.name;
        EXPECT_EQ(played(with_memory(memory_kind::sliding_window), row.text), row.sliding_window)
            << row.text.name;
    }
}

TEST(memory, goes_back_to_nothing_without_checkpoints_unless_the_window_has_it) {
    options recurrent = with_memory(memory_kind::recurrent);
    options sliding = with_memory(memory_kind::sliding_window);
    recurrent.ctx_checkpoints = sliding.ctx_checkpoints = 0;
    const follow_up back{.name = "", .kept = 615, .added = 3};
    EXPECT_EQ(played(recurrent, back), (evaluation{0, 618}));
    EXPECT_EQ(played(sliding, back), (evaluation{615, 3}));
}

TEST(memory, of_attention_keeps_the_common_beginning) {
    const options o = with_memory(memory_kind::attention);
    EXPECT_EQ(played(o, {.name = "", .kept = 400, .added = 3}), (evaluation{400, 3}));
    EXPECT_EQ(played(o, {.name = "", .prompt = 3, .kept = 2, .added = 1}), (evaluation{2, 1}));
}

TEST(memory, of_a_window_longer_than_the_text_goes_back_even_if_it_could_continue) {
    const options o = with_memory(memory_kind::sliding_window);
    const follow_up longer{.name = "", .prompt = 19, .kept = 49, .added = 0};
    EXPECT_EQ(played(o, longer), (evaluation{15, 34}));
    const follow_up tiny{.name = "", .prompt = 3, .kept = 33, .added = 0};
    EXPECT_EQ(played(o, tiny), (evaluation{0, 33}));
}

TEST(memory, of_a_window_has_one_micro_batch_more_than_the_window) {
    options o = with_memory(memory_kind::sliding_window, 64);
    o.ubatch_size = 100;
    // The slot has 629 tokens, and the states from position 465 on. To keep a prefix, the model
    // needs the state before the last 64 tokens of the prefix.
    EXPECT_EQ(played(o, {.name = "", .kept = 530, .added = 3}), (evaluation{530, 3}));
    EXPECT_EQ(played(o, {.name = "", .kept = 529, .added = 3}), (evaluation{496, 36}));
}

TEST(memory, prefilled_with_all_but_the_last_token_evaluates_that_one) {
    for (const auto kind :
         {memory_kind::attention, memory_kind::recurrent, memory_kind::sliding_window}) {
        engine_driver d(with_memory(kind));
        const tokens text = changed({}, 0, 600);
        d.submit(request_of(changed(text, 599, 0)));
        d.run_for(seconds(0));
        EXPECT_EQ(d.slot(0).tokens, 599);
        EXPECT_EQ(evaluation_of(d, d.submit(request_of(text))), (evaluation{599, 1}));
    }
}

TEST(memory, makes_no_checkpoint_while_it_generates_or_continues) {
    engine_driver d(with_memory(memory_kind::recurrent));
    tokens text = prompt_of(600).prompt;
    for (int i = 0; i < 3; ++i) {
        const task_id id = d.submit(request_of(text, 20));
        d.run_for(seconds(0));
        const tokens ids = sent_ids(d, id);
        text.insert(text.end(), ids.begin(), ids.end());
    }
    EXPECT_EQ(evaluation_of(d, d.submit(request_of(changed(text, 650, 1)))), (evaluation{596, 55}));
}

TEST(memory, drops_the_checkpoints_after_the_place_it_goes_back_to) {
    engine_driver d(with_memory(memory_kind::recurrent, 0, saying(700)));
    const tokens longer(2000, '?');
    EXPECT_EQ(evaluation_of(d, d.submit(request_of(longer))), (evaluation{0, 2000}));
    tokens text = changed(longer, 1484, 2);
    const task_id id = d.submit(request_of(text, 600));
    EXPECT_EQ(evaluation_of(d, id), (evaluation{1484, 2}));
    const tokens ids = sent_ids(d, id);
    text.insert(text.end(), ids.begin(), ids.end());
    // The checkpoint at 1996 was dropped with the tokens after 1484, so the model goes back to
    // 1484.
    EXPECT_EQ(evaluation_of(d, d.submit(request_of(changed(text, 2050, 1)))),
              (evaluation{1484, 567}));
}

TEST(memory, has_so_many_checkpoints_and_drops_the_oldest) {
    options o = with_memory(memory_kind::recurrent);
    o.ctx_checkpoints = 2;
    const model_memory memory(o);
    slot s;
    for (int place : {84, 596, 1000}) {
        s.tokens.resize(static_cast<std::size_t>(place));
        memory.make_checkpoint(s, place + 4);
    }
    EXPECT_EQ(s.checkpoints, (std::vector<int>{596, 1000}));
}

TEST(memory, ends_a_batch_where_it_makes_a_checkpoint) {
    const model_memory recurrent(with_memory(memory_kind::recurrent));
    EXPECT_EQ(recurrent.limit_batch(0, 600, 600), 84);
    EXPECT_EQ(recurrent.limit_batch(0, 600, 50), 50);
    EXPECT_EQ(recurrent.limit_batch(84, 600, 516), 512);
    EXPECT_EQ(recurrent.limit_batch(596, 600, 4), 4);
    EXPECT_EQ(recurrent.limit_batch(0, 3, 3), 3);
    EXPECT_EQ(model_memory(with_memory(memory_kind::attention)).limit_batch(0, 600, 600), 600);
}

TEST(memory, of_a_cut_prompt_has_the_checkpoints_that_were_reached) {
    options o = with_memory(memory_kind::recurrent, 0, timed(10));
    o.poll_interval = milliseconds(1);
    engine_driver d(o);
    const task_id cut = d.submit(prompt_of(600));
    d.run_for(milliseconds(100));  // the first batch takes 84 ms, the second 512 ms
    d.on_client_gone(cut);
    d.run_for(seconds(1));
    EXPECT_EQ(d.slot(0).tokens, 596);
    const task_id other = d.submit(request_of(changed(tokens(600, '?'), 300, 1)));
    EXPECT_EQ(d.record(other).cached, 84);
}

TEST(memory, is_empty_after_an_erase_or_a_request_without_cache) {
    engine_driver d(with_memory(memory_kind::recurrent));
    d.submit(request_of(tokens(600, '?')));
    d.run_for(seconds(0));
    d.erase(0);
    d.submit(request_of(tokens(100, '?')));
    d.run_for(seconds(0));
    completion_request r = request_of(tokens(620, '?'));
    r.cache_prompt = false;
    EXPECT_EQ(evaluation_of(d, d.submit(r)), (evaluation{0, 620}));
    EXPECT_EQ(evaluation_of(d, d.submit(request_of(tokens(620, '?')))), (evaluation{616, 4}));
}

}  // namespace
}  // namespace tandem::mock
