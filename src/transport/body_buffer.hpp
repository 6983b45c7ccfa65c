#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::transport {

/// Buffers bytes between curl and the handler. Keeps them in two strings, because curl may add
/// bytes while the handler reads earlier ones: if the handler resumes the exchange inside
/// on_data(), curl delivers held-back bytes immediately.
class body_buffer {
 public:
    explicit body_buffer(std::size_t bound) noexcept : bound_(bound) {}

    /// Appends all of `bytes`, or none if they would exceed the bound.
    bool append(std::string_view bytes) {
        if (bytes.size() > bound_ - filling_.size()) return false;
        filling_.append(bytes);
        return true;
    }

    bool empty() const noexcept { return filling_.empty(); }

    /// All bytes since the last call; valid until the next call.
    std::string_view take() noexcept {
        handed_out_.clear();
        std::swap(filling_, handed_out_);
        return handed_out_;
    }

 private:
    std::size_t bound_;
    std::string filling_;
    std::string handed_out_;
};

}  // namespace tandem::transport
