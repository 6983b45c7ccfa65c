#pragma once

#include "reply/reply_start_point.hpp"
#include "server/server_leave_reason.hpp"

#include "tandem/config.hpp"
#include "tandem/server.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::detail {

class reply_shell;

/// The beginning of a reply to the words of a user who may not have finished speaking. The draft is
/// not handed over; a turn with the same messages and options continues from it. Used on the
/// strand.
class reply_draft final : public reply_listener, public std::enable_shared_from_this<reply_draft> {
 public:
    struct events {
        /// See reply_listener::on_request_failed().
        std::function<void(const std::shared_ptr<server_link>& at, const failure& why)> on_failed;
        /// The draft is complete, has failed, or was stopped.
        std::function<void(reply_draft&)> on_over;
        /// `draft_lifetime` has passed since run() or restart_lifetime().
        std::function<void()> on_expired;
    };

    /// `words` are the user's words. The last of `messages` contains these words, after any earlier
    /// unanswered messages of the user.
    reply_draft(std::vector<chat_message> messages, std::string words, generation_options options,
                events callbacks);

    /// Call this once. When the reply has found its server, its source calls set_started().
    void run(std::shared_ptr<reply_shell> reply);
    /// Records the server that generates the draft, and its model.
    void set_started(std::shared_ptr<server_link> server, std::string model);
    /// Restarts the lifetime.
    void restart_lifetime();
    /// Call it when a turn waits for the draft: from now on, the draft does not expire.
    void commit();
    /// Interrupts the draft; cause() then returns `why`.
    void stop(failure why);
    /// Ends the draft, unless its request shows that the server still works.
    void leave_server(const server_leave_reason& reason);

    const std::vector<chat_message>& messages() const noexcept { return messages_; }
    const std::string& words() const noexcept { return words_; }
    const generation_options& options() const noexcept { return options_; }
    /// Whether a turn with these messages and options can use the draft.
    bool matches_turn(const std::vector<chat_message>& messages,
                      const generation_options& options) const;
    /// The server that generates the draft; null before the draft has started.
    const std::shared_ptr<server_link>& server() const noexcept { return server_; }
    bool is_over() const noexcept { return is_over_; }
    /// Whether the draft is over, and has text to continue from.
    bool is_complete() const noexcept { return remainder_.has_value(); }
    bool is_committed() const noexcept { return is_committed_; }
    /// The model that generated the draft.
    const std::string& model() const noexcept { return model_; }
    /// The draft's numbers of tokens and durations; 0 until it is over.
    const early_work& work() const noexcept { return work_; }
    /// Why is_complete() is false although the draft is over.
    const failure& cause() const noexcept { return cause_; }
    /// Precondition: is_complete().
    reply_remainder take_remainder() { return *std::exchange(remainder_, {}); }

    void on_request_failed(const std::shared_ptr<server_link>& at, const failure& why) override;
    void on_handed_over(const chunk&) override {}
    void on_continued(chunk_id) override {}
    void on_ended(std::uint64_t reply, const reply_result& result, reply_remainder rest) override;

 private:
    std::vector<chat_message> messages_;
    std::string words_;
    generation_options options_;
    events callbacks_;
    std::shared_ptr<reply_shell> reply_;
    std::optional<boost::asio::steady_timer> lifetime_;
    std::shared_ptr<server_link> server_;
    std::string model_;
    std::optional<reply_remainder> remainder_;
    failure cause_{};
    early_work work_{};
    bool is_over_ = false;
    bool is_committed_ = false;
};

}  // namespace tandem::detail
