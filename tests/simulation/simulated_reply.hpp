#pragma once

#include "base/time.hpp"
#include "reply/machine/reply_machine.hpp"
#include "reply/reply_start_point.hpp"
#include "simulation/simulated_answer.hpp"
#include "simulation/simulated_model.hpp"
#include "simulation/simulated_server.hpp"
#include "text/chunks/chunker.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tandem::test {

/// The model of a reply, and the rules of the reply. A resumed reply keeps both.
struct reply_plan {
    simulated_model model;
    pacing mode;
    detail::reply_rules rules;
    text::chunk_limits limits;
    boundary_rule rule;
};

reply_plan random_plan(rng& random, std::string prompt);

/// The server and slot owner of a reply.
struct reply_site {
    simulated_server* core = nullptr;
    slots::owner_id owner = slots::nobody;
};

/// This struct and simulated_source correspond to reply_start_point and reply_server_source of the
/// library.
struct simulated_start {
    failure why{};
    reply_site where{};
    detail::reply_origin origin{};
};
using start_handler = std::function<void(simulated_start)>;
struct simulated_source {
    std::function<void(start_handler)> start{};
    std::function<void(const failure&, start_handler)> go_on{};
    /// Called when a request has failed on this server.
    std::function<void(const simulated_server&, const error_code&)> failed{};
};

/// A source that always chooses this server: for the start, which begins at `origin`, and after
/// each failure.
simulated_source make_single_server_source(simulated_server& core, slots::owner_id owner,
                                           detail::reply_origin origin);

/// One simulated reply: its machine, its requests and its consumer.
class simulated_reply {
 public:
    /// The listener must outlive the reply.
    simulated_reply(simulated_world& world, std::uint64_t id, reply_plan plan,
                    simulated_source source, detail::reply_listener& listener);

    void start();
    void interrupt();
    void leave_server(const detail::server_leave_reason& reason);
    bool refutes_reason(const detail::server_leave_reason& reason) const noexcept {
        return machine_.refutes_reason(reason);
    }
    void commit_draft();
    /// The server has died, so its connections break.
    void server_died(const simulated_server& which);

    void check_end() const;
    const detail::reply_machine::transitions& made() const noexcept {
        return machine_.transitions_made();
    }
    std::uint64_t id() const noexcept { return machine_.id(); }
    bool ended() const noexcept { return ends_ > 0; }
    const simulated_server* server() const noexcept { return site_.core; }
    const reply_plan& plan() const noexcept { return plan_; }
    int generated() const noexcept { return machine_.result().usage.generated; }
    std::size_t calls() const noexcept { return machine_.result().calls.size(); }
    /// The text handed over by this reply and by the earlier replies that it continues.
    const std::string& spoken() const noexcept { return spoken_; }
    const std::string& last_chunk() const noexcept { return last_chunk_; }

 private:
    // The behavior of the reply's server and consumer.
    struct habits {
        duration token_time{};
        duration speech_time{};
        double fault = 0;  // probability for each request
        double tokenize_fault = 0;
        double bytes = 0;  // probability that an answer arrives as bytes
        bool interrupts = false;
        bool takes_back = false;  // cancels some chunk requests and repeats them later
        /// From this chunk on, the consumer does not request chunks, or does not continue them.
        std::optional<std::uint32_t> asks_until;
        std::optional<std::uint32_t> continues_until;
    };

    // One request to the server.
    struct request {
        std::uint64_t id = 0;  // counts requests; data for an older request is dropped
        bool open = false;     // the connection is open
        bool slot_held = false;
        std::shared_ptr<simulated_answer> answer{};
    };

    static habits random_habits(rng& random);
    void on_server_acquired(simulated_start where);
    void switch_to_server(simulated_start where);
    void explain(errc why) { explained_.insert(error_code(why).value()); }

    // Actions of the machine.
    void perform_actions();
    void perform(const detail::action::request_server&);
    void perform(const detail::action::check_ids&);
    bool on_ids_request_failed();
    void perform(const detail::action::tokenize_prompt&);
    void perform(const detail::action::recover_tokens& a);
    void perform(const detail::action::request_slot&);
    void perform(const detail::action::update_slot_request&);
    void perform(const detail::action::check_slot_demand& a);
    void perform(const detail::action::record_progress& a);
    void perform(const detail::action::cancel_slot_request&);
    void perform(const detail::action::send_request& a);
    void perform(const detail::action::parse_calls& a);
    void perform(const detail::action::force_calls& a);
    void request_calls(int slot, bool are_invalid);
    void perform(const detail::action::report_calls& a);
    void perform(const detail::action::close_connection&);
    void perform(const detail::action::release_slot& a);
    void perform(const detail::action::release_slot_ownership&);
    void perform(const detail::action::request_warm_slot&);
    void perform(const detail::action::cancel_warm_slot_request&);
    void perform(const detail::action::send_warming_request& a);
    void perform(const detail::action::close_warming_connection&);
    void perform(const detail::action::hand_over& a);
    void perform(const detail::action::log_late_start&);
    void perform(const detail::action::log_failover&);
    void perform(const detail::action::report_timeout&);
    void perform(const detail::action::log_slot_mismatch&);
    void perform(const detail::action::finish&);

    // Requests.
    std::optional<model_position> position_of(const detail::prompt_view& prompt) const;
    bool has_ids_of_another_vocabulary() const;
    void open(request& r, int slot);
    void close(request& r);
    answer_plan plan_of(std::size_t events) const;
    void explain_silence();
    void refuse(std::uint64_t id, const failure& why);
    void answer(std::uint64_t id);
    bool has_read_call() const;
    void piece_arrives(std::uint64_t id);
    void read_events(std::uint64_t id, simulated_answer& from);
    void events_come_late(simulated_answer& from);
    void on_request_failed(const failure& why);
    void report_failure(errc why);
    void end_warming(std::uint64_t id);
    bool is_live(std::uint64_t id) const noexcept { return id == live_.id && live_.open; }
    template <class Answer>
    void later(int most, Answer what);

    // The consumer.
    void request_next_chunk();
    void take_back();
    void speak();
    void spoken(chunk_id id);
    void say_stale_things();
    void arm_timer();

    // Promises.
    void broke_off(const failure& why);
    void patience_begins();
    void check_patience(time_point since) const;
    duration measure_silence() const;
    void check_giving_up() const;
    bool is_explained(const error_code& ec) const;
    void check_own_end() const;
    void check_nothing_lost() const;

    simulated_world& world_;
    reply_plan plan_;
    habits habits_;
    simulated_source source_;
    detail::reply_listener& listener_;
    reply_site site_;
    std::uint64_t moves_ = 0;  // counts moves; answers from before a move are dropped
    int starts_ = 0;           // how often the server had restarted when it last gave its ids
    int slots_found_ = 0;
    detail::reply_machine machine_;
    bool performing_ = false;
    bool is_seeking_ = false;

    slots::ticket ticket_ = 0;
    slots::ticket warm_ticket_ = 0;
    request live_;
    request warm_;
    std::set<int> explained_;  // error codes that the faults so far may cause
    int broken_ = 0;           // consecutive broken requests without text
    std::optional<time_point> lost_since_;
    time_point waits_since_{};  // start of the listener's silence
    /// How long the listener had heard nothing when the first chunk after the end of generation was
    /// handed over.
    std::optional<duration> silence_before_last_chunk_;

    bool asked_ = false;
    std::deque<chunk_id> unspoken_;  // handed over and not continued
    std::uint32_t next_seq_ = 0;
    std::string handed_over_;
    std::string spoken_;  // handed_over_ with the text of earlier replies before it
    std::string last_chunk_;
    std::size_t generated_ = 0;  // bytes of the model's text that were read
    bool is_resumed_ = false;
    bool is_resumed_after_call_ = false;  // its calls were reported
    int ends_ = 0;
    std::optional<time_point> timer_;
};

}  // namespace tandem::test
