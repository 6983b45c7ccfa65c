#include "serve_command.hpp"

#include "audit_file.hpp"
#include "client_keys.hpp"
#include "display_text.hpp"
#include "gateway/gateway_server.hpp"
#include "json_object.hpp"
#include "listen_address.hpp"
#include "model_name.hpp"
#include "shown_url.hpp"
#include "stop_signals.hpp"
#include "terminal.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <clocale>
#include <csignal>
#include <exception>
#include <optional>
#include <sys/resource.h>

namespace tandem::command {
namespace {

namespace asio = boost::asio;

enum status { stopped = 0, failed = 1, wrong_use = 2 };

// A connection takes one, and so does its reply.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string counted(std::size_t n, std::string_view what) {
    return n == 0 ? fmt::format("no {}s", what)
                  : fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// A gateway from its start to its end.
class serving {
 public:
    serving(const serve_options& options, terminal& t)
        : options_(options),
          terminal_(t),
          log_(log_to_terminal(t, options.log_level, options.log_format)),
          audit_(options.audit,
                 [this](const std::string& fault) { tell(log_level::error, fault); }),
          signals_(loop_, [this] { stop(); }),
          hangups_(loop_, SIGHUP) {
        t.on_failure([this] { tell(log_level::error, terminal_.failure()); });
    }

    int run() {
        if (has_audit_file())
            if (const auto fault = audit_.open(); !fault.empty()) {
                refuse("--audit " + fault);
                return wrong_use;
            }
        wait_for_hangup();
        asio::co_spawn(loop_, start(), [](std::exception_ptr e) {
            if (e) std::rethrow_exception(e);
        });
        loop_.run();
        return status_;
    }

 private:
    asio::awaitable<void> start() {
        auto settings = gateway_settings();
        if (settings.model.empty()) {
            const auto told = co_await ask_model(loop_.get_executor(), settings.service);
            settings.model = told.name.empty() ? "default" : told.name;
            tell_model(told);
        }
        listen(std::move(settings));
    }

    gateway::gateway_options gateway_settings() {
        auto settings = options_.gateway;
        settings.service.server.logger = log_;
        if (has_audit_file())
            settings.audit = [this](std::string_view line) { audit_.write(line); };
        else if (!options_.audit.empty())
            settings.audit = [this](std::string_view line) {
                terminal_.print(std::string(line) + '\n');
            };
        return settings;
    }
    bool has_audit_file() const { return !options_.audit.empty() && options_.audit != "-"; }

    void tell_model(const told_model& told) {
        if (told.name.empty())
            tell(log_level::warning,
                 "no server has told what its model is called; clients know it as default");
        else
            tell(log_level::info,
                 fmt::format("the model is called {}, as {} tells", shown(told.name), told.url));
    }

    void listen(gateway::gateway_options settings) {
        listen_address at{settings.address, settings.port};
        const auto model = settings.model;
        try {
            gateway_.emplace(loop_, std::move(settings));
            at.port = gateway_->port();
        } catch (const boost::system::system_error& e) {
            refuse(
                fmt::format("cannot listen on {}:{}: {}", at.address, at.port, e.code().message()));
            return end(failed);
        }
        announce(http_url(at), model);
        if (missed_hangup_) read_keys_again();
    }

    void announce(const std::string& url, const std::string& model) {
        const auto servers = server_urls(options_.gateway.service).size();
        const auto keys = options_.gateway.keys.all().size();
        if (options_.log_format == log_format::json)
            return terminal_.print(json_object{}
                                       .field("event", "listening")
                                       .field("url", url)
                                       .field("model", model)
                                       .field("servers", servers)
                                       .field("keys", keys)
                                       .line());
        terminal_.print(fmt::format("listening on {}, model {}, {}, {}\n", url, shown(model),
                                    counted(servers, "server"), counted(keys, "key")));
    }

    void wait_for_hangup() {
        hangups_.async_wait([this](const boost::system::error_code& ec, int) {
            if (ec) return;
            open_audit_anew();
            read_keys_again();
            wait_for_hangup();
        });
    }

    void open_audit_anew() {
        if (!has_audit_file()) return;
        if (const auto fault = audit_.open(); !fault.empty())
            tell(log_level::error, fault + "; lines go on into the file that was open");
    }

    void read_keys_again() {
        missed_hangup_ = !gateway_;
        if (options_.key_file.empty() || missed_hangup_) return;
        gateway::api_keys keys;
        const auto faults = read_key_file(options_.key_file, keys);
        for (const auto& fault : faults) tell(log_level::error, fault);
        if (!faults.empty()) return tell(log_level::error, "the keys stay as they were");
        const auto count = counted(keys.all().size(), "key");
        gateway_->replace_keys(std::move(keys));
        tell(log_level::info, fmt::format("{}: {} from now on", options_.key_file, count));
    }

    void stop() {
        if (!gateway_) return end(stopped);
        tell(log_level::info,
             fmt::format("stopping: replies that run have {} to end", to_string(options_.drain)));
        gateway_->stop(options_.drain, [this] { end(stopped); });
    }

    void end(int status) {
        status_ = status;
        loop_.stop();
    }

    void refuse(const std::string& why) { terminal_.print_error("tandem serve: " + why); }
    void tell(log_level level, const std::string& text) {
        if (log_.enabled(level)) log_.write(level, text);
    }
    static std::string shown(const std::string& model) {
        return shortened(model, static_cast<int>(max_model_name_bytes));
    }

    const serve_options& options_;
    terminal& terminal_;
    logger log_;
    audit_file audit_;
    asio::io_context loop_{1};
    stop_signals signals_;
    asio::signal_set hangups_;
    std::optional<gateway::gateway_server> gateway_;
    /// Came while a server was asked for its model.
    bool missed_hangup_ = false;
    int status_ = stopped;
};

}  // namespace

int run_serve(const serve_options& options) {
    std::setlocale(LC_CTYPE, "C.UTF-8");  // for the width of characters
    raise_descriptor_limit();
    terminal t;
    return serving(options, t).run();
}

}  // namespace tandem::command
