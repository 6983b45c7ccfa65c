#pragma once

#include <boost/assert.hpp>

#include <memory>

namespace tandem::detail {

/// Returns `what`. Asserts that the handle was not moved from.
template <class T>
const std::shared_ptr<T>& assert_not_moved_from(const std::shared_ptr<T>& what) noexcept {
    BOOST_ASSERT_MSG(what, "use of a moved-from tandem handle");
    return what;
}

}  // namespace tandem::detail
