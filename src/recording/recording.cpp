#include "tandem/recording.hpp"

#include "base/format_utc_time.hpp"
#include "recording/playback.hpp"
#include "recording/traffic_writer.hpp"

#include <chrono>
#include <utility>

namespace tandem {
inline namespace v0 {

recorder::recorder(sink to, recorder_options options)
    : writer_(std::make_shared<detail::traffic_writer>(
          std::move(to), options, std::chrono::steady_clock::now(),
          format_utc_time(std::chrono::system_clock::now()))) {}

recorder::~recorder() = default;

void recorder::note(std::string_view json) {
    writer_->record_note(std::chrono::steady_clock::now(), json);
}

recording::recording() = default;
recording::~recording() = default;

std::shared_ptr<recording> recording::read(std::string_view lines, error_code& ec) {
    diagnostics unread;
    return read(lines, ec, unread);
}

std::shared_ptr<recording> recording::read(std::string_view lines, error_code& ec,
                                           diagnostics& diag) {
    std::string fault;
    auto traffic = detail::parse_traffic(lines, fault);
    ec = traffic ? error_code() : make_error_code(errc::bad_response);
    diag = {.client_message = fault};
    if (!traffic) return nullptr;
    std::shared_ptr<recording> r(new recording);
    r->playback_ = std::make_shared<detail::playback>(*std::move(traffic));
    return r;
}

const std::vector<std::string>& recording::servers() const noexcept {
    return playback_->servers();
}

const std::vector<std::string>& recording::notes() const noexcept {
    return playback_->traffic().notes;
}

const std::vector<recording::reply>& recording::replies() const noexcept {
    return playback_->replies();
}

bool recording::has_prompts() const noexcept {
    return playback_->traffic().has_prompts;
}

bool recording::is_cut_short() const noexcept {
    return playback_->traffic().is_cut_short;
}

bool recording::is_unfinished() const noexcept {
    return playback_->traffic().is_unfinished;
}

void recording::set_speed(double factor) {
    playback_->set_speed(factor);
}

}  // namespace v0
}  // namespace tandem
