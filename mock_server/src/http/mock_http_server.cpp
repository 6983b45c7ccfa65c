#include "http/mock_http_server.hpp"

#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace tandem::mock {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t max_connections = 4096;
// Later steps make up for a delay of at most this length.
constexpr auto max_catch_up = std::chrono::milliseconds(20);

time_point now() {
    return std::chrono::steady_clock::now();
}

outcome outcome_of(int status) {
    return status < 400 ? outcome::complete : outcome::failed;
}

stream_maker streams_for(const options& o) {
    if (o.ssl_cert_file.empty()) return make_tcp_stream;
    return make_ssl_streams(o.ssl_cert_file, o.ssl_key_file);
}

bool is_last(output_kind kind) {
    return kind != output_kind::begin && kind != output_kind::event && kind != output_kind::ping;
}

}  // namespace

mock_http_server::mock_http_server(asio::io_context& io, const options& o, journal& j,
                                   fault_plan& f)
    : io_(io),
      options_(o),
      journal_(j),
      make_stream_(streams_for(o)),
      acceptor_(io),
      step_timer_(io),
      poll_timer_(io),
      engine_(o, j),
      router_(o, engine_, j, f) {
    listen();
}

mock_http_server::~mock_http_server() = default;

// Adds the address, which the system's message does not contain.
void mock_http_server::listen() try { bind(); } catch (const boost::system::system_error& e) {
    throw boost::system::system_error(
        e.code(), fmt::format("cannot listen on {} port {}", options_.host, options_.port));
}

void mock_http_server::bind() {
    const tcp::endpoint endpoint(asio::ip::make_address(options_.host), options_.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
}

void mock_http_server::start() {
    accept();
}

void mock_http_server::accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
        if (stopped_ || error == asio::error::operation_aborted) return;
        if (!error && sessions_.size() < max_connections) add_session(std::move(socket));
        accept();
    });
}

void mock_http_server::add_session(tcp::socket socket) {
    const std::uint64_t number = ++last_connection_;
    journal_.record_opened_connection();
    auto s = std::make_shared<session>(static_cast<session_host&>(*this),
                                       make_stream_(std::move(socket)), io_.get_executor(), number,
                                       options_.keep_alive_timeout);
    sessions_.emplace(number, s);
    s->start();
}

void mock_http_server::stop() {
    if (stopped_) return;
    stopped_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    step_timer_.cancel();
    poll_timer_.cancel();
    const auto all = sessions_;
    for (const auto& [number, s] : all) s->close();
}

void mock_http_server::on_request(session& from, const http_request& request) {
    routing_result to = router_.route(request, from.number(), now());
    if (to.crash) return crash("killed by a fault");
    from.begin_response(to.number, request.keep_alive, std::move(to.fault));
    if (const auto* reply = std::get_if<http_reply>(&to.answer)) {
        return answer(from, to.number, *reply);
    }
    waiting_for_[to.number] = from.weak_from_this();
    engine_.submit(std::move(std::get<std::unique_ptr<task>>(to.answer)), now());
    drive_engine();
}

void mock_http_server::answer(session& to, std::uint64_t number, const http_reply& reply) {
    to.reply(reply);
    journal_.change_request(number, [&reply](request_record& r) { r.status = reply.status; });
    journal_.end_request(number, outcome_of(reply.status), now());
}

void mock_http_server::on_client_gone(std::uint64_t number) {
    engine_.on_client_gone(number, now());
    if (!stopped_) wait_for_poll();
}

void mock_http_server::on_faulted(std::uint64_t number) {
    journal_.end_request(number, outcome::faulted, now());
    on_client_gone(number);
}

void mock_http_server::on_closed(session& which) {
    if (sessions_.erase(which.number()) > 0) journal_.record_closed_connection();
}

void mock_http_server::drive_engine() {
    if (!stepping_ && !stopped_) {
        if (const auto cost = engine_.begin_step(now())) schedule_end_of_step(*cost);
    }
    deliver_outputs();
    if (!stopped_) wait_for_poll();
}

// Schedules steps back to back, so that the speed is correct even if timers are late.
void mock_http_server::schedule_end_of_step(nanoseconds cost) {
    stepping_ = true;
    if (cost.count() == 0) {
        asio::post(io_, [this] { end_step(); });
        return;
    }
    step_due_ = std::max(step_due_, now() - max_catch_up) + cost;
    step_timer_.expires_at(step_due_);
    step_timer_.async_wait([this](error_code error) {
        if (!error) end_step();
    });
}

void mock_http_server::end_step() {
    stepping_ = false;
    if (stopped_) return;
    engine_.end_step(now());
    drive_engine();
}

void mock_http_server::wait_for_poll() {
    const auto due = engine_.next_poll();
    if (!due) return;
    poll_timer_.expires_at(*due);
    poll_timer_.async_wait([this](error_code error) {
        if (error || stopped_) return;
        engine_.poll(now());
        drive_engine();
    });
}

void mock_http_server::deliver_outputs() {
    for (const engine_output& out : engine_.take_outputs()) {
        if (stopped_) return;
        deliver(out);
    }
}

void mock_http_server::deliver(const engine_output& out) {
    if (out.kind == output_kind::crash) return crash(out.payload);
    const auto found = waiting_for_.find(out.task);
    if (found == waiting_for_.end()) return;
    const std::shared_ptr<session> to = found->second.lock();
    if (is_last(out.kind)) waiting_for_.erase(found);
    const bool has_status = out.kind == output_kind::begin || out.kind == output_kind::reply ||
                            out.kind == output_kind::refusal;
    if (has_status) {
        journal_.change_request(out.task, [&out](request_record& r) { r.status = out.status; });
    }
    if (to) to->deliver(out);
}

void mock_http_server::crash(const std::string& message) {
    const auto all = sessions_;
    for (const auto& [number, s] : all) s->reset();
    stop();
    journal_.record_crash();
    if (options_.on_crash) options_.on_crash(message);
}

}  // namespace tandem::mock
