#include "gateway/cluster/session_record_writer.hpp"

#include "gateway/records/session_record.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

// Wait after a write that the store did not answer.
constexpr duration retry_interval = std::chrono::seconds(1);
// After a connection to the store, the records of all sessions are written within this time.
constexpr auto rewrite_time = std::chrono::milliseconds(1000);

}  // namespace

bool changes_record(const voice_action::any& a) {
    namespace act = voice_action;
    return std::holds_alternative<act::send>(a) ||
           std::holds_alternative<act::open_conversation>(a) ||
           std::holds_alternative<act::append>(a) || std::holds_alternative<act::answer_call>(a) ||
           std::holds_alternative<act::add_filler>(a) || std::holds_alternative<act::resume>(a) ||
           std::holds_alternative<act::generate>(a) || std::holds_alternative<act::heard>(a) ||
           std::holds_alternative<act::continue_after>(a) ||
           std::holds_alternative<act::interrupt>(a) || std::holds_alternative<act::keep>(a);
}

session_record_writer::session_record_writer(settings s, cluster::session_epoch epoch,
                                             events callbacks)
    : settings_(std::move(s)),
      epoch_(epoch),
      callbacks_(std::move(callbacks)),
      timer_(settings_.executor) {}

void session_record_writer::run(record_write_policy::step next) {
    if (is_over_ || next != record_write_policy::step::make) return;
    callbacks_.make([weak = weak_from_this()](std::optional<std::string> record) {
        const auto self = weak.lock();
        if (!self || self->is_over_) return;
        if (!record) return self->on_written(cluster::put_result::unknown);
        const auto then = self->policy_.on_record_made();
        if (then == record_write_policy::step::write) return self->write(*std::move(record));
        self->run(then);
    });
}

void session_record_writer::write(std::string record) {
    is_too_long_ = record.size() > max_record_bytes;
    const auto& log = settings_.log;
    if (is_too_long_ && !std::exchange(has_warned_of_size_, true) &&
        log.enabled(log_level::warning))
        log.write(log_level::warning,
                  fmt::format("a voice session has {} bytes; other gateways can resume sessions "
                              "of up to {}",
                              record.size(), max_record_bytes));
    put(is_too_long_ ? std::string() : std::move(record), [weak = weak_from_this()](auto result) {
        if (const auto self = weak.lock(); self && !self->is_over_) self->on_written(result);
    });
}

void session_record_writer::put(std::string record, cluster::session_store::put_handler done) {
    const auto member = settings_.member.lock();
    if (!member) return;
    member->sessions().put(settings_.session, settings_.owner, epoch_, 2 * settings_.kept,
                           std::move(record), std::move(done));
}

void session_record_writer::on_written(cluster::put_result result) {
    const auto self = shared_from_this();
    if (result == cluster::put_result::refused) {
        stop();
        return callbacks_.taken();
    }
    const auto next = policy_.on_record_written(result == cluster::put_result::kept);
    run(next);
    // The store forgets records that are not renewed.
    write_later(policy_.has_failed() ? retry_interval : settings_.kept);
    callbacks_.written();
}

// The random ids of the sessions spread the writes.
void session_record_writer::on_store_connected() {
    if (is_over_) return;
    policy_.on_record_doubtful();
    const auto part = std::hash<std::string>{}(settings_.session) % rewrite_time.count();
    write_later(std::chrono::milliseconds(part));
}

bool session_record_writer::is_store_connected() const {
    const auto member = settings_.member.lock();
    return member && member->is_connected();
}

void session_record_writer::write_later(duration wait) {
    timer_.expires_after(wait);
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
        const auto self = weak.lock();
        if (!ec && self) self->run(self->policy_.on_record_changed());
    });
}

void session_record_writer::remove() {
    if (is_over_) return;
    stop();
    put({}, [](auto) {});
}

void session_record_writer::stop_and_release() {
    if (is_over_) return;
    stop();
    if (const auto member = settings_.member.lock())
        member->sessions().release(settings_.session, epoch_);
}

void session_record_writer::stop() {
    is_over_ = true;
    timer_.cancel();
}

}  // namespace tandem::gateway
