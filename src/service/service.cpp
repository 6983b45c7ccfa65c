#include "tandem/service.hpp"

#include "conversation/conversation_shell.hpp"
#include "conversation/history/turn_history.hpp"
#include "loop/clock.hpp"
#include "service/service_core.hpp"

#include "tandem/saved_conversation.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::detail {

boost::asio::any_io_executor executor_of(const service_core& core) noexcept {
    return core.scope().executor();
}

}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {
namespace {

void check_options(const conversation_options& options) {
    if (auto faults = check(options); !faults.empty()) throw config_error(std::move(faults));
}

std::shared_ptr<detail::conversation_shell> begin(const std::shared_ptr<detail::service_core>& core,
                                                  conversations::turn_history history,
                                                  std::string near = {},
                                                  const generation_options* open_turn = nullptr) {
    auto shell = detail::conversation_shell::make(core->scope(), core, core->config().client,
                                                  std::move(history));
    if (open_turn) shell->restore_turn(*open_turn);
    core->scope().dispatch(
        [core, shell, at = std::move(near)] { core->on_conversation_started(shell, at); });
    return shell;
}

}  // namespace

service::service(executor_type executor, service_config c, instruments i) {
    if (auto faults = check(c); !faults.empty()) throw config_error(std::move(faults));
    core_ = detail::service_core::make(executor, std::move(c), std::move(i));
}

service::service(service&&) noexcept = default;

service& service::operator=(service&& other) noexcept {
    if (this != &other) detail::close_scope_of(std::exchange(core_, std::move(other.core_)));
    return *this;
}

service::~service() {
    detail::close_scope_of(std::move(core_));
}

conversation service::create() {
    return create(detail::assert_not_moved_from(core_)->config().conversation);
}

conversation service::create(conversation_options options) {
    return create(std::move(options), {});
}

conversation service::create(conversation_options options, std::string near) {
    check_options(options);
    return conversation(begin(detail::assert_not_moved_from(core_),
                              conversations::turn_history(std::move(options)), std::move(near)));
}

conversation service::create(conversation_options options, const conversation& before) {
    check_options(options);
    const auto& core = detail::assert_not_moved_from(core_);
    auto shell = detail::conversation_shell::make(core->scope(), core, core->config().client,
                                                  conversations::turn_history(std::move(options)));
    core->scope().dispatch([core, shell, earlier = detail::assert_not_moved_from(before.shell_)] {
        // A conversation of another service must not be accessed here: it uses another strand, and
        // other servers.
        const bool is_ours = &earlier->scope() == &core->scope();
        core->on_conversation_started(shell, is_ours ? earlier->server_url() : "");
        if (is_ours) shell->continue_conversation(earlier);
    });
    return conversation(std::move(shell));
}

std::optional<conversation> service::load(std::string_view json, error_code& ec) {
    diagnostics unread;
    return load(json, ec, unread);
}

std::optional<conversation> service::load(std::string_view json, error_code& ec,
                                          diagnostics& diag) {
    return load(json, detail::assert_not_moved_from(core_)->config().client.generation, ec, diag);
}

std::optional<conversation> service::load(std::string_view json, const generation_options& options,
                                          error_code& ec, diagnostics& diag) {
    diag = {};
    saved_conversation saved;
    const auto fault = read_saved(json, saved);
    ec = fault ? errc::invalid_config : error_code();
    if (fault) {
        diag = {.client_message =
                    fmt::format("not a saved conversation: {} {}", fault->field, fault->message)};
        return std::nullopt;
    }
    auto near = std::move(saved.server);
    return conversation(begin(detail::assert_not_moved_from(core_),
                              conversations::turn_history(std::move(saved), detail::now()),
                              std::move(near), &options));
}

void service::add_server(std::string url) {
    auto settings = detail::assert_not_moved_from(core_)->config().client;
    settings.server.url = url;
    if (auto faults = check(settings); !faults.empty()) throw config_error(std::move(faults));
    core_->scope().dispatch([c = core_, u = std::move(url)] { c->add_server(u); });
}

void service::remove_server(std::string url, duration limit) {
    detail::assert_not_moved_from(core_)->scope().dispatch(
        [c = core_, u = std::move(url), limit] { c->remove_server(u, limit); });
}

void service::reload(std::vector<std::string> urls) {
    auto settings = detail::assert_not_moved_from(core_)->config();
    settings.servers = urls;
    if (auto faults = check(settings); !faults.empty()) throw config_error(std::move(faults));
    core_->scope().dispatch([c = core_, u = std::move(urls)] { c->reload(u); });
}

void service::drain_server(std::string url) {
    detail::assert_not_moved_from(core_)->scope().dispatch(
        [c = core_, u = std::move(url)] { c->set_drained(u, true); });
}

void service::undrain_server(std::string url) {
    detail::assert_not_moved_from(core_)->scope().dispatch(
        [c = core_, u = std::move(url)] { c->set_drained(u, false); });
}

service::executor_type service::get_executor() const noexcept {
    return executor_of(*detail::assert_not_moved_from(core_));
}

void service::ask_servers(core c,
                          std::shared_ptr<detail::pending_call<std::vector<server_status>>> call) {
    const auto& scope = c->scope();
    scope.dispatch([k = std::move(c), p = std::move(call)] {
        if (!p->handler) return;
        if (k->scope().is_closed()) {
            if (p->diag) *p->diag = {.client_message = detail::owner_destroyed};
            return p->handler.complete(errc::client_destroyed, {});
        }
        p->handler.complete({}, k->status());
    });
}

}  // namespace v0
}  // namespace tandem
