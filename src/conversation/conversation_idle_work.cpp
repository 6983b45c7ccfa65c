#include "conversation/conversation_shell.hpp"
#include "conversation/history/context_trimming.hpp"
#include "conversation/prompt_rendering.hpp"
#include "server/server_link.hpp"

#include <utility>
#include <variant>

// What a conversation does between turns: it learns token ids, trims the history, prefills a slot,
// and saves and restores slot files.
namespace tandem::detail {
// --- ids

// The next prompt starts with the slot's contents, so the ids of these contents are requested while
// the voice speaks.
void conversation_shell::request_history_ids() {
    const auto& said = remainder_->text;
    if (!link_ || link_->is_shut_down() || said.text().empty()) return;
    const std::string unknown(said.untokenized_prompt());
    if (unknown.empty()) return request_missing_ids();
    auto learnt = [weak = weak_from_this(), reply = last_reply_](error_code, const diagnostics&,
                                                                 std::vector<std::int32_t> ids) {
        const auto self = weak.lock();
        if (!self || !self->remainder_ || self->last_reply_ != reply) return;
        self->remainder_->text.on_prompt_tokenized(std::move(ids));
        self->request_missing_ids();
    };
    link_->calls().tokenize_prompt_rest(unknown, said.has_known_prefix(), std::move(learnt));
}

void conversation_shell::request_missing_ids() {
    auto lost = remainder_->text.texts_with_missing_ids();
    if (!link_ || link_->is_shut_down() || lost.empty()) return on_ids_received();
    link_->calls().tokenize_pieces(
        lost, reply_transcript::separator, remainder_->text.is_missing_mark(),
        [weak = weak_from_this(), reply = last_reply_](error_code, const diagnostics&,
                                                       const std::vector<std::int32_t>& ids) {
            const auto self = weak.lock();
            if (!self || !self->remainder_ || self->last_reply_ != reply) return;
            self->remainder_->text.set_recovered_ids(ids);
            self->on_ids_received();
        });
}

void conversation_shell::on_ids_received() {
    known_ = remainder_->text.to_tokenized_text();
    known_model_ = props_.model;
    // If the turn is complete, no request continues its text, so only known_ needs the ids.
    if (remainder_->generated) remainder_->text = reply_transcript();
    if (history_.open_calls() > 0) return prefill_before_results();
    trim_or_prefill();
}

// --- the context

conversations::context_usage conversation_shell::context_usage(
    std::span<const conversations::exchange_size> costs, int prompt_tokens, int max_tokens) const {
    const auto& options = history_.options();
    return {.context = props_.context_per_slot,
            .reserve = conversations::compute_reply_reserve(options, max_tokens),
            .slack = options.trim_slack,
            .prompt = prompt_tokens,
            .opening_bytes = history_.system_bytes(),
            .dropped_bytes = history_.dropped_bytes(),
            .exchanges = options.trim ? costs : decltype(costs){}};
}

void conversation_shell::drop_oldest(std::size_t exchanges) {
    scope_->log(log_level::info,
                "conversation {}: the context is full: the oldest {} exchange(s) are dropped", id_,
                exchanges);
    history_.drop_oldest(exchanges);
    ++metrics_.trims;
    metrics_.trimmed_exchanges += static_cast<int>(exchanges);
}

// Runs while the voice is speaking, so that trimming delays nothing.
void conversation_shell::trim_or_prefill() {
    if (ended_ || running_ != 0 || draft_ || !link_ || link_->is_shut_down()) return;
    const auto costs = history_.measure_exchanges();
    const auto use = context_usage(costs, tokens_said_, rules_.generation.max_tokens);
    const auto user_bytes = history_.average_user_bytes();
    if (!conversations::is_trim_likely(use, user_bytes)) return;
    // Keeps the last exchange, which can be dropped only once another one follows.
    const auto plan = conversations::plan_trim(conversations::predict_next_usage(use, user_bytes));
    if (plan.drop == 0) return;
    drop_oldest(plan.drop);
    ++metrics_.early_trims;
    prefill();
}

// --- prefilling

// Does nothing if a slot holds a draft or the user's words, because it already holds the history,
// too.
void conversation_shell::warm() {
    const bool holds_words =
        is_prefilling_words_ || (!prefilled_words_.empty() && prefill_ && prefill_->holds_prompt());
    if (!draft_ && !holds_words) prepare_idle_server(&conversation_shell::prefill);
}

/// Calls `done` once the properties of a server are known, or `on_failed` after a failure. Calls
/// neither if a turn has begun in the meantime.
void conversation_shell::prepare_idle_server(std::function<void(conversation_shell&)> done,
                                             std::function<void(const failure&)> on_failed) {
    if (ended_ || running_ != 0) return;
    auto placed = host_->assign_server({.pinned = link_, .is_for_turn = false});
    if (const auto* why = std::get_if<failure>(&placed)) {
        if (on_failed) on_failed(*why);
        return;
    }
    pin_server(std::get<server_link_ptr>(std::move(placed)));
    link_->load_props([weak = weak_from_this(), asked = std::weak_ptr(link_),
                       done = std::move(done), on_failed = std::move(on_failed)](
                          error_code ec, const diagnostics& diag, const server_props& props) {
        const auto self = weak.lock();
        const auto link = asked.lock();
        if (!self || !link || link != self->link_ || self->running_ != 0) return;
        if (ec) {
            self->host_->on_server_failed(link, {ec, diag});
            if (on_failed) on_failed({ec, diag});
            return;
        }
        self->props_ = props;
        self->has_model_changed();
        done(*self);
    });
}

/// The options with which the next turn will probably run.
generation_options conversation_shell::prefill_options() const {
    if (next_options_) return *next_options_;
    auto options = *turn_options_;
    options.context.clear();  // was only for the last turn
    return options;
}

void conversation_shell::prefill() {
    // A prefill helps only as far as its prompt equals the next turn's. Therefore, it has the next
    // turn's tools or, if they are unknown, those of the last turn.
    render_history(prefill_options(), [weak = weak_from_this(), asked = link_.get()](
                                          error_code ec, const diagnostics& diag,
                                          std::string prompt) {
        const auto self = weak.lock();
        if (!self || self->link_.get() != asked || self->running_ != 0 || self->draft_) return;
        if (ec)
            return self->scope_->log(log_level::info, "conversation {}: no slot is prefilled: {}",
                                     self->id_, diag.to_string());
        self->start_prefill(self->known_.attach_known_ids(std::move(prompt)));
    });
}

// Prefills the next prompt up to the results while the functions run. The template may render a
// call differently from what the model wrote, so the slot may hold other text.
void conversation_shell::prefill_before_results() {
    if (ended_ || running_ != 0 || !link_ || link_->is_shut_down()) return;
    render_history(next_options_ ? *next_options_ : *turn_options_,
                   [weak = weak_from_this(), asked = link_.get(), open = history_.open_calls()](
                       error_code ec, const diagnostics&, std::string prompt) {
                       const auto self = weak.lock();
                       if (ec || !self || self->link_.get() != asked || self->running_ != 0) return;
                       // Ends the prompt before the results of the open calls, for which
                       // `no_result` stands.
                       auto end = prompt.size();
                       for (std::size_t i = 0; i < open && end != std::string::npos && end > 0; ++i)
                           end = prompt.rfind(conversations::no_result, end - 1);
                       if (end == std::string::npos) return;
                       prompt.resize(end);
                       self->start_prefill(self->known_.attach_known_ids(std::move(prompt)));
                   });
}

void conversation_shell::start_prefill(prompt_with_ids prompt, bool is_of_words) {
    is_prefilling_words_ = false;  // this prefill replaces the running one
    const auto context = static_cast<std::size_t>(props_.context_per_slot);
    if (prompt.text.empty() || (context > 0 && prompt.ids.size() >= context)) return;
    // A repeated call must not prefill the same text again.
    if (prefill_ && prefill_->holds_text(prompt.text)) return;
    is_prefilling_words_ = is_of_words;
    if (is_of_words)
        revised_ = find_revision(prompt.text);
    else
        prefilled_words_.clear();
    prefill_ =
        std::make_shared<slot_prefill>(link_, std::move(prompt), prefill_options().lora, id_);
    prefill_->start([weak = weak_from_this(), is_of_words](std::optional<wire::timings> counts) {
        const auto self = weak.lock();
        if (!self) return;
        if (is_of_words && counts) self->record_words_prefill(*counts);
        if (!is_of_words && counts) self->metrics_.warmed += counts->evaluated;
        // While the user is speaking, other conversations must not prefill this slot.
        if (!self->is_prefilling_words_) self->release_slots();
        self->prefill_next_words();
    });
}

// Lets other conversations prefill the slots of this one, unless there is a draft: a turn needs the
// draft's slot soon.
void conversation_shell::release_slots() {
    if (running_ == 0 && !draft_ && link_ && !link_->is_shut_down())
        link_->slots().release_owner(id_);
}

// --- slot files

void conversation_shell::run_slot_file_job(slot_file_job::kind what, std::string file,
                                           slot_file_job::handler done) {
    if (const auto why = check_turn_allowed()) return done(why->ec, why->diag, {});
    if (uses_slot_file_)
        return done(errc::operation_in_progress,
                    {.client_message = "a slot file of the conversation is already in use"}, {});
    auto placed = host_->assign_server({.pinned = link_, .is_for_turn = false});
    if (const auto* why = std::get_if<failure>(&placed)) return done(why->ec, why->diag, {});
    pin_server(std::get<server_link_ptr>(std::move(placed)));
    done = begin_slot_file_job(std::move(done));
    link_->load_props(
        [weak = weak_from_this(), what, file = std::move(file), done = std::move(done)](
            error_code ec, const diagnostics& diag, const server_props&) mutable {
            const auto self = weak.lock();
            if (ec || !self || !self->link_)
                return done(ec ? ec : errc::session_not_found, diag, {});
            self->resolve_slot_text(what, std::move(file), std::move(done));
        });
}

// Sets the flag before the job exists, because the job starts only after an answer from the server.
slot_file_job::handler conversation_shell::begin_slot_file_job(slot_file_job::handler done) {
    uses_slot_file_ = true;
    return [weak = weak_from_this(), done = std::move(done)](error_code ec, const diagnostics& diag,
                                                             slot_file_result r) {
        if (const auto self = weak.lock()) self->uses_slot_file_ = false;
        done(ec, diag, r);
    };
}

// The job records the slot's text, so that the next turn is given that slot. A loaded conversation
// has no text before its first turn, so the text is rendered here.
void conversation_shell::resolve_slot_text(slot_file_job::kind what, std::string file,
                                           slot_file_job::handler done) {
    if (!known_.text().empty())
        return start_slot_file_job(what, std::move(file), known_.text(), std::move(done));
    render_history(*turn_options_, [weak = weak_from_this(), what, file = std::move(file),
                                    done = std::move(done)](error_code ec, const diagnostics& diag,
                                                            std::string prompt) mutable {
        const auto self = weak.lock();
        if (ec || !self || !self->link_) return done(ec ? ec : errc::session_not_found, diag, {});
        self->start_slot_file_job(what, std::move(file), std::move(prompt), std::move(done));
    });
}

void conversation_shell::start_slot_file_job(slot_file_job::kind what, std::string file,
                                             std::string text, slot_file_job::handler done) {
    file_job_ = slot_file_job::start(
        link_, {.what = what, .file = std::move(file), .owner = id_, .text = std::move(text)},
        [weak = weak_from_this(), what, done = std::move(done)](
            error_code ec, const diagnostics& diag, slot_file_result r) {
            if (const auto self = weak.lock()) self->on_slot_file_done(what, ec, r);
            done(ec, diag, r);
        });
}

void conversation_shell::on_slot_file_done(slot_file_job::kind what, const error_code& ec,
                                           const slot_file_result& r) {
    release_slots();
    if (ec) return;
    const bool is_save = what == slot_file_job::kind::save;
    ++(is_save ? metrics_.slot_saves : metrics_.slot_restores);
    (is_save ? metrics_.slot_save_ms : metrics_.slot_restore_ms) += r.ms;
}

}  // namespace tandem::detail
