#pragma once

#include "answers/model_script.hpp"
#include "engine/deferred_tasks.hpp"
#include "engine/host_prompt_cache.hpp"
#include "engine/model_memory.hpp"
#include "engine/slot_files.hpp"
#include "engine/slot_pool.hpp"
#include "engine/task.hpp"
#include "faults/journal.hpp"
#include "tandem_mock/options.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tandem::mock {

/// Slots, queue and decoding, without sockets and clocks. Time passes in steps: in each step, every
/// running slot gets one token or a batch of its prompt. As in the server, new tasks and
/// cancellations are processed only between steps.
class engine {
 public:
    engine(const options& o, journal& j);

    void submit(std::unique_ptr<task> t, time_point now);
    /// Reports that the client closed its connection. The close takes effect when the server
    /// notices it.
    void on_client_gone(task_id id, time_point now);
    /// Reports that a request without a task was answered, which restarts the poll intervals of all
    /// tasks; see poll().
    void restart_polls(time_point now) { last_result_ = now; }

    /// Starts a step and returns its duration; nullopt if there is nothing to do.
    std::optional<nanoseconds> begin_step(time_point now);
    void end_step(time_point now);
    /// Serves tasks that produce no results: notices disconnected clients, sends pings and ends
    /// stalls.
    void poll(time_point now);
    /// When to call poll() next.
    std::optional<time_point> next_poll() const;

    /// Outputs since the last call.
    std::vector<engine_output> take_outputs();

    const std::vector<slot>& slots() const { return pool_.all(); }
    const task* find_running_task(const slot& s) const;
    mock::adapters& adapters() { return adapters_; }
    int context_size() const { return context_size_; }

 private:
    struct planned_work {
        task* of;
        int prompt_tokens;
    };

    // engine.cpp: start, wait and end of tasks.
    void accept(time_point now);
    void try_start(task& t, time_point now);
    void start(task& t, slot& s, time_point now);
    void apply_adapters(const task& t, slot& s) const;
    bool refuse(task& t, const slot& s, time_point now);
    void fail(task& t, const api_error& e, time_point now);
    bool crash_is_due(const slot& reached, time_point now) const;
    void crash();
    void release_slot(task& t, outcome how, time_point now);
    void finish(task& t, outcome how, time_point now);
    void drop_cancelled(time_point now);
    bool is_poll_needed(const task& t) const;
    time_point cancel_notice_time(const task& t) const;
    std::optional<time_point> ping_time(const task& t) const;
    void send(task& t, output_kind kind, std::string payload, time_point now, int status = 200);

    // engine_slots.cpp: host memory, and actions on an idle slot other than completions.
    void exchange_conversation(slot& s, const completion_request& r);
    void save_idle_slots(const slot& starting);
    void add_copy_time(bool copied);
    void act_on_slot(task& t, time_point now);
    void erase(task& t, slot& s, time_point now);
    void save(task& t, slot& s, time_point now);
    void restore(task& t, slot& s, time_point now);
    void answer(task& t, std::string json, time_point now);

    // engine_steps.cpp: decoding.
    int plan_batch(task& t, int room) const;
    nanoseconds compute_step_time(int prompt_tokens, int generating) const;
    void advance_prompt(task& t, int tokens, time_point now);
    void advance_token(task& t, time_point now);
    void sample_and_send(task& t, time_point now);
    bool play_fault(task& t, time_point now);
    void complete(task& t, time_point now);
    void complete_chat(task& t, time_point now);

    const options options_;
    const int context_size_;
    const model_script script_;
    const model_memory memory_;
    journal& journal_;
    slot_pool pool_;
    slot_files files_;
    host_prompt_cache host_cache_;
    nanoseconds copying_{0};  // time of copies to and from host memory, part of the next step
    mock::adapters adapters_;
    deferred_tasks deferred_;
    std::map<task_id, std::unique_ptr<task>> tasks_;
    std::deque<task_id> arrived_;
    std::vector<planned_work> step_;
    std::vector<engine_output> outputs_;
    time_point last_result_{};
    bool in_step_ = false;
    bool crashed_ = false;
};

}  // namespace tandem::mock
