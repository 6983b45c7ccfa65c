#pragma once

#include "chat/chat_command.hpp"
#include "chat/chat_view.hpp"
#include "chat/function_runner.hpp"
#include "chat/spoken_reply.hpp"
#include "chat/typed_line_forwarder.hpp"
#include "line_input/line_source.hpp"
#include "os/coroutines.hpp"
#include "run/server_clients.hpp"
#include "sound/speaker.hpp"

#include "tandem/service.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tandem::command {

/// A conversation that reads lines and speaks the replies. Everything, including calls to the view,
/// runs on `ioc` with one thread.
class chat {
 public:
    /// `ioc`, `view` and `lines` must outlive this object.
    chat(boost::asio::io_context& ioc, service_config settings, instruments i, chat_rules rules,
         speaker_options sound, chat_view& view, line_source& lines);

    /// Calls `on_done` at the end. An exception propagates out of `ioc.run()`.
    void start(std::function<void()> on_done);
    /// Interrupts the current reply and ends the chat.
    void stop();

    /// Whether a reply or the speech output failed.
    bool has_failed() const noexcept { return failed_ || speaker_.has_failed(); }
    /// Whether an input is unusable: a file, a program or stdin.
    bool has_usage_error() const noexcept { return misused_; }
    /// The saved conversation, if saving was requested and succeeded.
    const std::optional<std::string>& saved() const noexcept { return saved_; }

 private:
    // The time at which the silence before a reply began. A voice detector reports this silence
    // `vad_stop` later.
    struct silence_start {
        time_point at{};
        duration vad_stop{};
        // Set if the silence began with the end of a sound.
        std::optional<time_point> sound_end{};
    };

    awaitable<void> run();
    awaitable<bool> find_servers();
    void note_reuse_guard();
    awaitable<bool> test_synthesizer_and_player();
    awaitable<bool> test_player();
    bool begin_conversation();
    awaitable<void> hold_conversation();
    awaitable<std::optional<line_read_result>> next_line();
    void request_line();
    void on_line_read(line_read_result l);
    void on_line_changed(const std::string& line);
    awaitable<void> take_turn(const line_read_result& said);
    awaitable<void> reply_to(const line_read_result& said);
    // Returns true if the reply called functions and they have results, so that another reply must
    // follow.
    awaitable<bool> speak_reply(silence_start& since);
    std::shared_ptr<function_runner> run_functions_of(tandem::reply& reply);
    awaitable<bool> finish_functions(function_runner& functions, spoken_reply_number where);
    void interrupt(time_point at);
    void report_refused_turn(error_code why, diagnostics diag);
    awaitable<void> report_end(const spoken_reply& ended, spoken_reply_number where);
    awaitable<std::string> history_text_of_turn();
    awaitable<void> save();
    void fail(const std::string& text);
    void report_usage_error(const std::string& text);

    boost::asio::io_context& ioc_;
    service_config settings_;
    instruments instruments_;
    chat_rules rules_;
    chat_view& view_;
    time_point begun_;
    speaker speaker_;
    server_clients servers_;
    std::optional<service> service_;
    std::optional<conversation> talk_;
    std::shared_ptr<spoken_reply> speaking_;
    std::shared_ptr<function_runner> functions_;  // of the current reply
    /// The current reply. Rejected lines count as turns, but blank and overlong lines do not.
    spoken_reply_number where_;
    typed_line_forwarder typed_;

    std::optional<line_read_result> line_;  // not consumed yet
    bool asked_for_line_ = false;
    bool input_ended_ = false;
    boost::asio::steady_timer line_arrived_;  // cancelled when a line arrives
    std::optional<std::string> saved_;
    bool stopping_ = false;
    bool failed_ = false;
    bool misused_ = false;
    line_source& lines_;
};

}  // namespace tandem::command
