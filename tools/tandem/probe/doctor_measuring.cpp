#include "probe/doctor_measuring.hpp"

#include "probe/doctor_medians.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using clock = std::chrono::steady_clock;

constexpr int max_rounds = 3;
// No further round is begun after this time.
constexpr auto enough_time = 6s;
// How often /slots is asked after a cut, and for how long. Only then: a server that is asked all
// the time does not see clients go that wait for their prompt.
constexpr auto watch_interval = 2ms;
constexpr auto watch_limit = 5s;
constexpr auto status_interval = 20ms;
constexpr int looks_after_the_end = 5;

cache_use use_of(const probe_answer& a) {
    return {a.timings.cached, a.timings.evaluated};
}

double per_second(int n, double ms) {
    return ms > 0 ? n * 1000 / ms : -1;
}

}  // namespace

doctor_measuring::doctor_measuring(probe_session& session, doctor_facts& facts,
                                   std::function<void(std::string)> tell)
    : session_(session),
      facts_(facts),
      measures_(facts.measured.value),
      tell_(std::move(tell)),
      plan_(plan_of(facts)) {}

bool doctor_measuring::going_on() const {
    return !session_.stopped() && !facts_.measured.fault.ec && measures_.busy_after_cut_ms < 0;
}

void doctor_measuring::fail(const failure& why) {
    if (!session_.stopped()) facts_.measured.fault = why;
}

void doctor_measuring::tell(const char* what) {
    tell_(fmt::format("round {} of {}: {}", rounds_.size(), max_rounds, what));
}

awaitable<void> doctor_measuring::run() {
    if (plan_.slots.empty()) co_return;
    facts_.measured.done = true;
    measures_.slots = plan_.slots;
    const auto enough = clock::now() + enough_time;
    while (going_on() && rounds_.size() < max_rounds && clock::now() < enough) {
        auto prompt = co_await new_prompt();
        if (!going_on()) break;
        measures_.prompt_tokens = static_cast<int>(prompt.size());
        rounds_.emplace_back();
        co_await run_round(std::move(prompt));
        measures_.median = median_of(rounds_);
        measures_.rounds += going_on() ? 1 : 0;
    }
    if (going_on() && plan_.can_watch) co_await look_for_others();
}

awaitable<doctor_measuring::tokens> doctor_measuring::new_prompt() {
    static std::random_device random;
    const auto text = prompt_text(std::uniform_int_distribution<std::uint64_t>()(random));
    auto ids = co_await session_.tokenize(text);
    if (ids.failed()) fail(ids.fault);
    const auto length = static_cast<std::size_t>(plan_.prompt_tokens);
    if (ids.value.size() > length) ids.value.resize(length);
    co_return std::move(ids.value);
}

awaitable<void> doctor_measuring::run_round(tokens prompt) {
    auto& r = rounds_.back();
    tell("a new prompt");
    co_await begin(prompt, r);
    if (going_on() && plan_.may_cut) co_await cut_and_go_on(prompt, r);
    if (going_on() && plan_.slots.size() > 1) co_await hop(prompt, r);
}

awaitable<void> doctor_measuring::begin(tokens& prompt, doctor_round& r) {
    const auto a = co_await send(prompt, plan_.slots[0], plan_.generated);
    if (!going_on()) co_return;
    r.first_token_cold_ms = a.first_token_ms;
    r.prompt_tokens_per_second = per_second(a.timings.evaluated, a.timings.prompt_ms);
    r.tokens_per_second = per_second(a.predicted, a.timings.predicted_ms);
}

awaitable<void> doctor_measuring::cut_and_go_on(tokens& prompt, doctor_round& r) {
    tell("a cut");
    const auto cut = co_await send(prompt, plan_.slots[0], plan_.cut_bound, plan_.cut_after);
    if (!going_on()) co_return;
    r.first_token_warm_ms = cut.first_token_ms;
    // A server that is done before it is cut is not cut.
    if (cut.was_cut && plan_.can_watch) co_await watch_cut(cut, r);
    if (plan_.guard > duration{}) tell("a rest, since the build may not bear a request now");
    co_await session_.pause(plan_.guard);
    if (!going_on()) co_return;
    tell("the same slot after a cut");
    const auto a = co_await send(prompt, plan_.slots[0], 1);
    if (going_on()) r.same_slot = use_of(a);
}

awaitable<void> doctor_measuring::hop(tokens& prompt, doctor_round& r) {
    tell("the other slot");
    const auto cold = co_await send(prompt, plan_.slots[1], 1);
    if (going_on()) r.other_slot = use_of(cold);
    const auto warm = co_await send(prompt, plan_.slots[1], 1);
    if (going_on()) r.prefilled_slot = use_of(warm);
    const auto back = co_await send(prompt, plan_.slots[0], 1);
    if (going_on()) r.first_slot_again = use_of(back);
}

awaitable<probe_answer> doctor_measuring::send(tokens& prompt, int slot, int n_predict,
                                               int cut_after) {
    if (!going_on()) co_return probe_answer{};
    auto answer = co_await session_.complete(
        {.prompt = prompt, .slot = slot, .n_predict = n_predict, .cut_after = cut_after});
    if (answer.fault.ec)
        fail(answer.fault);
    else
        ++measures_.requests;
    prompt.insert(prompt.end(), answer.tokens.begin(), answer.tokens.end());
    co_return answer;
}

awaitable<void> doctor_measuring::watch_cut(const probe_answer& cut, doctor_round& r) {
    const int slot = plan_.slots[0];
    for (;;) {
        const auto slots = co_await session_.slots();
        const auto since = clock::now() - cut.cut_at;
        if (slots.failed()) fail(slots.fault);
        if (!slots.ok()) co_return;
        see_others(slots.value, slot);
        const auto own = std::ranges::find(slots.value, slot, &slot_state::id);
        if (own == slots.value.end()) co_return;
        if (!own->processing) {
            r.cut_to_idle_ms = to_ms(since);
            // The last token of all is not in the slot's cache yet.
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

// A slot whose answer has just come may be shown at work for a moment.
awaitable<void> doctor_measuring::look_for_others() {
    auto slots = co_await session_.slots();
    for (int more = looks_after_the_end; more > 0 && slots.ok() && works(slots.value); --more) {
        co_await session_.pause(status_interval);
        slots = co_await session_.slots();
    }
    if (slots.ok()) see_others(slots.value, std::nullopt);
}

bool doctor_measuring::works(const std::vector<slot_state>& slots) const {
    return std::ranges::any_of(slots, [&](const slot_state& s) {
        return s.processing && std::ranges::find(plan_.slots, s.id) != plan_.slots.end();
    });
}

void doctor_measuring::see_others(const std::vector<slot_state>& slots, std::optional<int> cut) {
    facts_.busy_slots =
        std::max(facts_.busy_slots, slots_of_others(facts_.slots.value, slots, plan_.slots, cut));
}

}  // namespace tandem::command
