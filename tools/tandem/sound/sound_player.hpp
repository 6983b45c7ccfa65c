#pragma once

#include "os/coroutines.hpp"
#include "sound/sound.hpp"
#include "sound/subprocess.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tandem::command {

/// Plays sounds through a program that reads a WAV file from stdin and exits after playback. To be
/// used on one thread.
class sound_player {
 public:
    /// Empty `args` = no program.
    sound_player(boost::asio::any_io_executor executor, std::vector<std::string> args);
    ~sound_player() { stop(); }
    sound_player(const sound_player&) = delete;
    sound_player& operator=(const sound_player&) = delete;

    /// Plays a short silence to test the program. Returns the error, or an empty string.
    awaitable<std::string> play_test_sound();
    /// Disables playback.
    void disable() { args_.clear(); }
    bool has_program() const noexcept { return !args_.empty(); }

    /// Starts a sound and stops the previous one. Precondition: has_program().
    void start(const audio_clip& s, duration limit);
    /// Waits for the end of the program. Returns its error, or an empty string.
    awaitable<std::string> wait();
    /// Stops the playback immediately.
    void stop();

 private:
    boost::asio::any_io_executor executor_;
    std::vector<std::string> args_;
    std::shared_ptr<subprocess> playing_;
};

}  // namespace tandem::command
