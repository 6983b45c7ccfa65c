#pragma once

#include "base/time.hpp"
#include "reply/reply_machine.hpp"
#include "reply/reply_start.hpp"
#include "simulation/simulated_server.hpp"
#include "simulation/simulated_slots.hpp"
#include "text/chunker.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::test {

/// What a model says, and the rules by which it is asked; a reply that is resumed keeps them.
struct reply_plan {
    simulated_model model;
    pacing mode;
    detail::reply_rules rules;
    text::chunk_limits limits;
    boundary_rule rule;
};

reply_plan random_plan(rng& random, std::string prompt);

/// Whose slots a reply uses, and for whom.
struct reply_site {
    simulated_slots* slots = nullptr;
    slots::owner_id owner = slots::nobody;
    int lease = 0;
};

/// One reply of a simulation: its machine, the requests that run for it, and its consumer.
class simulated_reply {
 public:
    /// The listener must outlive it.
    simulated_reply(simulated_world& world, std::uint64_t id, reply_plan plan,
                    detail::reply_listener& listener);

    /// A new reply, or one that goes on from what another one left behind what was spoken.
    void start(reply_site where);
    void resume(reply_site where, detail::reply_rest rest, std::string spoken);
    void interrupt();
    void abandon(errc why);
    /// The server has gone: its connections break.
    void server_died();

    void check_end() const;
    const detail::reply_machine::transitions& made() const noexcept { return machine_.made(); }
    bool ended() const noexcept { return ends_ > 0; }
    const reply_plan& plan() const noexcept { return plan_; }
    /// What was handed over, with that of the replies that it goes on from.
    const std::string& spoken() const noexcept { return spoken_; }
    const std::string& last_chunk() const noexcept { return last_chunk_; }

 private:
    // How this reply's server and consumer behave.
    struct habits {
        duration token_time{};
        duration speech_time{};
        double fault = 0;  // of each request
        double tokenize_fault = 0;
        bool interrupts = false;
        bool takes_back = false;  // cancels some of its waits for a chunk, and asks again later
        /// From this chunk on it asks no more, or continues no more.
        std::optional<std::uint32_t> asks_until;
        std::optional<std::uint32_t> continues_until;
    };

    // One request at the server.
    struct request {
        std::uint64_t id = 0;  // counts requests; events of an older one are dropped
        bool open = false;     // a connection is up
        bool slot_held = false;
        std::vector<wire::token_event> events{};
        std::size_t next_event = 0;
    };

    static habits random_habits(rng& random);
    void answer_seek(bool is_there);
    void begin(detail::reply_origin from);

    // Actions of the machine.
    void perform_actions();
    void perform(const detail::action::seek_server&);
    void perform(const detail::action::check_ids&);
    void perform(const detail::action::tokenize_prompt&);
    void perform(const detail::action::recover_tokens& a);
    void perform(const detail::action::want_slot&);
    void perform(const detail::action::forget_slot&);
    void perform(const detail::action::send_request& a);
    void perform(const detail::action::close_connection&);
    void perform(const detail::action::release_slot& a);
    void perform(const detail::action::leave_slots&);
    void perform(const detail::action::want_warm_slot&);
    void perform(const detail::action::forget_warm_slot&);
    void perform(const detail::action::send_warming& a);
    void perform(const detail::action::close_warming&);
    void perform(const detail::action::hand_over& a);
    void perform(const detail::action::tell_held_back&);
    void perform(const detail::action::tell_lost&);
    void perform(const detail::action::tell_other_slot&);
    void perform(const detail::action::finish&);

    std::optional<model_position> position_of(const detail::prompt_view& prompt) const;
    void open(request& r, int slot);
    void close(request& r);
    void answer(std::uint64_t id);
    void send_next_event(std::uint64_t id);
    void fail_request(std::uint64_t id);
    void fail_with(errc why);
    void end_warming(std::uint64_t id);
    void ask_for_chunk();
    void take_back();
    void spoken(chunk_id id);
    bool may_fail() const;
    void check_own_end() const;
    void check_nothing_lost() const;
    void say_stale_things();
    void arm_timer();

    simulated_world& world_;
    reply_plan plan_;
    habits habits_;
    detail::reply_listener& listener_;
    reply_site site_;
    std::optional<detail::reply_origin> origin_;  // until it has begun
    detail::reply_machine machine_;

    slots::ticket ticket_ = 0;
    slots::ticket warm_ticket_ = 0;
    request live_;
    request warm_;
    bool faulted_ = false;

    bool asked_ = false;
    bool speaking_ = false;
    std::uint32_t next_seq_ = 0;
    std::string handed_over_;
    std::string spoken_;  // handed_over_, and what was spoken before it
    std::string last_chunk_;
    std::size_t generated_ = 0;  // bytes of the model's text that were read
    bool is_resumed_ = false;
    bool was_refused_ = false;
    bool was_abandoned_ = false;
    int ends_ = 0;
    std::optional<time_point> timer_;
};

}  // namespace tandem::test
