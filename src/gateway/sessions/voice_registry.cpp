#include "gateway/sessions/voice_registry.hpp"

#include "gateway/sessions/gateway_state.hpp"
#include "loop/clock.hpp"

#include <utility>

namespace tandem::gateway {

voice_registry::voice_registry(gateway_state& gateway)
    : gateway_(gateway), expiry_(gateway.executor) {}

// --- sockets

voice_socket voice_registry::add(voice_outlet& outlet) {
    ++gateway_.voice_sockets;
    sockets_.emplace(++sockets_made_, &outlet);
    return sockets_made_;
}

void voice_registry::remove(voice_socket socket) noexcept {
    sockets_.erase(socket);
    --gateway_.voice_sockets;
}

void voice_registry::send(voice_socket socket, std::string text) {
    if (auto* const outlet = find(socket)) outlet->send(std::move(text));
}

void voice_registry::close(voice_socket socket, voice_close why) {
    if (auto* const outlet = find(socket)) outlet->close(why);
}

voice_outlet* voice_registry::find(voice_socket socket) const noexcept {
    const auto found = sockets_.find(socket);
    return found == sockets_.end() ? nullptr : found->second;
}

// --- starts

void voice_registry::start(voice_socket socket, voice_caller caller, voice::start first) {
    auto given = admit(caller.who, first);
    auto* const outlet = find(socket);
    if (auto* const error = std::get_if<api_error>(&given))
        return outlet->refused(std::move(caller), {.why = std::move(*error), .turn = first.turn});
    const auto session = std::get<session_ptr>(std::move(given));
    outlet->started(session);
    session->attach(socket, std::move(caller), std::move(first));
}

auto voice_registry::admit(const admitted& who, const voice::start& first)
    -> std::variant<session_ptr, api_error> try {
    if (gateway_.is_stopping) return gateway_stopping();
    return first.session.empty() ? open(who, first) : take_up(who, first.session);
} catch (...) {
    // The socket waits for an answer.
    log_exception(gateway_.options, "a voice session is not begun: the gateway could not go on");
    return gateway_broken();
}

auto voice_registry::open(const admitted& who, const voice::start& first)
    -> std::variant<session_ptr, api_error> {
    auto model = gateway_.models.find(first.model, who);
    if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
    auto given = gateway_.known_sessions.admit(who.key_name(), {});
    if (auto* error = std::get_if<api_error>(&given)) return std::move(*error);
    const auto& admitted = std::get<voice_sessions::admission>(given);
    if (admitted.dropped) sessions_.erase(*admitted.dropped);
    try {
        return make(admitted.id, *std::get<served_model*>(model), first);
    } catch (...) {
        gateway_.known_sessions.forget(admitted.id);
        throw;
    }
}

// A session that is taken up keeps its model.
auto voice_registry::take_up(const admitted& who, const std::string& id)
    -> std::variant<session_ptr, api_error> {
    const auto known = sessions_.find(id);
    if (known != sessions_.end())
        if (auto error = may_use(who, known->second->model().name)) return *std::move(error);
    auto given = gateway_.known_sessions.admit(who.key_name(), id);
    if (auto* error = std::get_if<api_error>(&given)) return std::move(*error);
    return sessions_.at(id);
}

auto voice_registry::make(const std::string& id, served_model& model, const voice::start& first)
    -> session_ptr {
    const auto& o = gateway_.options;
    auto session = std::make_shared<voice_session>(
        gateway_, *this, model,
        voice_setup{.session = id,
                    .model = model.name,
                    .asked_model = first.model,
                    .generation = o.service.server.generation,
                    .conversation = o.service.conversation,
                    .adapters = [desk = gateway_.desk, name = model.name](
                                    const auto& wanted) { return desk->set_for(name, wanted); },
                    .limits = o.voice,
                    .continue_timeout = o.service.server.continue_timeout});
    sessions_.emplace(id, session);
    return session;
}

// --- ends

void voice_registry::keep(std::string_view id) {
    gateway_.known_sessions.keep(detail::now(), id);
    watch_expiry();
}

void voice_registry::forget(const std::string& id) {
    gateway_.known_sessions.forget(id);
    sessions_.erase(id);
}

// The first to expire stays the first, or is taken up, and then the timer comes for nothing.
void voice_registry::watch_expiry() {
    const auto due = gateway_.known_sessions.next_expiry();
    if (!due || std::exchange(is_watching_, true)) return;
    expiry_.expires_at(*due);
    expiry_.async_wait([this, weak = gateway_.weak_from_this()](boost::system::error_code ec) {
        const auto gateway = weak.lock();
        if (ec || !gateway) return;
        is_watching_ = false;
        drop_expired();
    });
}

void voice_registry::drop_expired() {
    for (const auto& id : gateway_.known_sessions.take_expired(detail::now())) sessions_.erase(id);
    watch_expiry();
}

// --- all

// Sessions that end are forgotten meanwhile.
auto voice_registry::all() const -> std::vector<session_ptr> {
    std::vector<session_ptr> list;
    for (const auto& [id, session] : sessions_) list.push_back(session);
    return list;
}

void voice_registry::drain() {
    for (const auto& session : all()) session->drain();
}

void voice_registry::stop() {
    for (const auto& session : all()) session->stop();
}

void voice_registry::clear() {
    for (const auto& [id, session] : sessions_) gateway_.known_sessions.forget(id);
    sessions_.clear();
    expiry_.cancel();
}

}  // namespace tandem::gateway
