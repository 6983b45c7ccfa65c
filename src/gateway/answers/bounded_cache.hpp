#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <iterator>
#include <list>
#include <map>
#include <utility>

namespace tandem::gateway {

struct cache_limits {
    std::size_t entries = 0;
    std::size_t bytes = 0;
    /// Time until an entry expires, from its insertion.
    duration ttl{};
};

/// An LRU cache whose entries expire. Pure; use on one strand. Pointers to values are valid until
/// the next call.
template <class Key, class Value>
class bounded_cache {
 public:
    explicit bounded_cache(cache_limits limits) : limits_(limits) {}

    /// Returns nullptr if there is no valid entry.
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

    /// Removes the entry with this key, if any, then inserts the value, unless `bytes`, the size of
    /// the value, exceeds the limit.
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
    std::size_t size_bytes() const noexcept { return bytes_; }

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
    /// Most recently used first.
    std::list<entry> entries_{};
    std::map<Key, place> places_{};
    std::size_t bytes_ = 0;
};

}  // namespace tandem::gateway
