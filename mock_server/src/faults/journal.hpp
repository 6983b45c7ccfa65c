#pragma once

#include "tandem_mock/observations.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace tandem::mock {

/// Records the server's observations for other threads.
class journal {
 public:
    explicit journal(int slots);

    // Called on the server's thread.
    std::uint64_t add_request(request_record r);
    void change_request(std::uint64_t request, const std::function<void(request_record&)>& f);
    void end_request(std::uint64_t request, outcome how, time_point now);
    void record_slot_start(int slot, std::uint64_t request, time_point now);
    void record_slot_end(int slot, bool cut, int tokens, time_point now);
    void record_slot_content(int slot, int tokens);
    void record_opened_connection();
    void record_closed_connection();
    void record_crash();

    // Called on any thread.
    observations snapshot() const;
    bool wait_until(const std::function<bool(const observations&)>& condition,
                    std::chrono::milliseconds limit) const;

 private:
    template <typename F>
    void update(F f);
    request_record* find(std::uint64_t request);

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    observations seen_;  // guarded by mutex_
    std::uint64_t last_number_ = 0;
};

}  // namespace tandem::mock
