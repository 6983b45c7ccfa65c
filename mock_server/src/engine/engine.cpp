#include "engine/engine.hpp"

#include "faults/fault_plan.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tandem::mock {
namespace {

constexpr const char* crash_message =
    "GGML_ASSERT(!slot.is_processing()) failed\nsrc/server-context.cpp:1011";

api_error too_long(int prompt_tokens, int context_size) {
    api_error e = make_error(400, fmt::format("request ({} tokens) exceeds the available context "
                                              "size ({} tokens), try increasing it",
                                              prompt_tokens, context_size));
    e.type = "exceed_context_size_error";
    e.prompt_tokens = prompt_tokens;
    e.context_size = context_size;
    return e;
}

std::optional<time_point> earlier(std::optional<time_point> a, std::optional<time_point> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

}  // namespace

engine::engine(const options& o, journal& j)
    : options_(o),
      context_size_(o.kv_unified ? o.ctx_size : o.ctx_size / o.parallel),
      script_(o.dialogues, o.replies),
      memory_(o),
      journal_(j),
      pool_(o.parallel),
      host_cache_(o),
      adapters_(o.lora) {
    for (slot& s : pool_.all()) s.lora = adapters_.server_scales();
}

void engine::submit(std::unique_ptr<task> t, time_point now) {
    if (crashed_) return;
    const int wanted = t->request.id_slot;
    const bool pinned = t->kind == task_kind::completion && wanted != -1;
    if (pinned && crash_is_due(pool_.slot_at_wrapped_id(wanted), now)) return crash();
    t->since = now;
    arrived_.push_back(t->id);
    const task_id id = t->id;
    tasks_.emplace(id, std::move(t));
}

void engine::on_client_gone(task_id id, time_point now) {
    const auto found = tasks_.find(id);
    if (found == tasks_.end() || found->second->disconnected_at) return;
    task& t = *found->second;
    journal_.change_request(id, [now](request_record& r) { r.client_gone = now; });
    if (!t.cancellable) return;
    t.disconnected_at = now;
    if (t.slot) t.slot->cut_at = now;
}

const task* engine::find_running_task(const slot& s) const {
    return s.task ? tasks_.at(*s.task).get() : nullptr;
}

std::vector<engine_output> engine::take_outputs() {
    return std::exchange(outputs_, {});
}

void engine::accept(time_point now) {
    while (!arrived_.empty() && !crashed_) {
        const auto found = tasks_.find(arrived_.front());
        arrived_.pop_front();
        if (found != tasks_.end()) try_start(*found->second, now);
    }
}

void engine::try_start(task& t, time_point now) {
    if (t.kind != task_kind::completion) return act_on_slot(t, now);
    slot* idle = pool_.find_idle(t.request.id_slot, t.request.prompt);
    if (idle && crash_is_due(*idle, now)) return crash();
    if (idle) {
        exchange_conversation(*idle, t.request);
        save_idle_slots(*idle);
        return start(t, *idle, now);
    }
    journal_.change_request(t.id, [](request_record& r) { r.deferred = true; });
    deferred_.defer(t.id, t.request.id_slot);
}

void engine::start(task& t, slot& s, time_point now) {
    if (refuse(t, s, now)) return;
    t.slot = &s;
    s.task = s.last_task = t.id;
    s.cut_at = t.disconnected_at;
    t.phase = task_phase::prompt;
    t.since = t.last_sent = now;
    t.counts.prompt_tokens = static_cast<int>(t.request.prompt.size());
    if (!t.request.cache_prompt) s.clear();
    apply_adapters(t, s);
    memory_.trim_to_reusable_tokens(s, t.request.prompt);
    t.counts.cached = t.counts.processed = static_cast<int>(s.tokens.size());
    journal_.record_slot_start(s.id, t.id, now);
    journal_.change_request(t.id, [&](request_record& r) {
        r.slot = s.id;
        r.started = now;
        r.prompt_tokens = t.counts.prompt_tokens;
        r.cached = t.counts.cached;
        r.evaluated = t.counts.prompt_tokens - t.counts.cached;
    });
    t.output.emplace(t.request, script_.continuation(text_after_bos(t.request.prompt)));
    if (t.request.stream) send(t, output_kind::begin, {}, now);
    if (t.request.prompt.empty()) return complete(t, now);
    if (t.request.return_progress && t.request.stream) {
        send(t, output_kind::event, prompt_progress_event(t.counts), now);
    }
}

void engine::apply_adapters(const task& t, slot& s) const {
    if (t.request.lora.empty()) {
        s.lora = adapters_.server_scales();
        return;
    }
    auto wanted = read_adapters(nlohmann::json::parse(t.request.lora), s.lora.size());
    if (wanted != s.lora) s.clear();
    s.lora = std::move(wanted);
}

bool engine::refuse(task& t, const slot& s, time_point now) {
    const int prompt_tokens = static_cast<int>(t.request.prompt.size());
    std::optional<api_error> error;
    if (prompt_tokens >= context_size_) {
        error = too_long(prompt_tokens, context_size_);
    } else if (t.fault && t.fault->kind == fault_kind::stream_error && t.fault->at_token == 0) {
        error = make_error(t.fault->status, fault_message(*t.fault));
    }
    if (!error) return false;
    fail(t, *error, now);
    if (const auto next = deferred_.pop_for(s.id)) arrived_.push_front(*next);
    return true;
}

void engine::fail(task& t, const api_error& e, time_point now) {
    send(t, output_kind::refusal, to_json(e), now, e.status);
    finish(t, outcome::failed, now);
}

bool engine::crash_is_due(const slot& reached, time_point now) const {
    return options_.crash_within.count() > 0 && reached.cut_at &&
           now - *reached.cut_at < options_.crash_within;
}

void engine::crash() {
    crashed_ = true;
    outputs_.push_back({0, output_kind::crash, crash_message, 0, 0});
}

void engine::release_slot(task& t, outcome how, time_point now) {
    slot& s = *t.slot;
    s.task.reset();
    s.last_used = now;
    journal_.record_slot_end(s.id, how == outcome::cut, static_cast<int>(s.tokens.size()), now);
    if (const auto next = deferred_.pop_for(s.id)) arrived_.push_front(*next);
}

void engine::finish(task& t, outcome how, time_point now) {
    if (t.slot) release_slot(t, how, now);
    journal_.end_request(t.id, how, now);
    if (how == outcome::cut)
        outputs_.push_back({t.id, output_kind::cancelled, {}, t.counts.predicted, 0});
    tasks_.erase(t.id);
}

void engine::send(task& t, output_kind kind, std::string payload, time_point now, int status) {
    t.last_sent = now;
    if (kind != output_kind::ping) last_result_ = now;
    outputs_.push_back({t.id, kind, std::move(payload), t.counts.predicted, status});
}

bool engine::is_poll_needed(const task& t) const {
    return t.ignores_client_close() || t.phase != task_phase::generating || !t.request.stream ||
           t.stalled_until;
}

// A waiting request checks its client once per poll interval, but any result of any request
// restarts the interval: while other requests stream, the waiting request never checks.
time_point engine::cancel_notice_time(const task& t) const {
    if (t.ignores_client_close()) return *t.disconnected_at + fault_duration(*t.fault);
    const time_point from = std::max(t.since, last_result_);
    const auto interval = std::max<nanoseconds>(options_.poll_interval, nanoseconds(1));
    const auto waited = std::max<nanoseconds>(*t.disconnected_at - from, nanoseconds(1));
    return from + interval * ((waited + interval - nanoseconds(1)) / interval);
}

std::optional<time_point> engine::ping_time(const task& t) const {
    if (!t.request.stream || t.phase == task_phase::waiting) return std::nullopt;
    nanoseconds silence = options_.sse_ping_interval;
    if (t.request.sse_ping_interval) silence = std::chrono::seconds(*t.request.sse_ping_interval);
    if (silence.count() <= 0) return std::nullopt;
    // Pings are sent on poll ticks.
    const auto interval = std::max<nanoseconds>(options_.poll_interval, nanoseconds(1));
    return t.last_sent + interval * ((silence + interval - nanoseconds(1)) / interval);
}

void engine::poll(time_point now) {
    for (const auto& [id, t] : tasks_) {
        if (t->disconnected_at && is_poll_needed(*t) && cancel_notice_time(*t) <= now)
            t->cancelled = true;
        if (const auto due = ping_time(*t); due && *due <= now && !t->disconnected_at) {
            send(*t, output_kind::ping, ping_event, now);
        }
        if (t->stalled_until && *t->stalled_until <= now) t->stalled_until.reset();
    }
    drop_cancelled(now);
}

std::optional<time_point> engine::next_poll() const {
    std::optional<time_point> next;
    for (const auto& [id, t] : tasks_) {
        if (t->disconnected_at && !t->cancelled && is_poll_needed(*t)) {
            next = earlier(next, cancel_notice_time(*t));
        }
        if (!t->disconnected_at) next = earlier(next, ping_time(*t));
        next = earlier(next, t->stalled_until);
    }
    return next;
}

// During a step, removes only waiting tasks, because step_ may point to the others.
void engine::drop_cancelled(time_point now) {
    for (auto i = tasks_.begin(); i != tasks_.end();) {
        task& t = *(i++)->second;
        if (!t.cancelled || (in_step_ && t.phase != task_phase::waiting)) continue;
        deferred_.remove(t.id);
        finish(t, outcome::cut, now);
    }
}

}  // namespace tandem::mock
