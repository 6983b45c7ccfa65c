#pragma once

#include "sound/child_program.hpp"
#include "sound/sound.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tandem::command {

/// Plays sounds by a program that gets a WAV file on stdin and ends when it was played. To be used
/// on one thread.
class sound_player {
 public:
    /// Empty `args` = no program.
    sound_player(boost::asio::any_io_executor executor, std::vector<std::string> args);
    ~sound_player();
    sound_player(const sound_player&) = delete;
    sound_player& operator=(const sound_player&) = delete;

    /// Plays a little silence; why that cannot be done, in words.
    boost::asio::awaitable<std::string> try_out();
    /// From now on there is no program.
    void give_up() { args_.clear(); }
    bool has_program() const noexcept { return !args_.empty(); }

    /// Begins with a sound, and ends the one before. Precondition: there is a program.
    void start(const sound& s, duration limit);
    /// Until the program has ended; what it has to say if it failed.
    boost::asio::awaitable<std::string> wait();
    /// Silence at once.
    void stop();

 private:
    boost::asio::any_io_executor executor_;
    std::vector<std::string> args_;
    std::shared_ptr<child_program> playing_;
};

}  // namespace tandem::command
