#pragma once

#include "base/time.hpp"
#include "os/coroutines.hpp"
#include "sound/sound.hpp"
#include "sound/subprocess.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// The result of synthesizing one text.
struct synthesis {
    /// Unset if the program wrote no sound: it failed, or played the sound itself.
    std::optional<audio_clip> made{};
    /// The error; empty if there is a sound, or if the program played the sound.
    std::string fault{};
    /// Details to append to the message. Not part of `fault`, because details differ between faults
    /// that are otherwise equal.
    std::string note{};
    /// When the program started and ended.
    time_point began_at{};
    time_point ended_at{};
};

/// Synthesizes each text with a separate run of a program. The program reads the text from stdin
/// and writes a WAV file to stdout, or plays the sound itself and writes nothing. To be used on one
/// thread.
class synthesizer {
 public:
    /// `limit` is the time limit for one text.
    synthesizer(boost::asio::any_io_executor executor, std::vector<std::string> args,
                duration limit);
    ~synthesizer() { stop(); }
    synthesizer(const synthesizer&) = delete;
    synthesizer& operator=(const synthesizer&) = delete;

    /// Starts to synthesize `text` in advance, unless the program plays its sounds itself.
    void prepare(const std::string& text);
    /// Returns the sound of `text`, prepared or new. If stop() ended the synthesis, there is no
    /// sound and no fault. If the program wrote nothing but ran for at least `min_play`, assumes
    /// that it played the sound.
    awaitable<synthesis> make(std::string text, duration min_play);
    /// Stops the program and drops prepared sounds.
    void stop();

    /// True if the last program played its sound itself, as far as its running time tells.
    bool plays_itself() const noexcept { return plays_itself_; }
    /// True until a program has written a sound, which shows that it does not play sounds itself.
    bool may_play_itself() const noexcept { return rate_ == 0; }

 private:
    // A run of the program, or none.
    struct job {
        std::string text{};
        std::shared_ptr<subprocess> program{};
        time_point began_at{};
    };

    job begin(const std::string& text);
    static void drop(job& j);
    synthesis read(const process_result& end, duration took, duration min_play);

    boost::asio::any_io_executor executor_;
    std::vector<std::string> args_;
    duration limit_;
    bool plays_itself_ = false;
    int rate_ = 0;  // of the first sound; 0 = none yet
    job prepared_;
    job running_;
};

/// Returns the command line for `--tts espeak-ng`.
std::vector<std::string> espeak_arguments(const std::string& voice, int words_per_minute);
/// Returns the command line that runs a shell command.
std::vector<std::string> shell_arguments(const std::string& command);
/// Returns the name of a command line in messages: the shell command, or the program.
const std::string& command_name(const std::vector<std::string>& args);

}  // namespace tandem::command
