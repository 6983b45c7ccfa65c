#include "tandem/client.hpp"

#include "config/usual_values.hpp"
#include "reply/make_client.hpp"
#include "reply/reply_shell.hpp"
#include "reply/reply_start.hpp"
#include "server/client_core.hpp"

#include <utility>

namespace tandem {
namespace {

// Ends what the client owns, on its strand.
void destroy(std::shared_ptr<detail::client_core> core) {
    if (!core) return;
    const auto& home = core->home();
    home.dispatch([owned = std::move(core)] { owned->home().close(); });
}

// Runs `ask(core, done)` on the strand, which gives the name of the request; completes the call
// with what `done` is told.
template <class... Results, class Ask>
void run_call(std::shared_ptr<detail::client_core> core,
              std::shared_ptr<detail::pending_call<Results...>> call, Ask ask) {
    auto done = [call](error_code ec, const diagnostics& d, Results... results) {
        if (!call->handler) return;  // it was cancelled
        if (call->diag) *call->diag = d;
        call->handler.complete(ec, std::move(results)...);
    };
    const auto& home = core->home();
    home.dispatch([k = std::move(core), p = std::move(call), d = std::move(done),
                   a = std::move(ask)]() mutable {
        if (!p->handler) return;
        if (k->shut_down())
            d(errc::client_destroyed, {}, Results{}...);
        else
            p->request = a(*k, std::move(d));
    });
}

}  // namespace

namespace detail {

client make_client(const boost::asio::any_io_executor& executor, config c,
                   const slot_defaults& usual) {
    if (auto faults = check(c); !faults.empty()) throw config_error(std::move(faults));
    auto home = std::make_shared<event_home>(executor, c.logger);
    return client(client_core::make(std::move(home), std::move(c), usual));
}

}  // namespace detail

client::client(boost::asio::any_io_executor executor, config c)
    : client(detail::make_client(executor, detail::with_sampling_of_client(std::move(c)),
                                 detail::defaults_of_client)) {}

client::client(std::shared_ptr<core> c) noexcept : core_(std::move(c)) {}

client::client(client&&) noexcept = default;

client& client::operator=(client&& other) noexcept {
    if (this != &other) destroy(std::exchange(core_, std::move(other.core_)));
    return *this;
}

client::~client() {
    destroy(std::move(core_));
}

boost::asio::any_io_executor client::get_executor() const noexcept {
    return detail::used(core_)->executor();
}

boost::asio::any_io_executor client::executor_of(const core& c) {
    return c.executor();
}

reply client::start(std::string prompt) {
    return start(std::move(prompt), detail::used(core_)->config().generation);
}

reply client::start(std::string prompt, generation_options options) {
    const auto shell = detail::reply_shell::make(detail::used(core_)->home(), core_->config(),
                                                 {.options = std::move(options)},
                                                 detail::source_at(core_, std::move(prompt)));
    return reply(shell);
}

void client::cancel_call(const std::weak_ptr<core>& weak, std::function<std::uint64_t()> abort) {
    auto owned = weak.lock();
    if (!owned) return;
    const auto& home = owned->home();
    home.dispatch([k = std::move(owned), a = std::move(abort)] {
        k->calls().cancel(a(), boost::asio::error::operation_aborted);
    });
}

// The answer is for all that wait for it, so no single one may cut the request.
void client::prepare(std::shared_ptr<core> c, pending<server_props> p) {
    run_call(std::move(c), std::move(p), [](core& k, auto done) {
        k.prepare(std::move(done));
        return server::no_call;
    });
}

void client::props(std::shared_ptr<core> c, pending<server_props> p) {
    run_call(std::move(c), std::move(p),
             [](core& k, auto done) { return k.calls().props(std::move(done)); });
}

void client::slots(std::shared_ptr<core> c, pending<std::vector<slot_state>> p) {
    run_call(std::move(c), std::move(p),
             [](core& k, auto done) { return k.calls().slots(std::move(done)); });
}

void client::health(std::shared_ptr<core> c, pending<> p) {
    run_call(std::move(c), std::move(p),
             [](core& k, auto done) { return k.calls().health(std::move(done)); });
}

void client::tokenize(std::shared_ptr<core> c, pending<std::vector<std::int32_t>> p,
                      std::string text) {
    run_call(std::move(c), std::move(p), [t = std::move(text)](core& k, auto done) {
        return k.calls().tokenize(t, std::move(done));
    });
}

void client::apply_template(std::shared_ptr<core> c, pending<std::string> p,
                            std::vector<chat_message> messages) {
    run_call(std::move(c), std::move(p), [m = std::move(messages)](core& k, auto done) {
        return k.calls().apply_template(m, {}, std::move(done));
    });
}

void client::erase_slot(std::shared_ptr<core> c, pending<> p, int slot) {
    run_call(std::move(c), std::move(p),
             [slot](core& k, auto done) { return k.calls().erase_slot(slot, std::move(done)); });
}

void client::save_slot(std::shared_ptr<core> c, pending<slot_file_result> p, int slot,
                       std::string file) {
    run_call(std::move(c), std::move(p), [slot, f = std::move(file)](core& k, auto done) {
        return k.calls().save_slot(slot, f, std::move(done));
    });
}

void client::restore_slot(std::shared_ptr<core> c, pending<slot_file_result> p, int slot,
                          std::string file) {
    run_call(std::move(c), std::move(p), [slot, f = std::move(file)](core& k, auto done) {
        return k.calls().restore_slot(slot, f, std::move(done));
    });
}

void client::adapters(std::shared_ptr<core> c, pending<std::vector<server_adapter>> p) {
    run_call(std::move(c), std::move(p),
             [](core& k, auto done) { return k.calls().adapters(std::move(done)); });
}

void client::set_adapters(std::shared_ptr<core> c, pending<> p,
                          std::vector<adapter_scale> adapters) {
    run_call(std::move(c), std::move(p), [a = std::move(adapters)](core& k, auto done) {
        return k.calls().set_adapters(a, std::move(done));
    });
}

}  // namespace tandem
