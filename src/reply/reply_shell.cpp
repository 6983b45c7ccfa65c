#include "reply/reply_shell.hpp"

#include "text/boundary_rules.hpp"
#include "text/utf8.hpp"
#include "wire/completion_request.hpp"
#include "wire/server_error.hpp"
#include "wire/token_event_decoder.hpp"

#include <boost/asio/error.hpp>

#include <array>
#include <utility>

namespace tandem::detail {
namespace {

// More than any error of the server; what comes after it is not read.
constexpr std::size_t max_error_bytes = 64u << 10;

// Far more than any context holds.
constexpr std::size_t max_prompt_bytes = 64u << 20;
constexpr const char* completion_path = "/completion";

time_point now() {
    return std::chrono::steady_clock::now();
}

// Set as long as it lives, also when an exception ends it.
class scoped_flag {
 public:
    explicit scoped_flag(bool& flag) : flag_(flag) { flag_ = true; }
    ~scoped_flag() { flag_ = false; }
    scoped_flag(const scoped_flag&) = delete;
    scoped_flag& operator=(const scoped_flag&) = delete;

 private:
    bool& flag_;
};

// Diagnostics in our words.
template <class... Args>
diagnostics told(fmt::format_string<Args...> text, Args&&... args) {
    return {.client_message = fmt::format(text, std::forward<Args>(args)...)};
}

reply_rules rules_of(const config& c, const generation_options& o) {
    return {.peek_hold = c.peek_hold,
            .first_token_timeout = c.first_token_timeout,
            .between_tokens_timeout = c.between_tokens_timeout,
            .continue_timeout = c.continue_timeout,
            .max_tokens = o.max_tokens};
}

text::chunk_limits limits_of(const config& c) {
    return {c.first_chunk_min_tokens, c.first_chunk_max_tokens, c.chunk_max_tokens, c.chunk_min_chars};
}

const reply_result& unfinished() {
    static const reply_result result{.error = errc::operation_in_progress};
    return result;
}

}  // namespace

reply_shell::reply_shell(std::shared_ptr<client_core> core, std::uint64_t id, std::string prompt,
                         generation_options options)
    : core_(std::move(core)),
      options_(std::move(options)),
      machine_(id, std::move(prompt), rules_of(core_->config(), options_),
               text::make_boundary_detector(core_->config().boundary_rule, core_->config().language),
               limits_of(core_->config())),
      timer_(core_->executor()) {}

const reply_result& reply_shell::result() const noexcept {
    return ended() ? machine_.result() : unfinished();
}

// --- what the consumer says

void reply_shell::start() {
    const auto asked_at = now();
    if (const auto faults = check(options_); !faults.empty())
        return abandon(errc::invalid_config, told("{}", config_error(faults).what()));
    if (machine_.prompt().size() > max_prompt_bytes)
        return abandon(errc::invalid_prompt, told("the prompt has {} bytes; at most {} can be sent",
                                                  machine_.prompt().size(), max_prompt_bytes));
    if (const auto bad = text::find_invalid(machine_.prompt()); bad != std::string_view::npos)
        return abandon(errc::invalid_prompt,
                       told("the prompt is not valid UTF-8 from byte {} on", bad));
    settings_ = wire::completion_settings(options_);
    // The core, which this object keeps alive, keeps what waits for an answer: a strong reference
    // there would keep both, and the connection, after a loop that is not run to its end.
    core_->prepare([weak = weak_from_this(), asked_at](error_code ec, const diagnostics& diag,
                                                       const server_props&) {
        const auto self = weak.lock();
        if (!self) return;
        if (ec) return self->abandon(ec, diag);
        self->server_ready(asked_at);
    });
}

void reply_shell::server_ready(time_point asked_at) {
    machine_.start(asked_at);
    perform_actions();
}

void reply_shell::next_chunk(std::uint64_t wait, next_chunk_completion handler) {
    if (consumer_) return handler.complete(errc::operation_in_progress, std::nullopt);
    consumer_ = std::move(handler);
    consumer_wait_ = wait;
    if (machine_.ended()) return give_end();
    machine_.chunk_wanted(now());
    perform_actions();
}

void reply_shell::cancel_next_chunk(std::uint64_t wait) {
    if (!consumer_ || wait != consumer_wait_) return;
    machine_.chunk_not_wanted();
    consumer_.complete(boost::asio::error::operation_aborted, std::nullopt);
}

void reply_shell::continue_after(chunk_id id) {
    machine_.continued(now(), id);
    perform_actions();
}

void reply_shell::interrupt() {
    machine_.interrupted(now());
    perform_actions();
}

void reply_shell::abandon(error_code ec, const diagnostics& diag) {
    machine_.abandoned(now(), ec, diag);
    perform_actions();
}

void reply_shell::slot_granted(const slots::grant& g) {
    ticket_ = 0;
    if (machine_.phase() != reply_phase::queued) return core_->release_slot(g.slot, false);
    machine_.slot_granted(now(), g.slot, g.reused, g.guard_wait);
    perform_actions();
}

// --- what the server says

void reply_shell::on_status(int http_status) {
    http_status_ = http_status;
}

void reply_shell::on_data(std::string_view bytes) {
    if (http_status_ == 200) return read_events(bytes);
    error_body_.append(bytes.substr(0, max_error_bytes - error_body_.size()));
}

void reply_shell::read_events(std::string_view bytes) {
    const auto self = shared_from_this();
    sse_.feed(bytes);
    wire::sse_event event;
    // A cut in the middle of the buffer drops the rest: the next request generates it again.
    while (exchange_ && sse_.next(event)) {
        events_came_ = true;
        if (event.what == wire::sse_event::kind::message) read_event(event.data);
        perform_actions();
    }
    if (exchange_ && sse_.error())
        fail_request(sse_.error(), told("the server sent an event of over {} bytes",
                                        wire::sse_parser::default_max_bytes));
}

void reply_shell::read_event(std::string_view data) {
    if (wire::is_done_marker(data)) return;
    if (const auto ec = wire::decode(data, event_))
        return fail_request(ec,
                            told("an event of {} bytes in the stream cannot be read", data.size()));
    if (event_.what != wire::token_event::kind::error) return machine_.event_read(now(), event_);
    diagnostics diag;
    const auto ec = wire::stream_error(event_, diag);
    fail_request(ec, diag);
}

void reply_shell::on_end(error_code ec, const diagnostics& diag) {
    const auto self = shared_from_this();
    exchange_.reset();
    // The server's own words tell more than that its answer broke off.
    if (http_status_ != 0 && http_status_ != 200) {
        diagnostics server_told;
        const auto error =
            wire::decode_error(completion_path, http_status_, error_body_, server_told);
        return fail_request(error, server_told);
    }
    if (ec) return fail_request(ec, diag);
    if (!events_came_)
        return fail_request(errc::bad_response, told("{} answered with no event stream; check that "
                                                     "the URL is a llama-server's",
                                                     completion_path));
    fail_request(errc::stream_incomplete,
                 told("the stream ended without its final event; the server may have died: look "
                      "into its log"));
}

void reply_shell::fail_request(error_code ec, const diagnostics& diag) {
    machine_.request_failed(now(), ec, diag);
    perform_actions();
}

// --- what the machine wants

void reply_shell::perform_actions() {
    // Actions may make things happen that bring further actions: the outermost call does them all.
    if (performing_) return;
    const auto self = weak_from_this().lock();
    {
        const scoped_flag performing(performing_);
        for (auto actions = machine_.take_actions(); !actions.empty();
             actions = machine_.take_actions())
            for (auto& a : actions)
                std::visit([this](auto& value) { perform(std::move(value)); }, a);
    }
    arm_timer();
}

void reply_shell::perform(action::tokenize_prompt) {
    const auto done = [weak = weak_from_this()](error_code, const diagnostics&,
                                                std::vector<wire::token_id> ids) {
        const auto self = weak.lock();
        if (!self) return;
        self->machine_.prompt_tokenized(now(), std::move(ids));
        self->perform_actions();
    };
    core_->calls().tokenize(std::string(machine_.prompt()), done);
}

void reply_shell::perform(action::recover_tokens a) {
    const auto done = [weak = weak_from_this()](error_code, const diagnostics&,
                                                const std::vector<wire::token_id>& ids) {
        const auto self = weak.lock();
        if (!self) return;
        self->machine_.tokens_recovered(now(), ids);
        self->perform_actions();
    };
    core_->calls().tokenize_pieces(a.texts, continuation::separator, done);
}

void reply_shell::perform(action::want_slot) {
    ticket_ = core_->want_slot(shared_from_this());
    core_->give_slots();
}

void reply_shell::perform(action::forget_slot) {
    core_->forget_slot(std::exchange(ticket_, 0));
}

void reply_shell::perform(action::send_request a) {
    const auto prompt = machine_.next_prompt();
    sse_ = wire::sse_parser();
    events_came_ = false;
    http_status_ = 0;
    error_body_.clear();
    core_->log(log_level::debug, "reply {}: request to slot {}, prompt as {}", id(), a.slot,
               prompt.as_ids ? "ids" : "text");
    const std::array parts{prompt.as_ids ? wire::prompt_part(prompt.ids)
                                         : wire::prompt_part(prompt.text)};
    exchange_ = core_->transport().start({.path = completion_path,
                                          .body = wire::completion_body({.prompt = parts,
                                                                         .id_slot = a.slot,
                                                                         .n_predict = a.n_predict,
                                                                         .settings = settings_})},
                                         *this);
}

void reply_shell::perform(action::close_connection) {
    exchange_.reset();
}

void reply_shell::perform(action::release_slot a) {
    core_->release_slot(a.slot, a.was_cut);
}

void reply_shell::perform(action::hand_over a) {
    consumer_.complete({}, std::move(a.value));
}

void reply_shell::perform(action::finish) {
    ended_.store(true, std::memory_order_release);
    timer_.cancel();
    const auto& r = machine_.result();
    core_->log(log_level::info, "reply {}: {}: {}", id(), to_string(r.finish_reason),
               r.metrics.to_string());
    if (r.error)
        core_->log(log_level::error, "reply {}: {}: {}", id(), error_name(r.error),
                   r.diagnostics.to_string());
    if (consumer_) give_end();
}

void reply_shell::give_end() {
    consumer_.complete(machine_.result().error, std::nullopt);
}

void reply_shell::arm_timer() {
    const auto due = machine_.deadline();
    // A timer that is due earlier than needed looks again; so tokens do not re-arm it.
    if (!due || (timer_due_ && *timer_due_ <= *due)) return;
    timer_due_ = due;
    timer_.expires_at(*due);
    timer_.async_wait([weak = weak_from_this()](error_code ec) {
        const auto self = weak.lock();
        if (!self || ec) return;
        self->timer_due_.reset();
        self->machine_.deadline_reached(now());
        self->perform_actions();
    });
}

}  // namespace tandem::detail
