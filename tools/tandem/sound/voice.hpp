#pragma once

#include "flags/speech_pace.hpp"
#include "sound/sound_player.hpp"
#include "sound/sound_recording.hpp"
#include "sound/synthesiser.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

struct voice_options {
    /// The program that makes sounds; empty = none, and chunks take as long as `pace` says.
    std::vector<std::string> synthesiser{};
    /// It makes a sound before the chat, which tells whether it can.
    bool tries_synthesiser = false;
    /// The flag that chose how it speaks, with its value; or empty.
    std::string voice_flag{};
    /// The program that plays them; empty = none.
    std::vector<std::string> player{};
    /// What to tell where there is none although it was looked for.
    std::string no_player{};
    /// Without it there is nothing to continue with.
    bool needs_player = false;
    /// A WAV file of the chat, or empty.
    std::string wav{};
    speech_pace pace{160};
    duration sentence_pause = std::chrono::milliseconds(250);
    /// For making the sound of a chunk, and for playing it besides its length.
    duration limit = std::chrono::minutes(5);
};

/// What speaks the chunks of all replies, one after the other. To be used on one thread.
class voice {
 public:
    /// `tell_fault` is told what went wrong.
    voice(boost::asio::any_io_executor executor, voice_options options, time_point begun,
          std::function<void(std::string_view)> tell_fault);

    /// The sound of a text, or how long it takes without one.
    struct utterance {
        std::optional<sound> made{};
        duration length{};
        /// The synthesizer played it: when it began and ended.
        bool was_played = false;
        time_point from{};
        time_point to{};
    };

    const voice_options& options() const noexcept { return options_; }
    /// The synthesizer is known to play the sounds that it makes.
    bool plays_itself() const noexcept { return synthesiser_ && synthesiser_->plays_itself(); }
    /// Begins with a text that is spoken soon.
    void prepare(const std::string& text);
    boost::asio::awaitable<utterance> make(const std::string& text);

    /// Why sounds cannot be made, and why they cannot be played, in words.
    boost::asio::awaitable<std::string> try_synthesiser();
    boost::asio::awaitable<std::string> try_player();
    /// From now on nothing is played. `tell` is called once it is sure that there are sounds which
    /// are not heard: a synthesizer may play its own.
    void without_player(std::function<void()> tell);
    /// Begins to play a sound; false if nothing plays it. played() waits until it was played.
    bool play(const utterance& u);
    boost::asio::awaitable<void> played();
    /// What was heard, for the WAV file.
    void record(const utterance& u, time_point from, time_point to);
    /// Silence at once; nothing is being made either.
    void stop();

    /// Something went wrong that was told.
    bool has_failed() const noexcept { return failed_; }
    /// Why the WAV file cannot be written, in words.
    std::string wav_failure() const;

 private:
    void tell(std::string_view what, const std::string& why, const std::string& remark = {});
    void tell_unheard();

    voice_options options_;
    std::function<void(std::string_view)> tell_fault_;
    std::optional<synthesiser> synthesiser_;
    sound_player player_;
    std::function<void()> tell_unheard_;  // empty once it was called
    bool playing_ = false;
    std::optional<sound_recording> heard_;
    bool failed_ = false;
    std::string told_;
};

}  // namespace tandem::command
