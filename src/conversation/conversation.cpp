#include "tandem/conversation.hpp"

#include "conversation/conversation_shell.hpp"
#include "reply/reply_shell.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <fmt/format.h>

namespace tandem::detail {

boost::asio::any_io_executor executor_of(const conversation_shell& shell) noexcept {
    return shell.scope().executor();
}

}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {
namespace {

std::optional<failure> fault_of(const chat_message& message) {
    const auto faults = check(conversation_options{.messages = {message}});
    if (faults.empty()) return std::nullopt;
    return failure{errc::invalid_prompt,
                   {.client_message = fmt::format("{} {}", faults[0].field, faults[0].message)}};
}

std::optional<failure> fault_of_spoken(const std::string& text) {
    if (text::is_all_white_space(text))
        return failure{errc::invalid_prompt, {.client_message = "the text to speak is empty"}};
    return fault_of({.role = "assistant", .content = text});
}

template <class Say>
std::shared_ptr<detail::reply_shell> speak(detail::conversation_shell& shell, Say say,
                                           std::string text,
                                           std::optional<generation_options> options) {
    if (auto why = fault_of_spoken(text)) return shell.make_refused_reply(std::move(*why));
    return (shell.*say)(std::move(text), std::move(options));
}

error_code answer(const std::shared_ptr<detail::conversation_shell>& shell, std::string id,
                  std::string content, bool is_final) {
    if (const auto why = fault_of({.role = "tool", .content = content})) return why->ec;
    shell->scope().dispatch([s = shell, id = std::move(id), c = std::move(content), is_final] {
        s->answer_call(id, c, is_final);
    });
    return {};
}

std::optional<failure> fault_of_user(const std::string& text) {
    if (text::is_all_white_space(text))
        return failure{
            errc::invalid_prompt,
            {.client_message = "the user's text is empty; call generate() to reply without one"}};
    return fault_of({.role = "user", .content = text});
}

template <class Result>
void refuse(detail::pending_call<Result>& call, errc code, std::string words) {
    if (call.diag) *call.diag = {.client_message = std::move(words)};
    call.handler.complete(code, Result{});
}

// Runs `ask` on the strand, which completes the call; completes it with an error if the
// conversation has ended.
template <class Result, class Ask>
void run_call(std::shared_ptr<detail::conversation_shell> shell,
              std::shared_ptr<detail::pending_call<Result>> call, Ask ask) {
    const auto& scope = shell->scope();
    scope.dispatch([s = std::move(shell), c = std::move(call), a = std::move(ask)]() mutable {
        if (!c->handler) return;
        if (s->scope().is_closed())
            return refuse(*c, errc::client_destroyed, detail::owner_destroyed);
        if (s->has_ended())
            return refuse(*c, errc::session_not_found,
                          fmt::format("conversation {} has ended", s->id()));
        a(*s, std::move(c));
    });
}

template <class Result>
auto make_completion(std::shared_ptr<detail::pending_call<Result>> call) {
    return [call = std::move(call)](error_code ec, const diagnostics& diag, Result r) {
        if (!call->handler) return;  // it was cancelled
        if (call->diag) *call->diag = diag;
        call->handler.complete(ec, r);
    };
}

}  // namespace

conversation::conversation(shell s) noexcept : shell_(std::move(s)) {}

conversation::conversation(conversation&&) noexcept = default;

conversation& conversation::operator=(conversation&& other) noexcept {
    if (this != &other) destroy_on_strand(std::exchange(shell_, std::move(other.shell_)));
    return *this;
}

conversation::~conversation() {
    destroy_on_strand(std::move(shell_));
}

// A shell's members belong to its strand, so the shell must be destroyed there.
void conversation::destroy_on_strand(shell s) noexcept {
    if (!s) return;
    s->stop_deliveries();
    const auto& scope = s->scope();
    scope.dispatch([owned = std::move(s)] { owned->end(); });
}

error_code conversation::append(chat_message message) {
    diagnostics unread;
    return append(std::move(message), unread);
}

error_code conversation::append(chat_message message, diagnostics& diag) {
    diag = {};
    if (auto why = fault_of(message)) {
        diag = std::move(why->diag);
        return why->ec;
    }
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, m = std::move(message)]() mutable { s->append(std::move(m)); });
    return {};
}

error_code conversation::answer_call(std::string call_id, std::string content) {
    return answer(detail::assert_not_moved_from(shell_), std::move(call_id), std::move(content),
                  true);
}

error_code conversation::answer_call_later(std::string call_id, std::string meanwhile) {
    return answer(detail::assert_not_moved_from(shell_), std::move(call_id), std::move(meanwhile),
                  false);
}

reply conversation::generate() {
    return reply(detail::assert_not_moved_from(shell_)->generate());
}

reply conversation::generate(generation_options options) {
    return reply(detail::assert_not_moved_from(shell_)->generate({.options = std::move(options)}));
}

reply conversation::stream(generation_options options, stream_by pieces) {
    return reply(detail::assert_not_moved_from(shell_)->generate({std::move(options), pieces}));
}

reply conversation::say(std::string user_text) {
    if (auto why = fault_of_user(user_text))
        return reply(detail::assert_not_moved_from(shell_)->make_refused_reply(std::move(*why)));
    append({.role = "user", .content = std::move(user_text)});
    return generate();
}

reply conversation::say_text(std::string text) {
    return reply(speak(*detail::assert_not_moved_from(shell_),
                       &detail::conversation_shell::say_text, std::move(text), std::nullopt));
}

reply conversation::say_text(std::string text, generation_options options) {
    return reply(speak(*detail::assert_not_moved_from(shell_),
                       &detail::conversation_shell::say_text, std::move(text), std::move(options)));
}

reply conversation::say_aside(std::string text) {
    return reply(speak(*detail::assert_not_moved_from(shell_),
                       &detail::conversation_shell::say_aside, std::move(text), std::nullopt));
}

reply conversation::say_aside(std::string text, generation_options options) {
    return reply(speak(*detail::assert_not_moved_from(shell_),
                       &detail::conversation_shell::say_aside, std::move(text),
                       std::move(options)));
}

error_code conversation::add_filler(std::string text) {
    if (const auto why = fault_of_spoken(text)) return why->ec;
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, text = std::move(text)] { s->add_filler(text); });
    return {};
}

void conversation::heard(chunk_id id, std::size_t characters) {
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, id, characters] { s->on_heard(id, characters); });
}

void conversation::heard_share(chunk_id id, double share) {
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, id, share] { s->on_heard_share(id, share); });
}

void conversation::interrupt() {
    detail::assert_not_moved_from(shell_)->stop_deliveries();
    detail::assert_not_moved_from(shell_)->scope().dispatch([s = shell_] { s->interrupt(); });
}

reply conversation::resume(std::optional<chunk_id> speaking) {
    return reply(detail::assert_not_moved_from(shell_)->resume(speaking));
}

void conversation::warm() {
    detail::assert_not_moved_from(shell_)->scope().dispatch([s = shell_] { s->warm(); });
}

void conversation::warm(generation_options options) {
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, o = std::move(options)]() mutable {
            s->expect_options(std::move(o));
            s->warm();
        });
}

void conversation::hearing(std::string text, std::optional<std::size_t> stable) {
    if (text::find_invalid_utf8(text) != std::string::npos) return;
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, text = std::move(text), stable]() mutable {
            s->hearing(std::move(text), stable);
        });
}

void conversation::drop_draft(std::string unless) {
    detail::assert_not_moved_from(shell_)->scope().dispatch(
        [s = shell_, unless = std::move(unless)] { s->drop_draft(unless); });
}

void conversation::end() {
    detail::assert_not_moved_from(shell_)->stop_deliveries();
    detail::assert_not_moved_from(shell_)->scope().dispatch([s = shell_] { s->end(); });
}

std::uint64_t conversation::id() const noexcept {
    return detail::assert_not_moved_from(shell_)->id();
}

conversation::executor_type conversation::get_executor() const noexcept {
    return executor_of(*detail::assert_not_moved_from(shell_));
}

void conversation::ask_draft(shell s, pending<int> call, std::string text,
                             std::optional<generation_options> options) {
    run_call(std::move(s), std::move(call),
             [text = std::move(text), options = std::move(options)](auto& c, auto p) mutable {
                 if (const auto why = fault_of_user(text))
                     return refuse(*p, errc::invalid_prompt, why->diag.client_message);
                 c.draft(std::move(text), std::move(options), make_completion(std::move(p)));
             });
}

void conversation::ask_state(shell s, pending<conversation_state> call) {
    run_call(std::move(s), std::move(call),
             [](auto& c, auto p) { p->handler.complete({}, c.state()); });
}

void conversation::ask_save(shell s, pending<std::string> call) {
    run_call(std::move(s), std::move(call),
             [](auto& c, auto p) { p->handler.complete({}, c.saved()); });
}

void conversation::ask_save_slot(shell s, pending<slot_file_result> call, std::string file) {
    run_call(std::move(s), std::move(call), [f = std::move(file)](auto& c, auto p) mutable {
        c.save_slot(std::move(f), make_completion(std::move(p)));
    });
}

void conversation::ask_restore_slot(shell s, pending<slot_file_result> call, std::string file) {
    run_call(std::move(s), std::move(call), [f = std::move(file)](auto& c, auto p) mutable {
        c.restore_slot(std::move(f), make_completion(std::move(p)));
    });
}

}  // namespace v0
}  // namespace tandem
