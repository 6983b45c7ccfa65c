#pragma once

#include "chat/chat_view.hpp"
#include "chat/speech_schedule.hpp"
#include "sound/voice.hpp"

#include "tandem/conversation.hpp"

#include <memory>
#include <optional>

namespace tandem::command {

/// One turn of a conversation, whose chunks are spoken as they come. Held by shared_ptr; to be used
/// on one thread.
class spoken_reply : public std::enable_shared_from_this<spoken_reply> {
 public:
    struct circumstances {
        conversation& talk;
        voice& speaker;
        chat_view& view;
        int turn = 0;
        /// When the chat began, and when the user's line ended.
        time_point begun{};
        time_point said_at{};
        duration vad_stop{};
        /// Interrupts it so long after its first sound.
        std::optional<duration> interrupt_after{};
    };

    /// What is referred to must outlive this.
    spoken_reply(boost::asio::any_io_executor executor, tandem::reply reply, circumstances c);

    /// Speaks all of it, and tells the view. Ends early where it is interrupted.
    boost::asio::awaitable<void> run();
    /// The listener talks over it: history keeps what was heard by then.
    void interrupt(time_point at);

    bool was_interrupted() const noexcept { return interrupted_; }
    const reply_result& result() const noexcept { return reply_.result(); }
    /// Once it has ended; nothing if nothing was spoken.
    std::optional<spoken_timing> timing() const;

 private:
    struct start_of_sound {
        /// When its chunk came, and its sound was made.
        time_point came{};
        time_point ready{};
        time_point at{};
        duration length{};
        bool has_sound = false;
    };

    boost::asio::awaitable<void> speak(const chunk& c, time_point came);
    boost::asio::awaitable<void> let_synthesiser_play(const chunk& c, time_point came);
    boost::asio::awaitable<void> speak(const chunk& c, time_point came,
                                       const voice::utterance& made);
    boost::asio::awaitable<void> wait_until(time_point due);
    boost::asio::awaitable<void> wait_for_end_of_sound();
    void begin(const chunk& c, const start_of_sound& s);
    time_point end_of_sound(bool has_player) const;
    void end(const chunk& c, time_point at);
    void prepare_next();
    void interrupt_later();
    bool is_over() const noexcept { return interrupted_ || reply_.ended(); }

    tandem::reply reply_;
    circumstances in_;
    speech_schedule schedule_;
    spoken_marks marks_;
    boost::asio::steady_timer timer_;
    boost::asio::steady_timer interrupt_timer_;
    std::optional<chunk_id> speaking_;
    bool interrupted_ = false;
    time_point interrupted_at_{};
};

}  // namespace tandem::command
