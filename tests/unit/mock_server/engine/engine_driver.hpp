#pragma once

#include "engine/engine.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tandem::mock::test {

using std::chrono::milliseconds;

/// An engine in simulated time, and its output.
class engine_driver {
 public:
    explicit engine_driver(const options& o) : journal_(o.parallel), engine_(o, journal_) {}

    /// Submits a request at the current time.
    task_id submit(completion_request r, std::optional<fault> f = std::nullopt) {
        return submit_task(task_kind::completion, std::move(r), std::move(f));
    }
    task_id erase(int id_slot) { return act_on_slot(task_kind::erase, id_slot); }
    task_id save(int id_slot, std::string file) {
        return act_on_slot(task_kind::save, id_slot, std::move(file));
    }
    task_id restore(int id_slot, std::string file) {
        return act_on_slot(task_kind::restore, id_slot, std::move(file));
    }
    void on_client_gone(task_id id) {
        engine_.on_client_gone(id, now_);
        settle();
    }
    void poll_slots() { engine_.restart_polls(now_); }

    /// Advances the time and runs everything that is due.
    void run_for(milliseconds t) {
        const time_point end = now_ + t;
        for (auto next = next_event(); next && *next <= end; next = next_event()) {
            now_ = std::max(now_, *next);
            if (step_end_ && *step_end_ <= now_) {
                step_end_.reset();
                engine_.end_step(now_);
            } else {
                engine_.poll(now_);
            }
            settle();
        }
        now_ = end;
    }

    std::vector<engine_output> outputs_of(task_id id) const {
        std::vector<engine_output> found;
        std::copy_if(outputs_.begin(), outputs_.end(), std::back_inserter(found),
                     [id](const engine_output& o) { return o.task == id; });
        return found;
    }
    int count(task_id id, output_kind kind) const {
        const auto of = outputs_of(id);
        return static_cast<int>(std::count_if(
            of.begin(), of.end(), [kind](const engine_output& o) { return o.kind == kind; }));
    }
    bool has(task_id id, output_kind kind) const { return count(id, kind) > 0; }
    bool crashed() const { return has(0, output_kind::crash); }

    request_record record(task_id id) const { return journal_.snapshot().requests.at(id - 1); }
    slot_record slot(int id) const {
        return journal_.snapshot().slots.at(static_cast<std::size_t>(id));
    }
    milliseconds waited(task_id id) const {
        const request_record r = record(id);
        return std::chrono::duration_cast<milliseconds>(*r.started - r.arrived);
    }

 private:
    task_id act_on_slot(task_kind kind, int id_slot, std::string file = {}) {
        completion_request r;
        r.id_slot = id_slot;
        return submit_task(kind, std::move(r), std::nullopt, std::move(file));
    }
    task_id submit_task(task_kind kind, completion_request r, std::optional<fault> f,
                        std::string file = {}) {
        request_record record;
        record.arrived = now_;
        record.id_slot = r.id_slot;
        auto t = std::make_unique<task>();
        t->id = journal_.add_request(record);
        t->kind = kind;
        t->request = std::move(r);
        t->file = std::move(file);
        t->fault = std::move(f);
        const task_id id = t->id;
        engine_.submit(std::move(t), now_);
        settle();
        return id;
    }
    void settle() {
        if (!step_end_) {
            if (const auto cost = engine_.begin_step(now_)) step_end_ = now_ + *cost;
        }
        for (auto& o : engine_.take_outputs()) outputs_.push_back(std::move(o));
    }
    std::optional<time_point> next_event() const {
        const auto poll = engine_.next_poll();
        if (!poll || !step_end_) return poll ? poll : step_end_;
        return std::min(*poll, *step_end_);
    }

    journal journal_;
    engine engine_;
    time_point now_{std::chrono::hours(1)};
    std::optional<time_point> step_end_;
    std::vector<engine_output> outputs_;
};

/// A model that answers every prompt with "a b b …", a reply of `tokens` tokens.
inline options saying(int tokens) {
    options o;
    std::string reply = "a";
    for (int i = 1; i < tokens; ++i) reply += " b";
    o.replies = {{"", reply}};
    return o;
}

/// The same model at 100 tokens per second (10 ms each) and 1000 prompt tokens per second.
inline options timed(int reply_tokens) {
    options o = saying(reply_tokens);
    o.tokens_per_second = 100;
    o.prompt_tokens_per_second = 1000;
    return o;
}

/// A streamed request with a prompt of `tokens` tokens.
inline completion_request prompt_of(int tokens, int id_slot = 0) {
    completion_request r;
    r.stream = true;
    r.id_slot = id_slot;
    r.prompt.assign(static_cast<std::size_t>(tokens), '?');
    return r;
}

}  // namespace tandem::mock::test
