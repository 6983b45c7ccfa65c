#include "sound/sound_player.hpp"

#include "sound/wav_file.hpp"

#include <chrono>

namespace tandem::command {
namespace {

constexpr auto try_limit = std::chrono::seconds(5);

}  // namespace

sound_player::sound_player(boost::asio::any_io_executor executor, std::vector<std::string> args)
    : executor_(executor), args_(std::move(args)) {}

awaitable<std::string> sound_player::play_test_sound() {
    audio_clip silence;
    silence.samples.resize(static_cast<std::size_t>(silence.rate / 50));
    start(silence, try_limit);
    co_return co_await wait();
}

void sound_player::start(const audio_clip& s, duration limit) {
    stop();
    playing_ = std::make_shared<subprocess>(executor_, args_, wav_bytes(s));
    playing_->start({.time = limit});
}

awaitable<std::string> sound_player::wait() {
    const auto p = playing_;
    if (!p) co_return std::string();  // already stopped
    auto end = co_await p->wait();
    co_return p->was_stopped() ? std::string() : std::move(end.fault);
}

void sound_player::stop() {
    if (playing_) playing_->stop();
    playing_.reset();
}

}  // namespace tandem::command
