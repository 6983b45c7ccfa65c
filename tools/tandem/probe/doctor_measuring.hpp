#pragma once

#include "probe/doctor_plan.hpp"
#include "probe/probe_session.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// Measures a server with small requests on its slots, and keeps what was measured so far, also
/// when it is stopped. What the slots held is replaced.
class doctor_measuring {
 public:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    /// `session` and `facts` must outlive the object; `tell` is told what is continuing.
    doctor_measuring(probe_session& session, doctor_facts& facts,
                     std::function<void(std::string)> tell);

    awaitable<void> run();

 private:
    using tokens = std::vector<wire::token_id>;

    awaitable<void> run_round(tokens prompt);
    awaitable<void> begin(tokens& prompt, doctor_round& r);
    awaitable<void> cut_and_go_on(tokens& prompt, doctor_round& r);
    awaitable<void> hop(tokens& prompt, doctor_round& r);
    awaitable<void> watch_cut(const probe_answer& cut, doctor_round& r);
    awaitable<tokens> new_prompt();
    // Appends what was generated to the prompt.
    awaitable<probe_answer> send(tokens& prompt, int slot, int n_predict, int cut_after = 0);
    awaitable<void> look_for_others();

    bool going_on() const;
    // One of the slots that are used here is at work.
    bool works(const std::vector<slot_state>& slots) const;
    void see_others(const std::vector<slot_state>& slots, std::optional<int> cut);
    void fail(const failure& why);
    void tell(const char* what);

    probe_session& session_;
    doctor_facts& facts_;
    doctor_measures& measures_;
    std::function<void(std::string)> tell_;
    doctor_plan plan_;
    std::vector<doctor_round> rounds_;
};

}  // namespace tandem::command
