#include "probe/probe_request.hpp"

#include "wire/calls/completion_request.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tandem::command {
namespace {

std::string body_of(const probe_request_options& options) {
    // With ignore_eos, every request generates the same number of tokens, whatever the model.
    static const auto settings = wire::encode_completion_settings({}) + R"(,"ignore_eos":true)";
    const std::array parts{wire::prompt_part(options.prompt)};
    return wire::encode_completion_body({.prompt = parts,
                                         .id_slot = options.slot,
                                         .n_predict = options.n_predict,
                                         .settings = settings});
}

}  // namespace

probe_request::probe_request(const boost::asio::any_io_executor& executor,
                             transport::http_transport& transport, probe_timeouts limits)
    : transport_(transport), limits_(limits), timer_(executor) {}

void probe_request::start(const probe_request_options& options,
                          std::function<void(probe_answer)> done) {
    done_ = std::move(done);
    cut_after_ = options.cut_after;
    started_ = clock::now();
    start_timer(limits_.first_token, errc::first_token_timeout);
    exchange_ = transport_.start(
        {.path = std::string(wire::completion_path), .body = body_of(options)}, *this);
}

void probe_request::cancel(error_code ec) {
    if (exchange_) end({ec, {.client_message = ec.message()}});
}

void probe_request::on_data(std::string_view bytes) {
    reader_.feed(bytes);
    while (exchange_ && reader_.next(event_)) read(event_);
    if (exchange_ && reader_.fault()) end(*reader_.fault());
}

void probe_request::read(const wire::token_event& event) {
    using kind = wire::token_event::kind;
    if (event.what == kind::progress) return;
    if (answer_.first_token_ms < 0) answer_.first_token_ms = to_ms(clock::now() - started_);
    if (event.has_timings) answer_.timings = event.timings;
    answer_.prompt_tokens = event.prompt_tokens;
    if (event.what == kind::final) return end({});
    keep_tokens(event);
    if (cut_after_ == 0 || answer_.predicted < cut_after_)
        return start_timer(limits_.between_tokens, errc::between_tokens_timeout);
    answer_.was_cut = true;
    end({});
}

// If a character spans several tokens, only the id of the last token arrives.
void probe_request::keep_tokens(const wire::token_event& event) {
    const auto came = static_cast<int>(event.tokens.size());
    all_ids_known_ = all_ids_known_ && event.predicted == answer_.predicted + came;
    answer_.predicted = event.predicted;
    if (all_ids_known_)
        answer_.tokens.insert(answer_.tokens.end(), event.tokens.begin(), event.tokens.end());
}

void probe_request::start_timer(duration limit, errc code) {
    timer_.expires_after(limit);
    timer_.async_wait([weak = weak_from_this(), limit, code](error_code ec) {
        const auto self = weak.lock();
        // Ignores the handler if the timer was set again after the handler was queued.
        if (!self || ec || self->timer_.expiry() > clock::now()) return;
        self->fail_with_timeout(limit, code);
    });
}

void probe_request::fail_with_timeout(duration limit, errc code) {
    if (!exchange_) return;
    end({code,
         {.client_message = fmt::format(
              "/completion: no {} token within {}; the server is slow or stuck",
              code == errc::first_token_timeout ? "first" : "further", to_string(limit))}});
}

void probe_request::end(failure why) {
    exchange_.reset();
    if (answer_.was_cut) answer_.cut_at = clock::now();
    timer_.cancel();
    answer_.fault = std::move(why);
    if (const auto done = std::exchange(done_, nullptr)) done(std::move(answer_));
}

}  // namespace tandem::command
