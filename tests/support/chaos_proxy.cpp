#include "support/chaos_proxy.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <cmath>
#include <future>
#include <random>

namespace tandem::testing {

namespace asio = boost::asio;
using asio::redirect_error;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;

struct chaos_proxy::link {
    link(tcp::socket c, const chaos_plan& plan, std::uint64_t number)
        : client(std::move(c)),
          server(client.get_executor()),
          random(plan.seed * 1'000'003 + number),
          max_delay(plan.max_delay) {
        std::discrete_distribution<int> kind(plan.weights.begin(), plan.weights.end());
        what = static_cast<connection_fault>(kind(random));
        to_client = std::bernoulli_distribution(0.75)(random);
        const auto most = std::log(static_cast<double>(plan.within) + 1);
        behind = static_cast<std::size_t>(
            std::exp(std::uniform_real_distribution<double>(0, most)(random)));
    }

    void end(bool with_reset) {
        error_code ignored;
        for (auto* s : {&client, &server}) {
            if (with_reset && s->is_open())
                s->set_option(asio::socket_base::linger(true, 0), ignored);
            s->close(ignored);
        }
    }
    std::chrono::microseconds some_delay() {
        const auto most = std::chrono::duration_cast<std::chrono::microseconds>(max_delay);
        return std::chrono::microseconds(
            std::uniform_int_distribution<std::int64_t>(0, most.count())(random));
    }

    tcp::socket client;
    tcp::socket server;
    std::mt19937_64 random;
    std::chrono::milliseconds max_delay;
    connection_fault what = connection_fault::none;
    bool to_client = true;   // whether the fault hits the data to the client
    std::size_t behind = 0;  // bytes in this direction before the fault
    bool is_stalled = false;
};

struct chaos_proxy::direction {
    tcp::socket link::*from;
    tcp::socket link::*to;
    bool to_client;
};

chaos_proxy::chaos_proxy(std::uint16_t upstream, chaos_plan plan)
    : plan_(plan), upstream_(upstream) {
    listen();
    thread_ = std::thread([this] {
        const auto busy = asio::make_work_guard(context_);
        context_.run();
    });
}

chaos_proxy::~chaos_proxy() {
    context_.stop();
    thread_.join();
}

void chaos_proxy::run_inside(const std::function<void()>& task) {
    std::packaged_task<void()> job(task);
    asio::post(context_, [&job] { job(); });
    job.get_future().get();
}

void chaos_proxy::set_plan(chaos_plan plan) {
    run_inside([&] { plan_ = plan; });
}

void chaos_proxy::close_port() {
    run_inside([this] {
        acceptor_.reset();
        reset_all();
    });
}

void chaos_proxy::open_port() {
    run_inside([this] {
        if (!acceptor_) listen();
    });
}

void chaos_proxy::listen() {
    acceptor_.emplace(context_, tcp::endpoint(asio::ip::address_v4::loopback(), port_));
    port_ = acceptor_->local_endpoint().port();
    asio::co_spawn(context_, accept_all(), asio::detached);
}

void chaos_proxy::reset_all() {
    for (const auto& weak : links_)
        if (const auto l = weak.lock()) l->end(true);
    links_.clear();
}

asio::awaitable<void> chaos_proxy::accept_all() {
    // Checks acceptor_ each time, because close_port() may reset it while a connection is being
    // accepted.
    while (acceptor_) {
        error_code ec;
        auto socket = co_await acceptor_->async_accept(redirect_error(use_awaitable, ec));
        if (ec == asio::error::operation_aborted || !acceptor_) co_return;
        // The error concerns one connection only. The next connection may succeed.
        if (ec) continue;
        asio::co_spawn(context_, serve(new_link(std::move(socket))), asio::detached);
    }
}

chaos_proxy::link_ptr chaos_proxy::new_link(tcp::socket client) {
    client.set_option(tcp::no_delay(true));
    std::erase_if(links_, [](const auto& w) { return w.expired(); });
    auto l =
        std::shared_ptr<link>(new link(std::move(client), plan_, accepted_++), [this](link* p) {
            --running_;
            delete p;
        });
    ++running_;
    links_.push_back(l);
    return l;
}

asio::awaitable<void> chaos_proxy::serve(link_ptr l) {
    if (l->what == connection_fault::none || l->what == connection_fault::drop ||
        l->what == connection_fault::delay)
        ++counts_[static_cast<std::size_t>(l->what)];
    if (l->what == connection_fault::drop) co_return;
    error_code ec;
    const tcp::endpoint there(asio::ip::address_v4::loopback(), upstream_);
    co_await l->server.async_connect(there, redirect_error(use_awaitable, ec));
    // If nothing listens upstream, the client sees a reset, as if the server had just died.
    if (ec) co_return l->end(true);
    l->server.set_option(tcp::no_delay(true), ec);
    asio::co_spawn(context_, pump(l, {&link::client, &link::server, false}), asio::detached);
    asio::co_spawn(context_, pump(l, {&link::server, &link::client, true}), asio::detached);
}

asio::awaitable<void> chaos_proxy::pump(link_ptr l, direction way) {
    std::array<char, 16 * 1024> buffer;
    for (;;) {
        error_code ec;
        const auto n =
            co_await ((*l).*way.from)
                .async_read_some(asio::buffer(buffer), redirect_error(use_awaitable, ec));
        // A stalled connection stays open to the client, even if the server closes it.
        if (ec && l->is_stalled && way.to_client) co_return;
        if (ec) co_return l->end(ec != asio::error::eof);
        if (l->is_stalled) continue;
        if (!co_await pass(*l, way, std::string(buffer.data(), n))) co_return;
    }
}

// Returns false if the connection has ended.
asio::awaitable<bool> chaos_proxy::pass(link& l, const direction& way, std::string piece) {
    error_code ec;
    if (l.what == connection_fault::delay) {
        asio::steady_timer timer(context_, l.some_delay());
        co_await timer.async_wait(redirect_error(use_awaitable, ec));
    }
    const bool may_be_hit = l.what >= connection_fault::stall && l.to_client == way.to_client;
    std::string rest;
    const bool is_hit = may_be_hit && piece.size() > l.behind;
    if (is_hit)
        rest = piece.substr(l.behind), piece.resize(l.behind);
    else if (may_be_hit)
        l.behind -= piece.size();
    co_await asio::async_write(l.*way.to, asio::buffer(piece), redirect_error(use_awaitable, ec));
    if (!ec && is_hit) {
        if (!strike(l, rest)) co_return false;
        co_await asio::async_write(l.*way.to, asio::buffer(rest),
                                   redirect_error(use_awaitable, ec));
    }
    if (ec) l.end(true);
    co_return !ec;
}

// Applies the fault. The caller passes on the bytes that remain in `rest`. Returns false if the
// connection has ended.
bool chaos_proxy::strike(link& l, std::string& rest) {
    const auto what = std::exchange(l.what, connection_fault::none);
    ++counts_[static_cast<std::size_t>(what)];
    if (what == connection_fault::corrupt) {
        rest[0] = static_cast<char>(rest[0] ^ 0x15);
        return true;
    }
    rest.clear();
    l.is_stalled = what == connection_fault::stall;
    if (!l.is_stalled) l.end(what == connection_fault::reset);
    return l.is_stalled;
}

}  // namespace tandem::testing
