#include "tandem/service.hpp"

#include "conversation/conversation_shell.hpp"
#include "conversation/turn_history.hpp"
#include "service/service_loops.hpp"

#include "tandem/saved_conversation.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace tandem {
namespace {

std::vector<config_fault> faults_of(const std::vector<boost::asio::any_io_executor>& loops,
                                    const service_config& c) {
    auto faults = check(c);
    if (loops.empty()) faults.push_back({"loops", "are none: give an executor for each"});
    return faults;
}

void check_options(const conversation_options& options) {
    if (auto faults = check(options); !faults.empty()) throw config_error(std::move(faults));
}

std::shared_ptr<detail::conversation_shell> begin(const std::shared_ptr<detail::service_core>& core,
                                                  conversations::turn_history history,
                                                  std::string near = {}) {
    auto shell = detail::conversation_shell::make(core->home(), core, core->config().server,
                                                  std::move(history));
    core->home().dispatch(
        [core, shell, at = std::move(near)] { core->conversation_began(shell, at); });
    return shell;
}

}  // namespace

service::service(boost::asio::any_io_executor executor, service_config c)
    : service(std::vector{std::move(executor)}, std::move(c)) {}

service::service(std::vector<boost::asio::any_io_executor> loops, service_config c) {
    if (auto faults = faults_of(loops, c); !faults.empty()) throw config_error(std::move(faults));
    loops_ = std::make_unique<detail::service_loops>(loops, c);
}

service::service(service&&) noexcept = default;

service& service::operator=(service&& other) noexcept = default;

service::~service() = default;

conversation service::create() {
    return create(loops_->config().conversation);
}

conversation service::create(conversation_options options) {
    return create(std::move(options), {});
}

conversation service::create(conversation_options options, std::string near) {
    check_options(options);
    return conversation(
        begin(loops_->next(), conversations::turn_history(std::move(options)), std::move(near)));
}

conversation service::create(conversation_options options, std::string near, std::size_t loop) {
    check_options(options);
    return conversation(
        begin(loops_->at(loop), conversations::turn_history(std::move(options)), std::move(near)));
}

std::optional<conversation> service::load(std::string_view json, error_code& ec,
                                          diagnostics* diag) {
    saved_conversation saved;
    const auto fault = read_saved(json, saved);
    ec = fault ? errc::invalid_config : error_code();
    if (fault && diag)
        diag->client_message =
            fmt::format("not a saved conversation: {} {}", fault->field, fault->message);
    if (fault) return std::nullopt;
    return conversation(begin(loops_->next(), conversations::turn_history(std::move(saved))));
}

void service::add_server(std::string url) {
    auto settings = loops_->config().server;
    settings.url = url;
    if (auto faults = check(settings); !faults.empty()) throw config_error(std::move(faults));
    const auto& core = loops_->first();
    core->home().dispatch([c = core, u = std::move(url)] { c->add_server(u); });
}

void service::remove_server(std::string url, duration limit) {
    const auto& core = loops_->first();
    core->home().dispatch([c = core, u = std::move(url), limit] { c->remove_server(u, limit); });
}

void service::reload(std::vector<std::string> urls) {
    auto settings = loops_->config();
    settings.servers = urls;
    if (auto faults = check(settings); !faults.empty()) throw config_error(std::move(faults));
    const auto& core = loops_->first();
    core->home().dispatch([c = core, u = std::move(urls)] { c->reload(u); });
}

boost::asio::any_io_executor service::get_executor() const noexcept {
    return first_core()->home().executor();
}

std::size_t service::loops() const noexcept {
    return loops_->size();
}

service::core service::first_core() const noexcept {
    return loops_->first();
}

void service::ask_servers(core c,
                          std::shared_ptr<detail::pending_call<std::vector<server_status>>> call) {
    const auto& home = c->home();
    home.dispatch([k = std::move(c), p = std::move(call)] {
        if (!p->handler) return;
        if (k->home().closed()) {
            if (p->diag) *p->diag = {.client_message = "the service was destroyed"};
            return p->handler.complete(errc::client_destroyed, {});
        }
        p->handler.complete({}, k->status());
    });
}

}  // namespace tandem
