#include "tandem/client.hpp"

#include "reply/client_core.hpp"
#include "reply/reply_shell.hpp"
#include "transport/curl_transport.hpp"

#include <utility>

namespace tandem {
namespace {

// Ends what the client owns, on its strand.
void destroy(std::shared_ptr<detail::client_core> core) {
    if (!core) return;
    const auto& c = *core;
    c.dispatch([owned = std::move(core)] { owned->destroy(); });
}

// Runs `ask(calls, done)` on the strand and completes `handler` with what `done` is told.
template <class... Results, class Ask>
void run_call(std::shared_ptr<detail::client_core> core,
              detail::any_completion<error_code, Results...> handler, diagnostics* diag, Ask ask) {
    using completion = detail::any_completion<error_code, Results...>;
    auto kept = std::make_shared<completion>(std::move(handler));
    auto done = [kept, diag](error_code ec, const diagnostics& d, Results... results) {
        if (diag) *diag = d;
        kept->complete(ec, std::move(results)...);
    };
    const auto& c = *core;
    c.dispatch([k = std::move(core), d = std::move(done), a = std::move(ask)]() mutable {
        if (k->shut_down())
            d(errc::client_destroyed, {}, Results{}...);
        else
            a(*k, std::move(d));
    });
}

}  // namespace

client::client(boost::asio::any_io_executor executor, config c) {
    if (auto faults = check(c); !faults.empty()) throw config_error(std::move(faults));
    core_ = std::make_shared<core>(executor, std::move(c), [](const auto& ex, const config& conf) {
        return transport::make_curl_transport(ex, transport::curl_options_of(conf));
    });
}

client::client(client&&) noexcept = default;

client& client::operator=(client&& other) noexcept {
    if (this != &other) destroy(std::exchange(core_, std::move(other.core_)));
    return *this;
}

client::~client() {
    destroy(std::move(core_));
}

boost::asio::any_io_executor client::get_executor() const noexcept {
    return core_->executor();
}

boost::asio::any_io_executor client::executor_of(const core& c) {
    return c.executor();
}

reply client::start(std::string prompt) {
    return start(std::move(prompt), core_->config().generation);
}

reply client::start(std::string prompt, generation_options options) {
    return reply(core_->start(std::move(prompt), std::move(options)));
}

void client::prepare(std::shared_ptr<core> c, completion<server_props> h, diagnostics* diag) {
    run_call(std::move(c), std::move(h), diag,
             [](core& k, auto done) { k.prepare(std::move(done)); });
}

void client::props(std::shared_ptr<core> c, completion<server_props> h, diagnostics* diag) {
    run_call(std::move(c), std::move(h), diag,
             [](core& k, auto done) { k.calls().props(std::move(done)); });
}

void client::slots(std::shared_ptr<core> c, completion<std::vector<slot_state>> h,
                   diagnostics* diag) {
    run_call(std::move(c), std::move(h), diag,
             [](core& k, auto done) { k.calls().slots(std::move(done)); });
}

void client::health(std::shared_ptr<core> c, completion<> h, diagnostics* diag) {
    run_call(std::move(c), std::move(h), diag,
             [](core& k, auto done) { k.calls().health(std::move(done)); });
}

void client::tokenize(std::shared_ptr<core> c, completion<std::vector<std::int32_t>> h,
                      diagnostics* diag, std::string text) {
    run_call(std::move(c), std::move(h), diag,
             [t = std::move(text)](core& k, auto done) { k.calls().tokenize(t, std::move(done)); });
}

void client::apply_template(std::shared_ptr<core> c, completion<std::string> h, diagnostics* diag,
                            std::vector<chat_message> messages) {
    run_call(std::move(c), std::move(h), diag, [m = std::move(messages)](core& k, auto done) {
        k.calls().apply_template(m, std::move(done));
    });
}

void client::erase_slot(std::shared_ptr<core> c, completion<> h, diagnostics* diag, int slot) {
    run_call(std::move(c), std::move(h), diag,
             [slot](core& k, auto done) { k.calls().erase_slot(slot, std::move(done)); });
}

}  // namespace tandem
