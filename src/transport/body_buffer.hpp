#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::transport {

/// Bytes between curl and the handler. While the handler looks at one batch, curl may fill the
/// next: resuming inside on_data() makes curl hand over what it held back at once.
class body_buffer {
 public:
    explicit body_buffer(std::size_t bound) noexcept : bound_(bound) {}

    /// Takes all of `bytes`, or none if they would pass the bound.
    bool append(std::string_view bytes) {
        if (bytes.size() > bound_ - filling_.size()) return false;
        filling_.append(bytes);
        return true;
    }

    bool empty() const noexcept { return filling_.empty(); }

    /// All bytes since the last call; valid until the next.
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
