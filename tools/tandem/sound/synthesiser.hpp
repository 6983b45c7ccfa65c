#pragma once

#include "base/time.hpp"
#include "sound/child_program.hpp"
#include "sound/sound.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// What became of a text that was to be spoken.
struct synthesis {
    /// Nothing if the program wrote no sound: it failed, or played it itself.
    std::optional<sound> made{};
    /// Why there is no sound; empty if there is one, or the program played it.
    std::string fault{};
    /// What to add to it when it is told, as it differs from one such fault to the next.
    std::string remark{};
    /// When the program was started, and when it ended.
    time_point began_at{};
    time_point ended_at{};
};

/// Makes sounds of texts by a program that is started for each, gets the text on stdin, and writes
/// a WAV file to stdout; or writes nothing, and plays the sound until it ends. To be used on one
/// thread.
class synthesiser {
 public:
    /// `limit` is for each text.
    synthesiser(boost::asio::any_io_executor executor, std::vector<std::string> args,
                duration limit);
    ~synthesiser();
    synthesiser(const synthesiser&) = delete;
    synthesiser& operator=(const synthesiser&) = delete;

    /// Begins with a text that is wanted soon, unless the program is known to play its sounds.
    void prepare(const std::string& text);
    /// The sound of a text: what was prepared, if that is this text. Fault-free if stop() ended it.
    /// A program that wrote nothing has played it, if it ran for `shortest_play` at least.
    boost::asio::awaitable<synthesis> make(std::string text, duration shortest_play);
    /// Ends what runs, and drops what was prepared.
    void stop();

    /// It ended well before, and wrote nothing.
    bool plays_itself() const noexcept { return plays_itself_; }

 private:
    // A run of the program, or none.
    struct job {
        std::string text{};
        std::shared_ptr<child_program> program{};
        time_point began_at{};
    };

    job begin(const std::string& text);
    static void drop(job& j);
    synthesis read(const program_end& end, duration took, duration shortest_play);

    boost::asio::any_io_executor executor_;
    std::vector<std::string> args_;
    duration limit_;
    bool plays_itself_ = false;
    int rate_ = 0;  // of the first sound
    job prepared_;
    job running_;
};

/// The program that `--tts espeak-ng` runs.
std::vector<std::string> espeak_arguments(const std::string& voice, int words_per_minute);
/// The one that runs a command of the shell.
std::vector<std::string> shell_arguments(const std::string& command);

}  // namespace tandem::command
