#include "base/format_count.hpp"
#include "conversation/conversation_shell.hpp"
#include "conversation/history/context_trimming.hpp"
#include "conversation/prompt_rendering.hpp"
#include "server/server_link.hpp"

#include <fmt/format.h>

#include <utility>

// The prompt of a turn, made from the history and trimmed to fit, and the start of its reply.
namespace tandem::detail {
namespace {

constexpr int warned_system_changes = 3;

// Suggests a shorter reply only if the prompt itself fits the context.
std::string too_long_text(int tokens, const conversations::context_usage& use, bool is_raw) {
    const int room = use.context - tokens;
    const auto* const what = is_raw                  ? "the prompt has"
                             : use.exchanges.empty() ? "the messages have"
                                                     : "system prompt and last exchange have";
    const auto* const it = is_raw ? "it does" : "they do";
    return fmt::format(
        "{} {} tokens; with {} for the reply {} not fit the context of {}; {}, or start the server "
        "with a larger --ctx-size",
        what, tokens, use.reserve, it, use.context,
        room > 0 ? fmt::format("limit the reply to {} or less", format_count(room, "token"))
        : is_raw ? "shorten it"
                 : "shorten them");
}

}  // namespace

void conversation_shell::render_history(const generation_options& options, prompt_handler done) {
    render_messages(history_.messages(), options, std::move(done));
}

void conversation_shell::render_messages(const std::vector<chat_message>& messages,
                                         const generation_options& options, prompt_handler done) {
    if (!history_.options().raw) return render_prompt(link_, messages, options, std::move(done));
    std::string prompt;
    for (const auto& m : messages) prompt += m.content;
    done({}, {}, std::move(prompt));
}

void conversation_shell::make_prompt(const start_ptr& start) {
    const auto messages = start->begun ? history_.messages_before_turn() : history_.messages();
    render_messages(messages, *turn_options_,
                    [weak = weak_from_this(), start, check_id = start->check_id](
                        error_code ec, const diagnostics& diag, std::string prompt) {
                        const auto self = weak.lock();
                        if (!self || !self->is_current(start, check_id)) return;
                        if (ec) return self->on_prompt_failed(start, {ec, diag});
                        self->detect_cache_break(*start, prompt);
                        self->check_prompt_size(start,
                                                self->known_.attach_known_ids(std::move(prompt)));
                    });
}

void conversation_shell::detect_cache_break(starting_turn& start, std::string_view prompt) {
    const auto messages = history_.messages();
    const conversations::turn_prompt turn{.prompt = prompt,
                                          .messages = messages,
                                          .options = *turn_options_,
                                          .trims = metrics_.trimmed_exchanges};
    start.broken = watch_.find_break(turn);
    start.watched = watch_;
    start.watched->record_turn(turn, start.broken);
    if (start.broken && start.broken->why == cache_break::cause::system_prompt &&
        start.watched->changed_system_prompts() == warned_system_changes)
        scope_->log(
            log_level::warning,
            "conversation {}: the system prompt has changed in {} turns, so that the server "
            "evaluated the whole history anew each time; pass what changes, such as the "
            "time, as the context of the turn (see cache_break in its usage)",
            id_, warned_system_changes);
}

bool conversation_shell::is_sure_to_fit(const prompt_with_ids& prompt, int max_tokens) const {
    const auto context = static_cast<std::size_t>(props_.context_per_slot);
    const auto reserved = static_cast<std::size_t>(
        conversations::compute_reply_reserve(history_.options(), max_tokens));
    return context == 0 || estimate_max_tokens(prompt) + reserved <= context;
}

// Counting needs a request to the server, so a prompt that fits by its upper bound is not counted.
void conversation_shell::check_prompt_size(const start_ptr& start, prompt_with_ids prompt) {
    if (is_sure_to_fit(prompt, start->max_tokens))
        return start_prompted_reply(start, std::move(prompt));
    count_prompt_tokens(link_, std::move(prompt),
                        [weak = weak_from_this(), start, check_id = start->check_id](
                            error_code ec, const diagnostics& diag, prompt_with_ids counted) {
                            const auto self = weak.lock();
                            if (!self || !self->is_current(start, check_id)) return;
                            if (ec) return self->on_prompt_failed(start, {ec, diag});
                            self->trim_to_fit(start, std::move(counted));
                        });
}

void conversation_shell::start_prompted_reply(const start_ptr& start, prompt_with_ids prompt) {
    reply_origin origin{.prompt = std::move(prompt)};
    if (start->begun) origin.spoken = history_.spoken();
    origin.begun = std::exchange(start->begun, std::nullopt);
    start_reply(start, std::move(origin));
}

void conversation_shell::trim_to_fit(const start_ptr& start, prompt_with_ids counted) {
    const int tokens = static_cast<int>(counted.ids.size());
    const auto costs = history_.measure_exchanges();
    const auto use = context_usage(costs, tokens, start->max_tokens);
    const auto plan = conversations::plan_trim(use);
    // After a failure, history is dropped only if the prompt then fits this server: another server
    // may have a larger context.
    if (plan.drop > 0 && (plan.fits || !start->is_failover)) {
        drop_oldest(plan.drop);
        return make_prompt(start);
    }
    if (plan.fits) return start_prompted_reply(start, std::move(counted));
    const failure why{errc::prompt_too_long,
                      {.client_message = too_long_text(tokens, use, history_.options().raw)}};
    return start->is_failover ? try_other_server(start, why) : fail_start(start, why);
}

// --- the reply

void conversation_shell::start_reply(const start_ptr& start, reply_origin origin) {
    starting_.reset();
    end_server_check(start);
    generating_at_ = link_;
    host_->on_turn_started(link_);
    add_early_work(*start, origin);
    auto here = make_start_point(start->marks, std::move(origin));
    if (prefill_ && !start->is_failover) here.warmed = prefill_->slot();
    start->done({}, {}, std::move(here));
}

// The turn's whole text is known, so that the reply needs no server.
void conversation_shell::start_generated_reply() {
    const auto start = std::exchange(starting_, nullptr);
    auto origin = *std::exchange(start->resumed, {});
    if (remainder_model_ != props_.model) origin.rest->text.forget_ids();
    add_early_work(*start, origin);
    // A draft may have kept a slot.
    if (link_ && !link_->is_shut_down()) link_->slots().release_owner(id_);
    start->done({}, {}, {.origin = std::move(origin), .pace = pace_});
}

void conversation_shell::add_early_work(starting_turn& start, reply_origin& origin) {
    origin.early = take_early_work(start);
    origin.early.broken = std::exchange(start.broken, {});
    if (start.watched) watch_ = *std::exchange(start.watched, {});
}

void conversation_shell::resume_after_failover(const start_ptr& start) {
    end_server_check(start);
    generating_at_ = link_;
    host_->on_turn_started(link_);
    start->done({}, {}, make_start_point(start->marks, {}));
}

reply_start_point conversation_shell::make_start_point(server::template_marks marks,
                                                       reply_origin origin) {
    return {.link = link_,
            .origin = std::move(origin),
            .owner = id_,
            .was_here = has_spoken_here_,
            .pace = pace_,
            .marks = std::move(marks)};
}

}  // namespace tandem::detail
