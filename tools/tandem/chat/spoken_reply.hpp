#pragma once

#include "chat/chat_view.hpp"
#include "chat/speech_schedule.hpp"
#include "os/coroutines.hpp"
#include "sound/speaker.hpp"

#include "tandem/conversation.hpp"

#include <memory>
#include <optional>

namespace tandem::command {

/// One reply of a conversation. Speaks the chunks as they arrive. Owned by shared_ptr; used on one
/// thread.
class spoken_reply : public std::enable_shared_from_this<spoken_reply> {
 public:
    struct spoken_reply_context {
        conversation& talk;
        command::speaker& speaker;
        chat_view& view;
        spoken_reply_number where{};
        /// The start of the chat and the end of the user's line.
        time_point begun{};
        time_point said_at{};
        duration vad_stop{};
        /// When the last sound of the turn ended, if there was one.
        std::optional<time_point> previous_end{};
        /// Interrupts the reply this long after its first sound.
        std::optional<duration> interrupt_after{};
    };

    /// The referenced objects must outlive this object.
    spoken_reply(boost::asio::any_io_executor executor, tandem::reply reply,
                 spoken_reply_context c);

    /// Speaks the whole reply and notifies the view. Returns early if interrupted.
    awaitable<void> run();
    /// The listener interrupts the reply: the history keeps what the listener heard until `at`.
    void interrupt(time_point at);

    bool was_interrupted() const noexcept { return interrupted_; }
    const reply_result& result() const noexcept { return reply_.result(); }
    /// The end of the last sound; nullopt if nothing was spoken.
    std::optional<time_point> sound_end() const noexcept { return schedule_.last_end(); }
    /// Valid once the reply has ended; nullopt if nothing was spoken.
    std::optional<spoken_timing> timing() const;

 private:
    struct sound_start {
        /// When the chunk arrived, and when its sound was ready.
        time_point arrived{};
        time_point ready{};
        time_point at{};
        duration length{};
        bool has_sound = false;
    };

    awaitable<void> speak(const chunk& c, time_point arrived);
    void expect_sound(const chunk& c, time_point arrived);
    awaitable<void> speak_by_synthesizer(const chunk& c, time_point arrived);
    awaitable<void> speak(const chunk& c, time_point arrived, const speaker::utterance& made);
    awaitable<void> wait_until(time_point due);
    awaitable<void> wait_for_end_of_sound();
    void report_chunk_start(const chunk& c, const sound_start& s);
    time_point end_of_sound(bool has_player) const;
    void continue_after_chunk(const chunk& c, time_point at);
    void prepare_next();
    void interrupt_later();
    bool is_over() const noexcept { return interrupted_ || reply_.ended(); }

    tandem::reply reply_;
    spoken_reply_context in_;
    speech_schedule schedule_;
    spoken_timestamps marks_;
    boost::asio::steady_timer timer_;
    boost::asio::steady_timer interrupt_timer_;
    std::optional<chunk_id> speaking_;
    /// The chunk that the synthesizer may be playing itself, or nullptr. `waiting_start_` is the
    /// start of its sound.
    const chunk* waiting_ = nullptr;
    sound_start waiting_start_{};
    bool interrupted_ = false;
    time_point interrupted_at_{};
};

}  // namespace tandem::command
