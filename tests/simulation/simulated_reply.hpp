#pragma once

#include "simulation/simulation.hpp"

namespace tandem::test {

/// One reply of a simulation: its machine, the request that runs for it, and its consumer.
class simulated_reply {
 public:
    simulated_reply(simulation& world, std::uint64_t id);

    void start();
    void check_end() const;
    const detail::reply_machine::transitions& made() const noexcept { return machine_.made(); }
    bool ended() const noexcept { return ends_ > 0; }

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

    static detail::reply_rules random_rules(rng& random, const simulated_model& model, pacing mode);
    static text::chunk_limits random_limits(rng& random);
    static habits random_habits(rng& random);

    // Actions of the machine.
    void perform_actions();
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
    void perform(const detail::action::tell_other_slot&);
    void perform(const detail::action::finish&);

    std::optional<model_position> position_of(const detail::prompt_view& prompt) const;
    void open(request& r, int slot);
    void close(request& r);
    void answer(std::uint64_t id);
    void send_next_event(std::uint64_t id);
    void fail_request(std::uint64_t id);
    void end_warming(std::uint64_t id);
    void ask_for_chunk();
    void take_back();
    void spoken(chunk_id id);
    bool may_fail() const;
    void check_own_end() const;
    void say_stale_things();
    void arm_timer();

    simulation& world_;
    habits habits_;
    simulated_model model_;
    pacing mode_;
    detail::reply_rules rules_;
    detail::reply_machine machine_;

    slots::ticket ticket_ = 0;
    slots::ticket warm_ticket_ = 0;
    request live_;
    request warm_;
    bool faulted_ = false;

    bool asked_ = false;
    bool speaking_ = false;
    std::uint32_t next_seq_ = 0;
    std::string heard_;
    int ends_ = 0;
    std::optional<time_point> timer_;
};

}  // namespace tandem::test
