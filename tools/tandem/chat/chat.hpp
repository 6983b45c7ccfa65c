#pragma once

#include "chat/chat_view.hpp"
#include "chat/spoken_reply.hpp"
#include "line_input/line_source.hpp"
#include "run/server_clients.hpp"
#include "sound/voice.hpp"

#include "tandem/service.hpp"

#include <boost/asio/io_context.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tandem::command {

struct chat_rules {
    /// Servers that start, or load their model, are waited for so long before.
    duration wait{};
    /// A conversation as conversation::async_save() gave it, to continue with; or empty.
    std::string saved{};
    /// The file that it came from.
    std::string saved_in{};
    /// It is asked for what can continue later.
    bool saves = false;
    /// A line interrupts the reply that is spoken; else it waits for its end.
    bool barge_in = false;
    std::optional<duration> barge_in_after{};
    duration vad_stop{};
    /// Called once before the first line is taken, when nothing stands in the way; false: it ends.
    std::function<bool()> begins = [] { return true; };
};

/// One conversation: lines come in, and the replies are spoken. Everything runs on `ioc`, with one
/// thread; the view is called from there.
class chat {
 public:
    /// `ioc`, `view` and `lines` must outlive it.
    chat(boost::asio::io_context& ioc, service_config settings, chat_rules rules,
         voice_options speaker, chat_view& view, line_source& lines);

    /// Calls `on_done` once all is over; an exception that ends it leaves `ioc.run()`.
    void start(std::function<void()> on_done);
    /// Interrupts what is spoken, and ends.
    void stop();

    /// Some reply, or the voice, did not do well.
    bool has_failed() const noexcept { return failed_ || voice_.has_failed(); }
    /// What it was given to work with cannot be used: a file, a program, or stdin.
    bool was_misused() const noexcept { return misused_; }
    /// The conversation, if it is to be saved.
    const std::optional<std::string>& saved() const noexcept { return saved_; }

 private:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    awaitable<void> run();
    awaitable<bool> find_servers();
    void note_reuse_guard();
    awaitable<bool> try_voice();
    awaitable<bool> try_player();
    bool begin_conversation();
    awaitable<void> hold_conversation();
    awaitable<std::optional<read_line>> next_line();
    void ask_for_line();
    void line_came(read_line l);
    awaitable<void> take_turn(const read_line& said);
    void refuse_turn(error_code why, diagnostics diag);
    awaitable<void> tell_end(const spoken_reply& ended, int turn);
    awaitable<std::string> kept_of_turn();
    awaitable<void> save();
    void fail(const std::string& text);
    void refuse(const std::string& text);

    boost::asio::io_context& ioc_;
    service_config settings_;
    chat_rules rules_;
    chat_view& view_;
    time_point begun_;
    voice voice_;
    server_clients servers_;
    std::optional<service> service_;
    std::optional<conversation> talk_;
    std::shared_ptr<spoken_reply> speaking_;
    int turn_ = 0;

    std::optional<read_line> line_;  // that was not taken yet
    bool asked_for_line_ = false;
    bool input_ended_ = false;
    boost::asio::steady_timer line_came_;  // cancelled when one came
    std::function<void()> on_done_;
    std::optional<std::string> saved_;
    bool stopping_ = false;
    bool failed_ = false;
    bool misused_ = false;
    line_source& lines_;
};

}  // namespace tandem::command
