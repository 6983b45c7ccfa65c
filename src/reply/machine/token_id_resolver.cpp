#include "reply/machine/token_id_resolver.hpp"

namespace tandem::detail {
namespace {

/// Whether `ids`, the text that the ids stand for on a server, is `text`; the server may insert its
/// own first token before it. In another vocabulary, ids stand for different text, or for none.
bool say_the_same(std::string_view ids, std::string_view text) {
    constexpr std::size_t max_first_token_bytes = 64;
    return !ids.empty() && ids.ends_with(text) && ids.size() - text.size() <= max_first_token_bytes;
}

}  // namespace

void token_id_resolver::on_server_found() noexcept {
    prompt_ = prompt::unasked;
    recovery_ = recovery::possible;
}

void token_id_resolver::on_server_lost() noexcept {
    stop_waiting();
    trust_ = trust::doubtful;
}

void token_id_resolver::stop_waiting() noexcept {
    if (prompt_ == prompt::asked) prompt_ = prompt::done;
    if (recovery_ == recovery::asked) recovery_ = recovery::possible;
    if (trust_ == trust::asked) trust_ = trust::doubtful;
}

void token_id_resolver::request_missing_ids() {
    if (prompt_ == prompt::unasked) {
        prompt_ = text_.needs_prompt_ids() ? prompt::asked : prompt::done;
        if (prompt_ == prompt::asked) actions_.push_back(action::tokenize_prompt{});
    }
    if (auto texts = text_.texts_with_missing_ids();
        recovery_ != recovery::impossible && !texts.empty()) {
        recovery_ = recovery::asked;
        actions_.push_back(action::recover_tokens{std::move(texts), text_.is_missing_mark()});
    }
}

void token_id_resolver::on_prompt_tokenized(std::vector<wire::token_id> ids) {
    prompt_ = prompt::done;
    text_.on_prompt_tokenized(std::move(ids));
}

bool token_id_resolver::on_tokens_recovered(std::span<const wire::token_id> ids) {
    if (recovery_ != recovery::asked) return false;
    recovery_ = ids.empty() ? recovery::impossible : recovery::possible;
    if (!ids.empty()) text_.set_recovered_ids(ids);
    return true;
}

void token_id_resolver::request_id_check() {
    if (!are_ids_doubtful() || is_waiting()) return;
    // Without the prompt's ids, those of the text are useless. If the prompt's ids came later, the
    // text's ids would be used without a check.
    if (text_.next_prompt().ids.empty()) return fall_back_to_text();
    trust_ = trust::asked;
    actions_.push_back(action::check_ids{});
}

bool token_id_resolver::on_ids_checked(std::string_view text) {
    if (trust_ != trust::asked) return false;
    auto known = text_.text();
    known.remove_suffix(text_.next_prompt().text.size());
    if (!say_the_same(text, known)) text_.forget_ids();
    trust_ = trust::proven;
    return true;
}

void token_id_resolver::fall_back_to_text() {
    stop_waiting();
    if (are_ids_doubtful() && text_.has_ids()) text_.forget_ids();
    trust_ = trust::proven;
}

}  // namespace tandem::detail
