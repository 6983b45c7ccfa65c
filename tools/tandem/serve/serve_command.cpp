#include "serve/serve_command.hpp"

#include "base/format_count.hpp"
#include "discovery/name_resolver.hpp"
#include "discovery/server_discovery.hpp"
#include "gateway/access/model_name.hpp"
#include "gateway/adapters/adapter_store.hpp"
#include "gateway/server/gateway_server.hpp"
#include "os/coroutines.hpp"
#include "os/exit_status.hpp"
#include "os/stop_signals.hpp"
#include "recording/recording_file.hpp"
#include "serve/audit_file.hpp"
#include "serve/client_keys.hpp"
#include "serve/fetch_model_names.hpp"
#include "serve/listen_address.hpp"
#include "serve/model_grouping.hpp"
#include "terminal/terminal.hpp"
#include "text/json_object.hpp"
#include "text/terminal_text.hpp"
#include "text/url_text.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

namespace tandem::command {
namespace {

namespace asio = boost::asio;

std::string counted_or_none(std::size_t n, std::string_view what) {
    return n == 0 ? fmt::format("no {}s", what) : format_count(static_cast<std::int64_t>(n), what);
}

// A gateway from start to stop.
class serving {
 public:
    serving(serve_options options, terminal& t)
        : options_(std::move(options)),
          terminal_(t),
          log_(log_to_terminal(t, options_.log_level, options_.log_format)),
          audit_(options_.audit,
                 [this](const std::string& fault) { log(log_level::error, fault); }),
          signals_(ioc_, [this] { stop(); }),
          hangups_(ioc_, SIGHUP) {
        t.on_failure([this] { log(log_level::error, terminal_.failure()); });
    }

    int run() {
        if (const auto fault = fault_of_files(); !fault.empty()) {
            refuse(fault);
            return wrong_use;
        }
        wait_for_hangup();
        start_coroutine(ioc_.get_executor(), start(), [] {});
        ioc_.run();
        gateway_.reset();
        const auto lost = recorded_->fault();
        if (!lost.empty()) log(log_level::error, lost);
        return lost.empty() || status_ != all_good ? status_ : not_all_good;
    }

 private:
    // Opens the output files.
    std::string fault_of_files() {
        if (const auto fault = has_audit_file() ? audit_.open() : ""; !fault.empty())
            return "--audit " + fault;
        const auto& settings = options_.gateway.service.client;
        recorded_.emplace(options_.record,
                          recorded_run{collect_changed_settings(settings, options_.record.prompts)},
                          options_.gateway.instruments);
        return recorded_->fault();
    }

    awaitable<void> start() {
        auto servers = options_.servers;
        co_await fetch_model_names(ioc_.get_executor(), options_.gateway.service.client,
                                   gateway_settings().instruments, servers);
        log_models(servers);
        copy_model_names_within_files(servers);
        auto settings = gateway_settings();
        settings.models = take_models(servers);
        auto sources = make_sources(servers, settings.models);
        listen(std::move(settings));
        if (gateway_) watch(std::move(sources));
    }

    gateway::gateway_options gateway_settings() {
        auto settings = options_.gateway;
        settings.instruments.log = log_;
        if (has_audit_file())
            settings.audit = [this](std::string_view line) { audit_.write(line); };
        else if (!options_.audit.empty())
            settings.audit = [this](std::string_view line) {
                terminal_.print(std::string(line) + '\n');
            };
        return settings;
    }
    bool has_audit_file() const { return !options_.audit.empty() && options_.audit != "-"; }

    /// Logs the models that servers reported.
    void log_models(const std::vector<named_server>& servers) {
        for (std::size_t i = 0; i < servers.size(); ++i)
            if (options_.servers[i].model.empty()) log_model(servers[i]);
        if (std::ranges::all_of(servers, &std::string::empty, &named_server::model))
            log(log_level::warning,
                "no server reported a model name; clients use the name default");
    }

    void log_model(const named_server& server) {
        if (server.model.empty())
            log(log_level::warning,
                fmt::format("{} did not report its model name: {}", redact_url(server.url),
                            shown(server.no_answer_reason)));
        else
            log(log_level::info, fmt::format("the model name is {}, reported by {}",
                                             shown(server.model), redact_url(server.url)));
    }

    std::vector<gateway::model_servers> take_models(const std::vector<named_server>& servers) {
        auto grouping = group_by_model(servers);
        for (const auto& url : grouping.left_out)
            log(log_level::error, fmt::format("{0} did not report its model, and is not used; "
                                              "start it first, or give it as NAME={0}",
                                              redact_url(url)));
        return std::move(grouping.models);
    }

    void listen(gateway::gateway_options settings) {
        listen_address at{settings.address, settings.port};
        const auto models = settings.models;
        try {
            gateway_.emplace(ioc_, std::move(settings));
            at.port = gateway_->port();
        } catch (const config_error& e) {
            // serve_flags could not find these faults: they depend on the models that the servers
            // report.
            for (const auto& f : e.faults()) refuse(fmt::format("{} {}", f.field, f.message));
            return end(wrong_use);
        } catch (const gateway::adapter_store_error& e) {
            refuse(fmt::format("--state {}", e.what()));
            return end(wrong_use);
        } catch (const boost::system::system_error& e) {
            refuse(fmt::format("cannot listen on {}:{}: {}; choose another --listen", at.address,
                               at.port, e.code().message()));
            return end(not_all_good);
        }
        // Ignores a failure: recording_file::fault() reports it when the gateway ends, like a
        // failed write.
        recorded_->begin();
        announce(http_url(at, !options_.tls.is_empty()), models);
        warn_of_key_mode();
        if (std::exchange(missed_hangup_, false)) read_files_again();
    }

    void watch(std::vector<server_source> sources) {
        discovery_.emplace(
            ioc_, std::move(sources),
            [this](const std::string& host, addresses_handler done) {
                resolver_.resolve(host, std::move(done));
            },
            server_discovery::callbacks{
                .changed = [this](const gateway::model_servers& m) { replace_servers(m); },
                .log = [this](log_level level, const std::string& text) { log(level, text); }});
        discovery_->start();
    }

    void replace_servers(const gateway::model_servers& m) {
        for (const auto& f : gateway_->replace_servers(m))
            log(log_level::error,
                fmt::format("{}: {} {}; its servers are unchanged", m.name, f.field, f.message));
    }

    void announce(const std::string& url, const std::vector<gateway::model_servers>& models) {
        std::size_t servers = 0;
        std::string names;
        for (const auto& m : models) {
            servers += m.servers.size();
            names += (names.empty() ? "" : ", ") + shown(m.name);
        }
        const auto keys = options_.gateway.keys.all().size();
        if (options_.log_format == log_format::json)
            return terminal_.print(json_object{}
                                       .field("event", "listening")
                                       .field("url", url)
                                       .field("model", names)
                                       .field("servers", servers)
                                       .field("keys", keys)
                                       .line());
        terminal_.print(
            fmt::format("listening on {}, model{} {}, {}, {}\n", url, models.size() == 1 ? "" : "s",
                        names, counted_or_none(servers, "server"), counted_or_none(keys, "key")));
    }

    void wait_for_hangup() {
        hangups_.async_wait([this](const boost::system::error_code& ec, int) {
            if (ec) return;
            open_audit_anew();
            read_files_again();
            wait_for_hangup();
        });
    }

    void open_audit_anew() {
        if (!has_audit_file()) return;
        if (const auto fault = audit_.open(); !fault.empty())
            log(log_level::error, fault + "; lines are still written to the open file");
    }

    void read_files_again() {
        missed_hangup_ = !gateway_;
        if (missed_hangup_) return;
        if (!options_.key_file.empty()) read_keys_again();
        if (!options_.tls.is_empty()) read_tls_again();
        if (discovery_) discovery_->query_all_sources();
    }

    void read_keys_again() {
        gateway::api_keys keys;
        const auto faults = read_key_file(options_.key_file, keys);
        for (const auto& fault : faults) log(log_level::error, fault);
        if (!faults.empty()) return log(log_level::error, "the keys are unchanged");
        const auto count = counted_or_none(keys.all().size(), "key");
        gateway_->replace_keys(std::move(keys));
        log(log_level::info, fmt::format("{}: reloaded, {}", options_.key_file, count));
    }

    void read_tls_again() {
        gateway::tls_credentials credentials;
        const auto faults = read_tls_files(options_.tls, credentials);
        for (const auto& fault : faults) log(log_level::error, fault);
        if (!faults.empty() || !gateway_->replace_tls(credentials).empty())
            return log(log_level::error, "the certificate is unchanged");
        warn_of_key_mode();
        log(log_level::info,
            fmt::format("{}: reloaded, used for new connections", options_.tls.certificates));
    }

    void warn_of_key_mode() {
        if (options_.tls.is_empty()) return;
        if (const auto warning = key_mode_warning(options_.tls.key); !warning.empty())
            log(log_level::warning, warning);
    }

    void stop() {
        if (!gateway_) return end(all_good);
        log(log_level::info, fmt::format("stopping: running replies have {} to finish",
                                         tandem::to_string(options_.drain)));
        gateway_->stop(options_.drain, [this] { end(all_good); });
    }

    void end(int status) {
        status_ = status;
        ioc_.stop();
    }

    void refuse(const std::string& why) { terminal_.print_error("tandem serve: " + why); }
    void log(log_level level, const std::string& text) {
        if (log_.enabled(level)) log_.write(level, text);
    }
    static std::string shown(const std::string& model) {
        return truncate_to_width(model, static_cast<int>(gateway::max_model_name_bytes));
    }

    serve_options options_;
    terminal& terminal_;
    std::optional<recording_file> recorded_;
    logger log_;
    audit_file audit_;
    asio::io_context ioc_{1};
    stop_signals signals_;
    asio::signal_set hangups_;
    name_resolver resolver_{ioc_.get_executor(), std::chrono::seconds(2)};
    std::optional<gateway::gateway_server> gateway_;
    std::optional<server_discovery> discovery_;
    /// Whether SIGHUP arrived before the gateway started.
    bool missed_hangup_ = false;
    int status_ = all_good;
};

}  // namespace

int run_serve(serve_options options) {
    terminal t;
    return serving(std::move(options), t).run();
}

}  // namespace tandem::command
