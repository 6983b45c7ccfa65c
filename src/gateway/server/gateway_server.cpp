#include "gateway/server/gateway_server.hpp"

#include "gateway/answers/model_choice.hpp"
#include "gateway/server/connection.hpp"
#include "gateway/sessions/gateway_core.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <utility>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using tls_context = std::shared_ptr<asio::ssl::context>;

tcp::endpoint endpoint_of(const gateway_options& o) {
    const auto address = o.address == "localhost" ? "127.0.0.1" : o.address;
    return {asio::ip::make_address(address), o.port};
}

}  // namespace

/// Accepts connections, and detects when all connections have ended.
class gateway_listener : public std::enable_shared_from_this<gateway_listener> {
 public:
    gateway_listener(const asio::any_io_executor& loop, gateway_options options, tls_context tls)
        : acceptor_(loop, endpoint_of(options)),
          stop_limit_(loop),
          drain_timer_(loop),
          pause_(loop),
          core_(std::make_shared<gateway_core>(loop, std::move(options))) {
        core_->tls = std::move(tls);
        warn_of(core_->options.keys);
    }

    void accept() {
        acceptor_.async_accept(
            [self = shared_from_this()](boost::system::error_code ec, tcp::socket socket) {
                if (!self->acceptor_.is_open()) return;
                if (ec) return self->accept_later();
                self->take(std::move(socket));
                self->accept();
            });
    }

    void stop(duration limit, std::function<void()> stopped) {
        stopped_ = std::move(stopped);
        core_->is_stopping = true;
        core_->deployer->close();
        core_->voices.drain();
        for_all(&connection::close_when_idle);
        stop_limit_.expires_after(limit);
        stop_limit_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            // `stopped_` is empty if the last connection ended while this handler was queued.
            if (!ec && self->stopped_) self->stop_requests();
        });
        poll_connections();
    }

    void close() {
        stopped_ = nullptr;
        core_->is_stopping = true;
        close_acceptor();
        core_->deployer->close();
        stop_limit_.cancel();
        drain_timer_.cancel();
        pause_.cancel();
        close_all();
        core_->cluster.reset();
        core_->traces.reset();  // its last log lines need the loop
    }

    void warn_of(const api_keys& keys) const {
        const auto& log = core_->options.instruments.log;
        if (!log.enabled(log_level::warning)) return;
        for (const auto& line : make_unserved_model_warnings(keys, core_->models.names()))
            log.write(log_level::warning, line);
    }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    gateway_core& core() const noexcept { return *core_; }

 private:
    void take(tcp::socket socket) try {
        // Above the limit, closes the connection without a response.
        if (core_->connections.size() >= core_->options.max_connections) return;
        std::make_shared<connection>(std::move(socket), core_)->start();
    } catch (...) {
        log_current_exception(core_->options, "closing a connection that could not be started");
    }

    // Accepts again after a pause, because accepting has failed, for example for lack of file
    // descriptors.
    void accept_later() {
        constexpr auto pause = std::chrono::milliseconds(50);
        pause_.expires_after(pause);
        pause_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            if (!ec) self->accept();
        });
    }

    // WebSocket clients first receive the end of their reply, then the reason for closing.
    void stop_requests() {
        constexpr auto close_limit = std::chrono::seconds(10);
        core_->voices.stop();
        for_all(&connection::abort_requests);
        stop_limit_.expires_after(close_limit);
        stop_limit_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            if (!ec) self->close_all();
        });
    }

    void close_all() {
        core_->voices.end_all_sessions();
        for_all(&connection::close);
    }

    void poll_connections() {
        constexpr auto pause = std::chrono::milliseconds(5);
        if (std::ranges::none_of(core_->connections, &connection::delays_stop) &&
            core_->known_sessions.size() == 0) {
            core_->traces.reset();  // this posts its last log lines
            return leave_cluster();
        }
        drain_timer_.expires_after(pause);
        drain_timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            if (!ec) self->poll_connections();
        });
    }

    void leave_cluster() {
        constexpr auto limit = std::chrono::seconds(1);
        const auto done = [self = shared_from_this()] {
            asio::post(self->acceptor_.get_executor(), [self] { self->on_stopped(); });
        };
        if (core_->cluster)
            core_->cluster->leave(limit, done);
        else
            done();
    }

    void on_stopped() {
        close_acceptor();
        close_all();
        core_->cluster.reset();
        stop_limit_.cancel();
        pause_.cancel();
        if (const auto handler = std::exchange(stopped_, nullptr)) handler();
    }

    void close_acceptor() {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
    }

    // A closed connection is destroyed only in a later handler, so the iterators stay valid.
    void for_all(void (connection::*what)()) {
        for (auto* c : core_->connections) (c->*what)();
    }

    tcp::acceptor acceptor_;
    asio::steady_timer stop_limit_;
    asio::steady_timer drain_timer_;
    asio::steady_timer pause_;
    std::shared_ptr<gateway_core> core_;
    std::function<void()> stopped_;
};

gateway_server::gateway_server(asio::io_context& loop, gateway_options options) {
    auto faults = check(options);
    auto tls = options.tls ? make_tls_context(*options.tls, faults) : nullptr;
    if (!faults.empty()) throw config_error(std::move(faults));
    options.tls.reset();  // the TLS context has the key; keeps no other copy
    listener_ =
        std::make_shared<gateway_listener>(loop.get_executor(), std::move(options), std::move(tls));
    listener_->accept();
}

gateway_server::~gateway_server() {
    listener_->close();
}

std::uint16_t gateway_server::port() const {
    return listener_->port();
}

void gateway_server::replace_keys(api_keys keys) {
    listener_->warn_of(keys);
    listener_->core().gate.replace_keys(std::move(keys));
}

std::vector<config_fault> gateway_server::replace_tls(const tls_credentials& credentials) {
    std::vector<config_fault> faults;
    auto tls = make_tls_context(credentials, faults);
    if (auto& core = listener_->core(); tls && core.tls) core.tls = std::move(tls);
    return faults;
}

std::vector<config_fault> gateway_server::replace_servers(const model_servers& servers) try {
    auto& core = listener_->core();
    for (auto& model : core.models.all())
        if (model.name == servers.name) model.bots.reload(servers.servers);
    core.share_servers(servers);
    core.metrics.add_servers(servers.name, servers.servers);
    core.deployer->replace_servers(servers);
    return {};
} catch (const config_error& e) {
    return e.faults();
}

void gateway_server::stop(duration limit, std::function<void()> stopped) {
    listener_->stop(limit, std::move(stopped));
}

}  // namespace tandem::gateway
