#include "tandem/chunk_channel.hpp"

#include "channel/channel_core.hpp"
#include "loop/clock.hpp"

#include "tandem/client.hpp"

#include <algorithm>

namespace tandem {
inline namespace v0 {
namespace {

using detail::channel_core;
using detail::chunk_pump;

// Claims channels for replies. If attaching fails midway, the destructor releases the channels that
// have no reply yet.
class claims {
 public:
    claims() = default;
    ~claims() {
        for (; connected_ < cores_.size(); ++connected_) cores_[connected_]->release_claim();
    }
    claims(const claims&) = delete;
    claims& operator=(const claims&) = delete;

    error_code add(std::shared_ptr<channel_core> core) {
        cores_.push_back(std::move(core));
        const auto refused = cores_.back()->claim();
        if (refused) cores_.pop_back();
        return refused;
    }
    void connect(reply r) {
        const auto& core = cores_[connected_];
        auto pump = chunk_pump::make(std::move(r), core);
        ++connected_;
        core->connect(std::move(pump));
    }

 private:
    std::vector<std::shared_ptr<channel_core>> cores_;
    std::size_t connected_ = 0;
};

// A timeout of a year or more means no deadline, because the sum could overflow.
std::optional<time_point> deadline_after(std::chrono::milliseconds timeout) {
    if (timeout >= std::chrono::hours(24 * 365)) return std::nullopt;
    return detail::now() + std::max(timeout, std::chrono::milliseconds(0));
}

}  // namespace

chunk_channel::chunk_channel(const channel_options& options)
    : core_(std::make_shared<channel_core>(options)) {}

std::shared_ptr<chunk_channel> chunk_channel::create(channel_options options) {
    return std::shared_ptr<chunk_channel>(new chunk_channel(options));
}

chunk_channel::~chunk_channel() {
    core_->cancel();
}

// --- attaching

error_code chunk_channel::attach(reply&& r) {
    if (const auto refused = chunk_pump::check_usable(r)) return refused;
    claims claimed;
    if (const auto refused = claimed.add(core_)) return refused;
    claimed.connect(std::move(r));
    return {};
}

error_code chunk_channel::attach_all(const std::vector<std::shared_ptr<chunk_channel>>& channels,
                                     std::vector<reply>& replies) {
    if (channels.size() != replies.size()) return errc::channel_mismatch;
    for (const auto& r : replies)
        if (const auto refused = chunk_pump::check_usable(r)) return refused;
    claims claimed;
    for (const auto& c : channels)
        if (const auto refused = c ? claimed.add(c->core_) : errc::channel_mismatch) return refused;
    for (auto& r : replies) claimed.connect(std::move(r));
    return {};
}

error_code chunk_channel::start_all(client& llm, std::vector<std::string> prompts,
                                    const std::vector<std::shared_ptr<chunk_channel>>& channels) {
    if (channels.size() != prompts.size()) return errc::channel_mismatch;
    if (!llm.get_executor()) return errc::context_stopped;
    claims claimed;
    for (const auto& c : channels)
        if (const auto refused = c ? claimed.add(c->core_) : errc::channel_mismatch) return refused;
    for (auto& p : prompts) claimed.connect(llm.start(std::move(p)));
    return {};
}

// --- consuming

std::optional<stream_chunk> chunk_channel::try_pop() {
    return core_->pop(detail::now());
}

std::optional<stream_chunk> chunk_channel::wait_pop(std::chrono::milliseconds timeout) {
    return core_->pop(deadline_after(timeout));
}

std::optional<stream_chunk> chunk_channel::wait_pop() {
    return core_->pop(std::nullopt);
}

void chunk_channel::cancel() noexcept {
    core_->cancel();
}

void chunk_channel::set_stream_interval(int n) noexcept {
    core_->set_stream_interval(n);
}

bool chunk_channel::is_finished() const noexcept {
    return core_->is_finished();
}

bool chunk_channel::is_cancelled() const noexcept {
    return core_->is_cancelled();
}

std::optional<channel_end> chunk_channel::reason() const {
    return core_->reason();
}

std::optional<reply_result> chunk_channel::result() const {
    return core_->result(detail::now());
}

std::optional<reply_result> chunk_channel::wait_result(std::chrono::milliseconds timeout) const {
    return core_->result(deadline_after(timeout));
}

}  // namespace v0
}  // namespace tandem
