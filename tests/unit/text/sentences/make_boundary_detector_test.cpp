#include "text/sentences/make_boundary_detector.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(BoundaryRules, GiveAFreshDetector) {
    const auto detector = make_boundary_detector(boundary_rule::classic);
    EXPECT_EQ(detector->feed("Hello.").pending, 6u);
}

}  // namespace
}  // namespace tandem::text
