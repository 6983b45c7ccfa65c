#include "tandem/client.hpp"

#include "config/config_defaults.hpp"
#include "reply/make_client.hpp"
#include "reply/reply_shell.hpp"
#include "reply/reply_start_point.hpp"
#include "server/server_link.hpp"

namespace tandem {
inline namespace v0 {
namespace {

// Returns a function that cancels the request of an aborted call.
std::function<void()> cut_request(const std::weak_ptr<detail::server_link>& weak,
                                  server::call_id request) {
    if (request == server::no_call) return {};
    return [weak, request] {
        if (const auto link = weak.lock())
            link->calls().cancel(request, boost::asio::error::operation_aborted);
    };
}

// Runs `ask(link, done)` on the strand; `ask` returns the id of its request, or no_call. The call
// completes with the arguments that are passed to `done`.
template <class... Results, class Ask>
void run_call(std::shared_ptr<detail::server_link> link,
              std::shared_ptr<detail::pending_call<Results...>> call, Ask ask) {
    auto done = [call](error_code ec, const diagnostics& d, Results... results) {
        if (!call->handler) return;  // it was cancelled
        if (call->diag) *call->diag = d;
        call->handler.complete(ec, std::move(results)...);
    };
    const auto& scope = link->scope();
    scope.dispatch([k = std::move(link), p = std::move(call), d = std::move(done),
                    a = std::move(ask)]() mutable {
        if (!p->handler) return;
        if (k->is_shut_down())
            d(errc::client_destroyed, {.client_message = detail::owner_destroyed}, Results{}...);
        else
            p->cut = cut_request(k, a(*k, std::move(d)));
    });
}

}  // namespace

}  // namespace v0
}  // namespace tandem

namespace tandem::detail {

client make_client(const boost::asio::any_io_executor& executor, config c, instruments i,
                   const slot_defaults& usual) {
    if (auto faults = check(c); !faults.empty()) throw config_error(std::move(faults));
    auto scope = std::make_shared<strand_scope>(executor, std::move(i.log));
    return client(server_link::make(std::move(scope), std::move(c), i, usual));
}

boost::asio::any_io_executor executor_of(const server_link& link) noexcept {
    return link.executor();
}

}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

client::client(executor_type executor, config c, instruments i)
    : client(detail::make_client(executor, detail::apply_client_sampling_defaults(std::move(c)),
                                 std::move(i), detail::client_slot_defaults)) {}

client::client(std::shared_ptr<link> c) noexcept : link_(std::move(c)) {}

client::client(client&&) noexcept = default;

client& client::operator=(client&& other) noexcept {
    if (this != &other) detail::close_scope_of(std::exchange(link_, std::move(other.link_)));
    return *this;
}

client::~client() {
    detail::close_scope_of(std::move(link_));
}

client::executor_type client::get_executor() const noexcept {
    return detail::assert_not_moved_from(link_)->executor();
}

reply client::start(std::string prompt) {
    return start(std::move(prompt), detail::assert_not_moved_from(link_)->config().generation);
}

reply client::start(std::string prompt, generation_options options) {
    const auto shell =
        detail::reply_shell::make(detail::assert_not_moved_from(link_)->scope(), link_->config(),
                                  {.options = std::move(options)},
                                  detail::make_single_server_source(link_, std::move(prompt)));
    return reply(shell);
}

// All waiting callers share the answer, so no single caller may cancel the request.
void client::prepare(std::shared_ptr<link> c, pending<server_props> p) {
    run_call(std::move(c), std::move(p), [](link& k, auto done) {
        k.load_props(std::move(done));
        return server::no_call;
    });
}

void client::props(std::shared_ptr<link> c, pending<server_props> p) {
    run_call(std::move(c), std::move(p),
             [](link& k, auto done) { return k.calls().props(std::move(done)); });
}

void client::slots(std::shared_ptr<link> c, pending<std::vector<slot_state>> p) {
    run_call(std::move(c), std::move(p),
             [](link& k, auto done) { return k.calls().slots(std::move(done)); });
}

void client::health(std::shared_ptr<link> c, pending<> p) {
    run_call(std::move(c), std::move(p),
             [](link& k, auto done) { return k.calls().health(std::move(done)); });
}

void client::tokenize(std::shared_ptr<link> c, pending<std::vector<std::int32_t>> p,
                      std::string text) {
    run_call(std::move(c), std::move(p), [t = std::move(text)](link& k, auto done) {
        return k.calls().tokenize(t, std::move(done));
    });
}

void client::apply_template(std::shared_ptr<link> c, pending<std::string> p,
                            std::vector<chat_message> messages) {
    run_call(std::move(c), std::move(p), [m = std::move(messages)](link& k, auto done) {
        return k.calls().apply_template(m, {}, std::move(done));
    });
}

void client::erase_slot(std::shared_ptr<link> c, pending<> p, int slot) {
    run_call(std::move(c), std::move(p),
             [slot](link& k, auto done) { return k.calls().erase_slot(slot, std::move(done)); });
}

void client::save_slot(std::shared_ptr<link> c, pending<slot_file_result> p, int slot,
                       std::string file) {
    run_call(std::move(c), std::move(p), [slot, f = std::move(file)](link& k, auto done) {
        return k.calls().save_slot(slot, f, std::move(done));
    });
}

void client::restore_slot(std::shared_ptr<link> c, pending<slot_file_result> p, int slot,
                          std::string file) {
    run_call(std::move(c), std::move(p), [slot, f = std::move(file)](link& k, auto done) {
        return k.calls().restore_slot(slot, f, std::move(done));
    });
}

void client::adapters(std::shared_ptr<link> c, pending<std::vector<server_adapter>> p) {
    run_call(std::move(c), std::move(p),
             [](link& k, auto done) { return k.calls().adapters(std::move(done)); });
}

void client::set_adapters(std::shared_ptr<link> c, pending<> p,
                          std::vector<adapter_scale> adapters) {
    run_call(std::move(c), std::move(p), [a = std::move(adapters)](link& k, auto done) {
        return k.calls().set_adapters(a, std::move(done));
    });
}

}  // namespace v0
}  // namespace tandem
