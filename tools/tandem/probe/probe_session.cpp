#include "probe/probe_session.hpp"

#include "transport/curl_transport.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace tandem::command {

probe_session::probe_session(boost::asio::io_context& ioc, const config& c)
    : ioc_(ioc),
      transport_(transport::make_curl_transport(ioc.get_executor(), transport::curl_options_of(c))),
      marks_loader_(c.speech.reasoning_tags),
      calls_(ioc.get_executor(), *transport_, c.limits.request_timeout),
      limits_{c.limits.first_token_timeout, c.limits.between_tokens_timeout},
      tags_(c.speech.reasoning_tags),
      timer_(ioc) {}

// Calls `start` with a completion function, which `start` may call immediately.
template <class Result, class Start>
awaitable<Result> probe_session::result_of(Start start) {
    auto initiate = [this](auto handler, Start begin) {
        const auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
        begin([this, waiting](Result result) {
            boost::asio::post(ioc_, [waiting, result = std::move(result)]() mutable {
                std::move (*waiting)(std::move(result));
            });
        });
    };
    co_return co_await boost::asio::async_initiate<decltype(use_awaitable), void(Result)>(
        std::move(initiate), use_awaitable, std::move(start));
}

template <class T, class Call>
awaitable<probe_result<T>> probe_session::run_call(Call call) {
    if (stopped_) co_return probe_result<T>{};
    auto result = co_await result_of<probe_result<T>>([call](auto done) {
        call([done](error_code ec, const diagnostics& diag, T value) {
            done({true, {ec, diag}, std::move(value)});
        });
    });
    if (stopped_) result.done = false;
    co_return result;
}

awaitable<probe_result<>> probe_session::health() {
    return run_call<std::monostate>([this](auto done) {
        calls_.health([done](error_code ec, const diagnostics& diag) { done(ec, diag, {}); });
    });
}

awaitable<probe_result<server_props>> probe_session::props() {
    return run_call<server_props>([this](auto done) { calls_.props(done); });
}

awaitable<probe_result<std::vector<slot_state>>> probe_session::slots() {
    return run_call<std::vector<slot_state>>([this](auto done) { calls_.slots(done); });
}

awaitable<probe_result<>> probe_session::chat_template() {
    return run_call<std::monostate>([this](auto done) {
        const auto rendered = [done](error_code ec, const diagnostics& diag, const std::string&) {
            done(ec, diag, {});
        };
        calls_.apply_template({{"user", "Hello."}, {"assistant", "Hi."}, {"user", "Well?"}}, {},
                              rendered);
    });
}

awaitable<probe_result<std::string>> probe_session::call_mark(const server_props& props) {
    marks_loader_.use_template(props);
    return run_call<std::string>([this](auto done) {
        marks_loader_.load(
            calls_, [done](error_code ec, const diagnostics& diag,
                           const server::template_marks& marks) { done(ec, diag, marks.opening); });
    });
}

awaitable<probe_result<server::template_thinking>> probe_session::thinking(
    std::string_view chat_template) {
    probe_result<server::template_thinking> result;
    std::vector<std::string> prompts;
    for (const auto options : server::thinking_probes) {
        auto prompt = co_await run_call<std::string>([this, options](auto done) {
            calls_.apply_template({{"user", "Hello."}}, {.template_options = std::string(options)},
                                  done);
        });
        if (!prompt.done) co_return result;
        // An HTTP error means that the template rejects the options, which is a result, not a
        // fault.
        if (prompt.failed() && prompt.fault.diag.http_status == 0) result.fault = prompt.fault;
        prompts.push_back(std::move(prompt.value));
    }
    result.done = true;
    result.value = server::detect_thinking_support({prompts[0], prompts[1], prompts[2], prompts[3]},
                                                   chat_template, tags_);
    co_return result;
}

awaitable<probe_result<std::vector<wire::token_id>>> probe_session::tokenize(
    std::string_view text) {
    return run_call<std::vector<wire::token_id>>(
        [this, text](auto done) { calls_.tokenize(text, done); });
}

awaitable<probe_answer> probe_session::complete(probe_request_options options) {
    if (stopped_) co_return probe_answer{.fault = {boost::asio::error::operation_aborted, {}}};
    request_ = std::make_shared<probe_request>(ioc_.get_executor(), *transport_, limits_);
    co_return co_await result_of<probe_answer>(
        [this, options](auto done) { request_->start(options, done); });
}

awaitable<void> probe_session::pause(duration time) {
    if (stopped_) co_return;
    timer_.expires_after(time);
    co_await wait_for_timer(timer_);
}

void probe_session::stop() {
    stopped_ = true;
    calls_.cancel(boost::asio::error::operation_aborted);
    if (request_) request_->cancel(boost::asio::error::operation_aborted);
    timer_.cancel();
}

}  // namespace tandem::command
