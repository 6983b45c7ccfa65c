#include "probe/server_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr int max_rounds = 3;
// No further round starts after this time.
constexpr auto enough_time = 6s;
// How often, and for how long, /slots is polled after a cut. Does not poll at other times, because
// constant polling would keep the server from noticing clients that disconnect during prompt
// evaluation.
constexpr auto watch_interval = 2ms;
constexpr auto watch_limit = 5s;
constexpr auto status_interval = 20ms;
constexpr int slot_polls_after_end = 5;
// Length of the other conversation's prompt: even a few tokens replace the text in a slot.
constexpr int foreign_tokens = 16;

cache_usage get_cache_usage(const probe_answer& a) {
    return {a.timings.cached, a.timings.evaluated};
}

double per_second(int n, double ms) {
    return ms > 0 ? n * 1000 / ms : -1;
}

}  // namespace

server_measurement::server_measurement(probe_session& session, doctor_facts& facts,
                                       std::function<void(std::string)> on_step)
    : session_(session),
      facts_(facts),
      measures_(facts.measured.value),
      on_step_(std::move(on_step)),
      plan_(make_measurement_plan(facts)) {}

bool server_measurement::should_continue() const {
    return !session_.stopped() && !facts_.measured.fault.ec && measures_.busy_after_cut_ms < 0;
}

void server_measurement::report_step(const char* what) {
    on_step_(fmt::format("round {} of {}: {}", rounds_.size(), max_rounds, what));
}

awaitable<void> server_measurement::run() {
    if (plan_.slots.empty()) co_return;
    facts_.measured.done = true;
    measures_.slots = plan_.slots;
    const auto enough = clock::now() + enough_time;
    while (should_continue() && rounds_.size() < max_rounds && clock::now() < enough) {
        auto prompt = co_await new_prompt(plan_.prompt_tokens);
        if (!should_continue()) break;
        measures_.prompt_tokens = static_cast<int>(prompt.size());
        rounds_.emplace_back();
        co_await run_round(std::move(prompt));
        measures_.median = compute_medians(rounds_);
        measures_.rounds += should_continue() ? 1 : 0;
    }
    if (should_continue() && plan_.can_watch) co_await detect_other_users();
}

awaitable<server_measurement::tokens> server_measurement::new_prompt(int length) {
    static std::random_device random;
    const auto text = make_unique_prompt(std::uniform_int_distribution<std::uint64_t>()(random));
    auto ids = co_await session_.tokenize(text);
    if (ids.failed()) fail(ids.fault);
    const auto most = static_cast<std::size_t>(length);
    if (ids.value.size() > most) ids.value.resize(most);
    co_return std::move(ids.value);
}

awaitable<void> server_measurement::run_round(tokens prompt) {
    auto& r = rounds_.back();
    report_step("a new prompt");
    co_await measure_first_request(prompt, r);
    if (should_continue() && plan_.may_cut) co_await cut_and_continue(prompt, r);
    if (should_continue() && plan_.slots.size() > 1) co_await measure_other_slot(prompt, r);
    if (should_continue()) co_await measure_conversation_change(prompt, r);
}

awaitable<void> server_measurement::measure_first_request(tokens& prompt, measurement_round& r) {
    const auto a = co_await send(prompt, plan_.slots[0], plan_.generated);
    if (!should_continue()) co_return;
    r.first_token_cold_ms = a.first_token_ms;
    r.prompt_tokens_per_second = per_second(a.timings.evaluated, a.timings.prompt_ms);
    r.tokens_per_second = per_second(a.predicted, a.timings.predicted_ms);
}

awaitable<void> server_measurement::cut_and_continue(tokens& prompt, measurement_round& r) {
    report_step("a cut");
    const auto cut = co_await send(prompt, plan_.slots[0], plan_.cut_bound, plan_.cut_after);
    if (!should_continue()) co_return;
    r.first_token_warm_ms = cut.first_token_ms;
    // There was no cut if the server finished before `cut_after` tokens.
    if (cut.was_cut && plan_.can_watch) co_await measure_slot_release(cut, r);
    if (plan_.guard > duration{})
        report_step("a pause, because the build may crash on an early request");
    co_await session_.pause(plan_.guard);
    if (!should_continue()) co_return;
    report_step("the same slot after a cut");
    const auto a = co_await send(prompt, plan_.slots[0], 1);
    if (should_continue()) r.same_slot = get_cache_usage(a);
}

awaitable<void> server_measurement::measure_other_slot(tokens& prompt, measurement_round& r) {
    report_step("the other slot");
    const auto cold = co_await send(prompt, plan_.slots[1], 1);
    if (should_continue()) r.other_slot = get_cache_usage(cold);
    const auto warm = co_await send(prompt, plan_.slots[1], 1);
    if (should_continue()) r.prefilled_slot = get_cache_usage(warm);
    const auto back = co_await send(prompt, plan_.slots[0], 1);
    if (should_continue()) r.first_slot_again = get_cache_usage(back);
}

awaitable<void> server_measurement::measure_conversation_change(tokens& prompt,
                                                                measurement_round& r) {
    report_step("a change of conversation");
    auto foreign = co_await new_prompt(foreign_tokens);
    co_await send(foreign, plan_.slots[0], 1);
    const auto back = co_await send(prompt, plan_.slots[0], 1);
    if (!should_continue()) co_return;
    r.after_change = get_cache_usage(back);
    r.first_token_after_change_ms = back.first_token_ms;
}

awaitable<probe_answer> server_measurement::send(tokens& prompt, int slot, int n_predict,
                                                 int cut_after) {
    if (!should_continue()) co_return probe_answer{};
    auto answer = co_await session_.complete(
        {.prompt = prompt, .slot = slot, .n_predict = n_predict, .cut_after = cut_after});
    if (answer.fault.ec)
        fail(answer.fault);
    else
        ++measures_.requests;
    prompt.insert(prompt.end(), answer.tokens.begin(), answer.tokens.end());
    co_return answer;
}

awaitable<void> server_measurement::measure_slot_release(const probe_answer& cut,
                                                         measurement_round& r) {
    const int slot = plan_.slots[0];
    for (;;) {
        const auto slots = co_await session_.slots();
        const auto since = clock::now() - cut.cut_at;
        if (slots.failed()) fail(slots.fault);
        if (!slots.ok()) co_return;
        record_other_users(slots.value, slot);
        const auto own = std::ranges::find(slots.value, slot, &slot_state::id);
        if (own == slots.value.end()) co_return;
        if (!own->processing) {
            r.cut_to_idle_ms = to_ms(since);
            // The server has not evaluated the last token yet, so the slot does not contain it.
            const int expected = cut.prompt_tokens + cut.predicted - 1;
            if (own->prompt_tokens > 0)
                r.tokens_after_cut = std::max(0, own->prompt_tokens - expected);
            co_return;
        }
        if (since > watch_limit) {
            measures_.busy_after_cut_ms = to_ms(since);
            co_return;
        }
        co_await session_.pause(watch_interval);
    }
}

// Polls again, because /slots may still report a slot as busy shortly after its response.
awaitable<void> server_measurement::detect_other_users() {
    auto slots = co_await session_.slots();
    for (int more = slot_polls_after_end;
         more > 0 && slots.ok() && is_measured_slot_busy(slots.value); --more) {
        co_await session_.pause(status_interval);
        slots = co_await session_.slots();
    }
    if (slots.ok()) record_other_users(slots.value, std::nullopt);
}

bool server_measurement::is_measured_slot_busy(const std::vector<slot_state>& slots) const {
    return std::ranges::any_of(slots, [&](const slot_state& s) {
        return s.processing && std::ranges::find(plan_.slots, s.id) != plan_.slots.end();
    });
}

void server_measurement::record_other_users(const std::vector<slot_state>& slots,
                                            std::optional<int> cut) {
    facts_.busy_slots = std::max(facts_.busy_slots,
                                 count_foreign_slots(facts_.slots.value, slots, plan_.slots, cut));
}

}  // namespace tandem::command
