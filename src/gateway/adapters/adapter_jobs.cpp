#include "gateway/adapters/adapter_jobs.hpp"

#include "base/enum_names.hpp"

#include <algorithm>
#include <utility>

namespace tandem::gateway {

std::string_view to_string(adapter_job_state s) noexcept {
    return find_enum_name({"queued", "running", "done", "failed"}, s);
}

const adapter_job* adapter_jobs::add(std::string id, std::string adapter, double scale,
                                     std::int64_t now) {
    const auto waiting = jobs_.size() - ended_jobs_ - (is_running_ ? 1 : 0);
    if (waiting >= max_waiting) return nullptr;
    jobs_.push_back(
        {.id = std::move(id), .adapter = std::move(adapter), .scale = scale, .created = now});
    return &jobs_.back();
}

const adapter_job* adapter_jobs::begin_next_job() {
    if (is_running_ || ended_jobs_ == jobs_.size()) return nullptr;
    is_running_ = true;
    auto& job = jobs_[ended_jobs_];
    job.state = adapter_job_state::running;
    return &job;
}

void adapter_jobs::end_running_job(std::string fault,
                                   std::vector<adapter_job_server_result> servers,
                                   std::int64_t now) {
    if (!std::exchange(is_running_, false)) return;
    auto& job = jobs_[ended_jobs_++];
    job.state = fault.empty() ? adapter_job_state::done : adapter_job_state::failed;
    job.fault = std::move(fault);
    job.servers = std::move(servers);
    job.finished = now;
    if (ended_jobs_ <= max_remembered) return;
    jobs_.pop_front();
    --ended_jobs_;
}

const adapter_job* adapter_jobs::find(std::string_view id) const {
    const auto found = std::ranges::find(jobs_, id, &adapter_job::id);
    return found == jobs_.end() ? nullptr : &*found;
}

}  // namespace tandem::gateway
