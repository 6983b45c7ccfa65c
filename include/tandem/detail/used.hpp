#pragma once

#include <boost/assert.hpp>

#include <memory>

namespace tandem::detail {

/// What a handle stands for, where the handle is used: one that was moved from stands for nothing.
template <class T>
const std::shared_ptr<T>& used(const std::shared_ptr<T>& what) noexcept {
    BOOST_ASSERT_MSG(what, "a tandem handle is used that was moved from; assign to it first");
    return what;
}

}  // namespace tandem::detail
