#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// The result of a job on one server.
struct adapter_job_server_result {
    /// URL without user and password.
    std::string server{};
    /// Why setting the scale failed; empty if it succeeded.
    std::string fault{};
};

enum class adapter_job_state { queued, running, done, failed };

std::string_view to_string(adapter_job_state s) noexcept;

/// A job that sets the scale of an adapter on all servers of its model.
struct adapter_job {
    std::string id{};
    std::string adapter{};
    double scale = 1.0;
    adapter_job_state state = adapter_job_state::queued;
    std::string fault{};
    /// Set when the job has ended.
    std::vector<adapter_job_server_result> servers{};
    /// Unix time in seconds.
    std::int64_t created = 0;
    std::int64_t finished = 0;
};

/// The adapter jobs of a gateway, which run one at a time, in order. Pure.
class adapter_jobs {
 public:
    /// Limits on queued jobs, and on ended jobs that are remembered.
    static constexpr std::size_t max_waiting = 64;
    static constexpr std::size_t max_remembered = 256;

    /// Returns nullptr if too many jobs are queued. `id` must be unique.
    const adapter_job* add(std::string id, std::string adapter, double scale, std::int64_t now);
    /// Starts the oldest queued job. Returns nullptr if there is none, or if a job is running.
    const adapter_job* begin_next_job();
    /// Ends the running job, which failed if `fault` is not empty.
    void end_running_job(std::string fault, std::vector<adapter_job_server_result> servers,
                         std::int64_t now);

    /// Returns nullptr if the job is unknown or forgotten.
    const adapter_job* find(std::string_view id) const;

 private:
    /// Oldest first: ended jobs, then the running job, then queued jobs.
    std::deque<adapter_job> jobs_;
    std::size_t ended_jobs_ = 0;
    bool is_running_ = false;
};

}  // namespace tandem::gateway
