#include "reply/completion_call.hpp"

#include "loop/clock.hpp"
#include "wire/calls/completion_request.hpp"

#include <utility>
#include <vector>

namespace tandem::detail {

std::string encode_body(const completion_params& order) {
    std::vector<wire::prompt_part> parts;
    if (!order.prompt.ids.empty()) parts.emplace_back(order.prompt.ids);
    if (!order.prompt.text.empty() || parts.empty()) parts.emplace_back(order.prompt.text);
    return wire::encode_completion_body({.prompt = parts,
                                         .id_slot = order.slot,
                                         .n_predict = order.n_predict,
                                         .reuse_cache = order.reuse_cache,
                                         .settings = order.settings});
}

void completion_call::start(transport::http_transport& transport, std::string body,
                            std::weak_ptr<const void> owner, std::string traceparent,
                            std::optional<recorded_request_key> place) {
    owner_ = std::move(owner);
    sent_at_ = now();
    reader_ = wire::completion_reader();
    exchange_ = transport.start({.path = std::string(wire::completion_path),
                                 .body = std::move(body),
                                 .traceparent = std::move(traceparent),
                                 .reply_key = place},
                                *this);
}

void completion_call::on_status(int http_status) {
    const auto owner = owner_.lock();
    reader_.begin(http_status);
    // A rejected request has not begun: no slot works on it.
    if (http_status == wire::http_ok) handlers_.begun();
}

void completion_call::on_data(std::string_view bytes) {
    const auto owner = owner_.lock();
    reader_.feed(bytes);
    // A handler may cut the request. The remaining events are then dropped; the next request
    // generates them again.
    while (exchange_ && reader_.next(event_)) handlers_.read(event_);
    if (exchange_ && reader_.fault()) handlers_.on_failed(failure(*reader_.fault()));
}

void completion_call::on_end(error_code ec, const diagnostics& diag) {
    const auto owner = owner_.lock();
    exchange_.reset();
    handlers_.on_failed(reader_.make_end_failure(ec, diag));
}

}  // namespace tandem::detail
