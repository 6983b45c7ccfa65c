#include "conversation/slot_prefill.hpp"

#include "reply/machine/server_timing.hpp"
#include "server/server_link.hpp"
#include "wire/calls/completion_request.hpp"

#include <utility>

namespace tandem::detail {

slot_prefill::slot_prefill(std::shared_ptr<server_link> link, prompt_with_ids prompt,
                           std::vector<adapter_scale> lora, slots::owner_id owner)
    : link_(std::move(link)),
      prompt_(std::move(prompt)),
      lora_(std::move(lora)),
      owner_(owner),
      limit_(link_->executor()),
      call_({.begun =
                 [this] {
                     has_begun_ = true;
                     arm_limit(link_->config().limits.first_token_timeout);
                 },
             .read = [this](const wire::token_event& event) { read(event); },
             .on_failed =
                 [this](const failure& why) {
                     link_->log(log_level::info,
                                "conversation {}: a slot could not be prefilled: {}", owner_,
                                why.diag.to_string());
                     link_->on_completion_failed(why, call_.sent_at());
                     // No turn may follow that reads /props again, which determine the guard.
                     link_->load_props([](auto&&...) {});
                     end_request({}, false);
                     slot_.reset();
                     complete(std::nullopt);
                 }}) {}

slot_prefill::~slot_prefill() {
    if (!link_) return;
    stop_waiting();
    end_request({.server_state = slots::server_slot_state::maybe_busy}, true);
}

void slot_prefill::start(handler done) {
    done_ = std::move(done);
    ticket_ = link_->slots().enqueue(
        {.prompt = prompt_.text, .kind = slots::request_kind::background, .owner = owner_},
        [weak = weak_from_this()](const slots::grant& g) {
            const auto self = weak.lock();
            return self && self->take_slot(g);
        });
    link_->slots().dispatch_grants();
}

void slot_prefill::stop_waiting() {
    if (ticket_ != slots::no_ticket)
        link_->slots().cancel_request(std::exchange(ticket_, slots::no_ticket));
}

bool slot_prefill::is_in_progress() const noexcept {
    return link_ && !link_->is_shut_down() && (ticket_ != slots::no_ticket || is_running_);
}

bool slot_prefill::holds_prompt() const {
    return is_in_progress() || (slot_ && link_ && link_->slots().still_belongs_to(*slot_, owner_));
}

void slot_prefill::on_context_destroyed() noexcept {
    call_.close();
    is_running_ = false;
    link_.reset();
}

bool slot_prefill::take_slot(const slots::grant& g) {
    ticket_ = slots::no_ticket;
    slot_ = g.slot;
    is_running_ = true;
    arm_limit(late_start_threshold);
    send(g.slot);
    return true;
}

// Limits the request, because one that the server never starts or finishes would keep the slot.
void slot_prefill::arm_limit(duration limit) {
    limit_.expires_after(limit);
    limit_.async_wait([weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) self->give_up();
    });
}

void slot_prefill::give_up() {
    if (!is_running_) return;
    link_->log(log_level::info, "conversation {}: a slot could not be prefilled in time", owner_);
    end_request({.server_state = slots::server_slot_state::maybe_busy}, true);
    slot_.reset();
    complete(std::nullopt);
}

void slot_prefill::cancel_unless_begun() {
    stop_waiting();
    if (!has_begun_) give_up();
}

// `n_predict` is 1, because a server generates at least one token.
void slot_prefill::send(int slot) {
    const auto settings = wire::encode_completion_settings({.lora = lora_});
    const auto tail = std::string_view(prompt_.text).substr(prompt_.bytes_with_ids);
    link_->log(log_level::debug, "conversation {}: prefilling slot {}", owner_, slot);
    call_.start(link_->transport(),
                encode_body({.prompt = {prompt_.ids, tail},
                             .slot = slot,
                             .n_predict = 1,
                             .reuse_cache = !link_->slots().holds_foreign_text(slot),
                             .settings = settings}),
                weak_from_this());
}

void slot_prefill::read(const wire::token_event& event) {
    if (event.what != wire::token_event::kind::final) return;
    link_->report_server_success();
    const auto counts = event.timings;
    end_request({.is_use = false, .holds = prompt_.text}, false);
    complete(counts);
}

void slot_prefill::complete(std::optional<wire::timings> counts) {
    if (const auto done = std::exchange(done_, {})) done(counts);
}

void slot_prefill::end_request(slots::release_info note, bool was_cut) {
    if (!std::exchange(is_running_, false)) return;
    limit_.cancel();
    call_.close();
    link_->slots().release(*slot_, std::move(note), false, was_cut);
}

}  // namespace tandem::detail
