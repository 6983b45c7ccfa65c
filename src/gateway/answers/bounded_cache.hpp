#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <iterator>
#include <list>
#include <map>
#include <utility>

namespace tandem::gateway {

/// What a bounded_cache holds at most.
struct cache_limits {
    std::size_t entries = 0;
    std::size_t bytes = 0;
    /// From the time that a value was put in.
    duration ttl{};
};

/// Values that are found again by their keys for a while; those that were not asked for longest
/// make room for new ones. Pure; for one strand. A pointer to a value is good until the next call.
template <class Key, class Value>
class bounded_cache {
 public:
    explicit bounded_cache(cache_limits limits) : limits_(limits) {}

    /// Nothing where it is not there, or no more.
    Value* find(time_point now, const Key& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        const auto at = found->second;
        if (at->until <= now) {
            drop(at);
            return nullptr;
        }
        entries_.splice(entries_.begin(), entries_, at);
        return &at->value;
    }

    /// Takes the place of one with the same key. Does nothing but drop that where the value alone
    /// is over the bounds. `bytes` is what it takes.
    void put(time_point now, const Key& key, Value value, std::size_t bytes) {
        if (const auto old = places_.find(key); old != places_.end()) drop(old->second);
        while (!entries_.empty() && entries_.back().until <= now) drop(std::prev(entries_.end()));
        if (bytes > limits_.bytes || limits_.entries == 0) return;
        while (entries_.size() >= limits_.entries || bytes_ + bytes > limits_.bytes)
            drop(std::prev(entries_.end()));
        entries_.push_front({key, std::move(value), bytes, now + limits_.ttl});
        places_.emplace(key, entries_.begin());
        bytes_ += bytes;
    }

    std::size_t size() const noexcept { return entries_.size(); }
    std::size_t bytes() const noexcept { return bytes_; }

 private:
    struct entry {
        Key key;
        Value value;
        std::size_t bytes;
        time_point until;
    };
    using place = typename std::list<entry>::iterator;

    void drop(place at) {
        bytes_ -= at->bytes;
        places_.erase(at->key);
        entries_.erase(at);
    }

    cache_limits limits_;
    /// The one that was asked for last comes first.
    std::list<entry> entries_{};
    std::map<Key, place> places_{};
    std::size_t bytes_ = 0;
};

}  // namespace tandem::gateway
