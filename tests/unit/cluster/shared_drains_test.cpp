#include "cluster/shared_drains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using tandem::cluster::shared_drains;
using testing::ElementsAre;
using testing::IsEmpty;
using change = shared_drains::change;
using mark = shared_drains::mark;

constexpr bool is_lost = true;

/// A gateway that has learned from the store that "a" is drained.
shared_drains with_drained_server() {
    shared_drains d;
    d.update({"a"}, !is_lost);
    return d;
}

TEST(shared_drains, follow_the_store) {
    shared_drains d;
    EXPECT_THAT(d.update({}, !is_lost), IsEmpty());
    EXPECT_THAT(d.update({"a"}, !is_lost), ElementsAre(change{"a", true}));
    EXPECT_THAT(d.update({"a", "b"}, !is_lost), ElementsAre(change{"a", true}, change{"b", true}));
    EXPECT_THAT(d.update({"b"}, !is_lost), ElementsAre(change{"a", false}, change{"b", true}));
    EXPECT_THAT(d.list_unwritten_marks(), IsEmpty());
}

TEST(shared_drains, are_written_until_the_store_has_them) {
    shared_drains d;
    d.set_drained("a", true);
    EXPECT_THAT(d.list_unwritten_marks(), ElementsAre(mark{"a", true}));
    EXPECT_THAT(d.update({}, !is_lost), ElementsAre(change{"a", true})) << "not written yet";
    d.mark_written({"a", true});
    EXPECT_THAT(d.list_unwritten_marks(), IsEmpty());
    EXPECT_THAT(d.update({}, !is_lost), ElementsAre(change{"a", false})) << "undrained elsewhere";
}

TEST(shared_drains, end_though_the_store_has_not_heard_of_it) {
    auto d = with_drained_server();
    d.set_drained("a", false);
    EXPECT_THAT(d.update({"a"}, !is_lost), IsEmpty());
    EXPECT_THAT(d.list_unwritten_marks(), ElementsAre(mark{"a", false}));
}

TEST(shared_drains, keep_the_latest_mark_of_several) {
    shared_drains d;
    d.set_drained("a", true);
    d.set_drained("a", false);
    d.mark_written({"a", true});
    EXPECT_THAT(d.list_unwritten_marks(), ElementsAre(mark{"a", false}));
}

TEST(shared_drains, are_restored_in_a_store_that_has_lost_them) {
    auto d = with_drained_server();
    EXPECT_THAT(d.update({}, is_lost), ElementsAre(change{"a", true}));
    EXPECT_THAT(d.list_unwritten_marks(), ElementsAre(mark{"a", true, true}));
    d.mark_written({"a", true, true});
    EXPECT_THAT(d.update({}, !is_lost), ElementsAre(change{"a", false}))
        << "the store had a later mark";
}

}  // namespace
