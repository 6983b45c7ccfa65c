#include "faults/journal.hpp"

#include <algorithm>
#include <utility>

namespace tandem::mock {
namespace {

constexpr std::size_t max_records = 4096;

// Drops the oldest half in one go, so that appending stays cheap.
template <typename T>
void keep_latest(std::vector<T>& all) {
    if (all.size() < 2 * max_records) return;
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(max_records));
}

}  // namespace

std::string request_record::header(const std::string& name) const {
    for (const auto& [key, value] : headers) {
        if (key == name) return value;
    }
    return {};
}

std::vector<request_record> observations::of_path(const std::string& path) const {
    std::vector<request_record> found;
    std::copy_if(requests.begin(), requests.end(), std::back_inserter(found),
                 [&path](const request_record& r) { return r.path == path; });
    return found;
}

journal::journal(int slots) {
    seen_.slots.resize(static_cast<std::size_t>(slots));
    for (int i = 0; i < slots; ++i) seen_.slots[static_cast<std::size_t>(i)].id = i;
}

template <typename F>
void journal::update(F f) {
    {
        const std::lock_guard lock(mutex_);
        f();
    }
    changed_.notify_all();
}

// Numbers are consecutive, so the index of a record follows from the first number.
request_record* journal::find(std::uint64_t request) {
    if (seen_.requests.empty() || request < seen_.requests.front().number) return nullptr;
    return &seen_.requests[static_cast<std::size_t>(request - seen_.requests.front().number)];
}

std::uint64_t journal::add_request(request_record r) {
    r.number = ++last_number_;
    update([&] {
        keep_latest(seen_.requests);
        seen_.requests.push_back(std::move(r));
    });
    return last_number_;
}

void journal::change_request(std::uint64_t request, const std::function<void(request_record&)>& f) {
    update([&] {
        if (request_record* r = find(request)) f(*r);
    });
}

void journal::end_request(std::uint64_t request, outcome how, time_point now) {
    change_request(request, [&](request_record& r) {
        if (r.outcome != outcome::running) return;
        r.outcome = how;
        r.ended = now;
    });
}

void journal::record_slot_start(int slot, std::uint64_t request, time_point now) {
    update([&] {
        slot_record& s = seen_.slots[static_cast<std::size_t>(slot)];
        s.is_processing = true;
        ++s.uses;
        keep_latest(s.history);
        s.history.push_back({.request = request, .start = now, .end = {}, .cut = false});
    });
}

void journal::record_slot_end(int slot, bool cut, int tokens, time_point now) {
    update([&] {
        slot_record& s = seen_.slots[static_cast<std::size_t>(slot)];
        s.is_processing = false;
        s.tokens = tokens;
        s.cuts += cut ? 1 : 0;
        s.last_used = now;
        s.history.back().end = now;
        s.history.back().cut = cut;
    });
}

void journal::record_slot_content(int slot, int tokens) {
    update([&] { seen_.slots[static_cast<std::size_t>(slot)].tokens = tokens; });
}

void journal::record_opened_connection() {
    update([&] { ++seen_.connections, ++seen_.open_connections; });
}

void journal::record_closed_connection() {
    update([&] { --seen_.open_connections; });
}

void journal::record_crash() {
    update([&] { seen_.crashed = true; });
}

observations journal::snapshot() const {
    const std::lock_guard lock(mutex_);
    return seen_;
}

bool journal::wait_until(const std::function<bool(const observations&)>& condition,
                         std::chrono::milliseconds limit) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [&] { return condition(seen_); });
}

}  // namespace tandem::mock
