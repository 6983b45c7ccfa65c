#pragma once

#include "recording/recorded_reply.hpp"
#include "recording/recorded_traffic.hpp"
#include "transport/transport.hpp"

#include "tandem/recording.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tandem::detail {

/// Chooses the recorded answer to a request. Thread-safe, including its scripts, because the
/// servers of one recording may be used on several loops.
class playback : public std::enable_shared_from_this<playback> {
 public:
    explicit playback(recorded_traffic traffic);

    /// `server` is the name used in the recording.
    answer_script answer(const std::string& server, const transport::http_request& request,
                         duration peek_hold);
    /// The delay before a step at the current speed.
    duration delay_of_step(const answer_step& step, duration peek_hold) const;
    void set_speed(double factor);

    const std::vector<std::string>& servers() const noexcept { return servers_; }
    const std::vector<recording::reply>& replies() const noexcept { return shown_replies_; }
    const recorded_traffic& traffic() const noexcept { return traffic_; }

 private:
    using reply_key = std::pair<std::uint64_t, std::uint64_t>;
    struct call {
        const recorded_exchange* exchange;
        bool is_played = false;
    };

    void sort_exchanges();
    answer_script answer_prefill(const std::string& server, const transport::http_request& request);
    answer_script answer_for_reply(const recorded_request_key& place, const std::string& body,
                                   duration peek_hold);
    recorded_reply* find_reply(const recorded_request_key& place, const std::string& prompt);
    answer_script answer_to_call(const std::string& server, const transport::http_request& request);
    std::vector<recorded_reply*>::iterator next_reply(const std::string& prompt);
    call* find_last_call(const std::function<bool(const call&)>& fits);
    call* find_call(const std::string& server, const transport::http_request& request);
    answer_script with_lock(answer_script script);

    recorded_traffic traffic_;
    std::vector<std::string> servers_;
    std::vector<recording::reply> shown_replies_;
    mutable std::mutex mutex_;  // guards all members below
    double speed_ = 1;
    std::vector<std::shared_ptr<recorded_reply>> replies_;
    std::vector<recorded_reply*> unplayed_;
    std::map<reply_key, recorded_reply*> playing_;
    std::vector<call> calls_;
    std::vector<call> prefills_;
};

}  // namespace tandem::detail
