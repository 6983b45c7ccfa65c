#pragma once

#include "os/coroutines.hpp"
#include "probe/measurement_plan.hpp"
#include "probe/probe_session.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// Measures a server with small requests on its slots. If stopped, keeps the results so far.
/// Overwrites the cache of the slots.
class server_measurement {
 public:
    /// `session` and `facts` must outlive this object. `on_step` receives the current step.
    server_measurement(probe_session& session, doctor_facts& facts,
                       std::function<void(std::string)> on_step);

    awaitable<void> run();

 private:
    using tokens = std::vector<wire::token_id>;

    awaitable<void> run_round(tokens prompt);
    awaitable<void> measure_first_request(tokens& prompt, measurement_round& r);
    awaitable<void> cut_and_continue(tokens& prompt, measurement_round& r);
    awaitable<void> measure_other_slot(tokens& prompt, measurement_round& r);
    awaitable<void> measure_conversation_change(tokens& prompt, measurement_round& r);
    awaitable<void> measure_slot_release(const probe_answer& cut, measurement_round& r);
    awaitable<tokens> new_prompt(int length);
    // Appends the generated tokens to the prompt.
    awaitable<probe_answer> send(tokens& prompt, int slot, int n_predict, int cut_after = 0);
    awaitable<void> detect_other_users();

    bool should_continue() const;
    // Returns true if one of the slots used for measuring is busy.
    bool is_measured_slot_busy(const std::vector<slot_state>& slots) const;
    void record_other_users(const std::vector<slot_state>& slots, std::optional<int> cut);
    void fail(const failure& why) {
        if (!session_.stopped()) facts_.measured.fault = why;
    }
    void report_step(const char* what);

    probe_session& session_;
    doctor_facts& facts_;
    doctor_measurements& measures_;
    std::function<void(std::string)> on_step_;
    measurement_plan plan_;
    std::vector<measurement_round> rounds_;
};

}  // namespace tandem::command
