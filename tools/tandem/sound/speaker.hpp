#pragma once

#include "flags/speech_pace.hpp"
#include "os/coroutines.hpp"
#include "sound/sound_player.hpp"
#include "sound/sound_recording.hpp"
#include "sound/synthesizer.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

struct speaker_options {
    /// Command line of the synthesizer. Empty = no synthesizer; then `pace` determines the speaking
    /// times.
    std::vector<std::string> synthesizer{};
    /// Whether to test the synthesizer before the chat.
    bool tries_synthesizer = false;
    /// The flag that selected the voice or language, with its value; or empty.
    std::string voice_flag{};
    /// Command line of the player; empty = none.
    std::vector<std::string> player{};
    /// The message if no player was found.
    std::string no_player_message{};
    /// Whether a missing player is an error.
    bool needs_player = false;
    /// Path of a WAV file of the chat, or empty.
    std::string wav{};
    speech_pace pace{160};
    duration sentence_pause = std::chrono::milliseconds(250);
    /// Time limit for the synthesis of a chunk. Its playback may take this long, plus the length of
    /// the sound.
    duration limit = std::chrono::minutes(5);
};

/// Speaks the chunks of all replies, one at a time. To be used on one thread.
class speaker {
 public:
    /// `on_fault` receives error messages.
    speaker(boost::asio::any_io_executor executor, speaker_options options, time_point begun,
            std::function<void(std::string_view)> on_fault);

    /// Synthesized text, or only its duration.
    struct utterance {
        std::optional<audio_clip> made{};
        duration length{};
        /// Whether the synthesizer itself played the sound, between `from` and `to`.
        bool was_played = false;
        time_point from{};
        time_point to{};
    };

    const speaker_options& options() const noexcept { return options_; }
    /// Returns true if the synthesizer plays its sounds itself.
    bool plays_itself() const noexcept { return synthesizer_ && synthesizer_->plays_itself(); }
    /// Returns true if there is a synthesizer that has not written a sound yet, and so may play its
    /// sounds itself.
    bool may_play_itself() const noexcept {
        return synthesizer_ && synthesizer_->may_play_itself();
    }
    /// Starts to synthesize `text` in advance.
    void prepare(const std::string& text) {
        if (synthesizer_) synthesizer_->prepare(text);
    }
    awaitable<utterance> make(const std::string& text);

    /// Test the synthesizer and the player. Return the error, or an empty string.
    awaitable<std::string> test_synthesizer();
    awaitable<std::string> test_player();
    /// Disables playback. Calls `on_silent` only once the synthesizer has written a sound: until
    /// then, it may play its sounds itself.
    void on_missing_player(std::function<void()> on_silent);
    /// Starts playback; returns false if nothing plays. wait_until_played() waits for its end.
    bool play(const utterance& u);
    awaitable<void> wait_until_played();
    /// Adds what was heard to the WAV file.
    void record(const utterance& u, time_point from, time_point to) {
        if (heard_ && u.made) heard_->add(*u.made, from, to);
    }
    /// Stops playback and synthesis immediately.
    void stop();

    /// Returns true if a fault was reported.
    bool has_failed() const noexcept { return failed_; }
    /// Why the WAV file cannot be written; otherwise empty.
    std::string wav_failure() const { return heard_ ? heard_->failure() : std::string(); }

 private:
    void report_fault(std::string_view what, const std::string& why, const std::string& note = {});
    void report_unheard();

    speaker_options options_;
    std::function<void(std::string_view)> on_fault_;
    std::optional<synthesizer> synthesizer_;
    sound_player player_;
    std::function<void()> report_unheard_;  // nullptr after the call
    bool playing_ = false;
    std::optional<sound_recording> heard_;
    bool failed_ = false;
    std::string last_fault_;
};

}  // namespace tandem::command
