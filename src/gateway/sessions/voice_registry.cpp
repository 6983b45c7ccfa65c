#include "gateway/sessions/voice_registry.hpp"

#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/voice_session.hpp"
#include "loop/clock.hpp"

#include <utility>

namespace tandem::gateway {
namespace {

// A socket's number tells its loop.
voice_socket socket_number(std::uint64_t count, std::size_t loop) {
    return count * max_loops + loop;
}

std::size_t loop_of(voice_socket socket) {
    return socket % max_loops;
}

}  // namespace

voice_registry::voice_registry(gateway_loop& loop) : loop_(loop), expiry_(loop.executor) {}

voice_registry::~voice_registry() = default;

// --- sockets

voice_socket voice_registry::add(voice_outlet& outlet) {
    ++loop_.core.voice_sockets;
    const auto number = socket_number(++sockets_made_, loop_.number);
    sockets_.emplace(number, &outlet);
    return number;
}

void voice_registry::remove(voice_socket socket) noexcept {
    sockets_.erase(socket);
    --loop_.core.voice_sockets;
}

template <class Function>
void voice_registry::tell(voice_socket socket, Function f) {
    loop_.tell(loop_.core.loops[loop_of(socket)],
               [socket, f = std::move(f)](gateway_loop& its) mutable {
                   if (auto* const outlet = its.voices.find(socket)) f(*outlet);
               });
}

void voice_registry::send(voice_socket socket, std::string text) {
    tell(socket,
         [text = std::move(text)](voice_outlet& outlet) mutable { outlet.send(std::move(text)); });
}

void voice_registry::close(voice_socket socket, voice_close why) {
    tell(socket, [why](voice_outlet& outlet) { outlet.close(why); });
}

voice_outlet* voice_registry::find(voice_socket socket) const noexcept {
    const auto found = sockets_.find(socket);
    return found == sockets_.end() ? nullptr : found->second;
}

// --- starts

gateway_loop& voice_registry::home_of(const std::string& session) {
    if (session.empty()) return loop_;
    const auto known = loop_.core.voice_sessions.lock()->loop_of(session);
    return known ? loop_.core.loops[*known] : loop_;
}

void voice_registry::start(voice_socket socket, voice_caller caller, voice::start first) {
    auto given = admit(caller.who, first);
    if (auto* const error = std::get_if<api_error>(&given))
        return tell(socket, [caller = std::move(caller),
                             why = voice_error{.why = std::move(*error), .turn = first.turn}](
                                voice_outlet& outlet) mutable {
            outlet.refused(std::move(caller), std::move(why));
        });
    const auto session = std::get<session_ptr>(std::move(given));
    tell(socket, [weak = std::weak_ptr(session)](voice_outlet& outlet) { outlet.started(weak); });
    session->attach(socket, std::move(caller), std::move(first));
}

auto voice_registry::admit(const admitted& who, const voice::start& first)
    -> std::variant<session_ptr, api_error> try {
    if (loop_.core.is_stopping) return gateway_stopping();
    return first.session.empty() ? open(who, first) : take_up(who, first.session);
} catch (...) {
    // The socket waits for an answer, on another loop perhaps.
    log_exception(loop_.core.options, "a voice session is not begun: the gateway could not go on");
    return gateway_broken();
}

auto voice_registry::open(const admitted& who, const voice::start& first)
    -> std::variant<session_ptr, api_error> {
    auto model = loop_.core.models.find(first.model, who);
    if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
    auto given = loop_.core.voice_sessions.lock()->open(who.key_name(), loop_.number);
    if (auto* error = std::get_if<api_error>(&given)) return std::move(*error);
    const auto& opened = std::get<voice_directory::opened_session>(given);
    if (opened.dropped) let_go(opened.dropped->id, opened.dropped->loop);
    try {
        return make(opened.id, *std::get<served_model*>(model), first);
    } catch (...) {
        loop_.core.voice_sessions.lock()->forget(opened.id);
        throw;
    }
}

// A session that is taken up keeps its model.
auto voice_registry::take_up(const admitted& who, const std::string& id)
    -> std::variant<session_ptr, api_error> {
    const auto known = sessions_.find(id);
    if (known != sessions_.end())
        if (auto error = may_use(who, known->second->model().name)) return *std::move(error);
    if (auto error = loop_.core.voice_sessions.lock()->take_up(who.key_name(), id))
        return *std::move(error);
    return sessions_.at(id);
}

auto voice_registry::make(const std::string& id, served_model& model, const voice::start& first)
    -> session_ptr {
    const auto& o = loop_.core.options;
    auto session = std::make_shared<voice_session>(
        loop_, model,
        voice_setup{.session = id,
                    .model = model.name,
                    .asked_model = first.model,
                    .generation = o.service.server.generation,
                    .conversation = o.service.conversation,
                    .adapters = [desk = loop_.core.desk, name = model.name](
                                    const auto& wanted) { return desk->set_for(name, wanted); },
                    .limits = o.voice,
                    .continue_timeout = o.service.server.continue_timeout});
    sessions_.emplace(id, session);
    return session;
}

// --- ends

void voice_registry::keep(std::string_view id) {
    loop_.core.voice_sessions.lock()->keep(detail::now(), id);
    loop_.tell(loop_.core.first_loop(), [](gateway_loop& l) { l.voices.watch_expiry(); });
}

void voice_registry::forget(const std::string& id) {
    loop_.core.voice_sessions.lock()->forget(id);
    sessions_.erase(id);
}

// The directory knows it no more.
void voice_registry::let_go(const std::string& id, std::size_t loop) {
    loop_.tell(loop_.core.loops[loop], [id](gateway_loop& l) { l.voices.sessions_.erase(id); });
}

// The first to expire stays the first, or is taken up, and then the timer comes for nothing.
void voice_registry::watch_expiry() {
    const auto due = loop_.core.voice_sessions.lock()->next_expiry();
    if (!due || std::exchange(is_watching_, true)) return;
    expiry_.expires_at(*due);
    expiry_.async_wait([this, weak = loop_.core.weak_from_this()](boost::system::error_code ec) {
        const auto core = weak.lock();
        if (ec || !core) return;
        is_watching_ = false;
        drop_expired();
    });
}

void voice_registry::drop_expired() {
    const auto over = loop_.core.voice_sessions.lock()->take_expired(detail::now());
    for (const auto& [id, loop] : over) let_go(id, loop);
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
    for (const auto& [id, session] : sessions_) loop_.core.voice_sessions.lock()->forget(id);
    sessions_.clear();
    expiry_.cancel();
}

}  // namespace tandem::gateway
