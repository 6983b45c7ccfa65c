#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// What one server said to a job.
struct server_outcome {
    /// Without user and password.
    std::string server{};
    /// Why it was not set there; empty = it was.
    std::string fault{};
};

enum class job_state { queued, running, done, failed };

std::string_view to_string(job_state s) noexcept;

/// An adapter is to count so much on all servers of its model.
struct adapter_job {
    std::string id{};
    std::string adapter{};
    double scale = 1.0;
    job_state state = job_state::queued;
    /// Of a job that has failed.
    std::string fault{};
    /// Of one that has ended.
    std::vector<server_outcome> servers{};
    /// Unix time, in seconds.
    std::int64_t created = 0;
    std::int64_t finished = 0;
};

/// The jobs of a gateway: one runs at a time, in their order. Pure.
class adapter_jobs {
 public:
    /// Jobs that wait, and jobs that have ended and are remembered.
    static constexpr std::size_t most_waiting = 64;
    static constexpr std::size_t most_remembered = 256;

    /// Null if too many wait. `id` must be new.
    const adapter_job* add(std::string id, std::string adapter, double scale, std::int64_t now);
    /// The oldest that waits, which runs from now on; null if there is none, or one runs.
    const adapter_job* begin();
    /// The one that runs has ended; with a fault it has failed.
    void end(std::string fault, std::vector<server_outcome> servers, std::int64_t now);

    /// Null if it is not known, or forgotten.
    const adapter_job* find(std::string_view id) const;

 private:
    void forget_oldest();

    /// Oldest first: ended ones, then one that runs, then those that wait.
    std::deque<adapter_job> jobs_;
    std::size_t ended_ = 0;
    bool is_running_ = false;
};

}  // namespace tandem::gateway
