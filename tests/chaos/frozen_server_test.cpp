// SIGSTOP: clients can connect to the server, but receive nothing.

#include "chaos/chaos_fixture.hpp"
#include "support/poll_until.hpp"

#include <set>

namespace tandem::testing {
namespace {

class a_frozen_server : public chaos {
 protected:
    // The slots that the server has used, without the first `uses` uses in its log.
    static std::set<int> slots_used(const real_server& s, std::size_t uses) {
        const auto all = parse_slot_uses(s.log());
        std::set<int> numbers;
        for (auto i = uses; i < all.size(); ++i) numbers.insert(all[i].slot);
        return numbers;
    }
};

TEST_F(a_frozen_server, is_left_for_another_and_loses_no_slot) {
    constexpr int slots = 4;
    start_servers(2, slots);
    const auto texts = undisturbed(service_of(urls()));
    talkers people(impatient(service_of(urls())), observed(), {.max_speech = 50ms, .seed = seed()},
                   texts);
    const int freezes = 3;
    for (int i = 0; i < freezes && !people.done(); ++i) {
        let_pass_up_to(300ms);
        note("FREEZE");
        server(0).freeze();
        let_pass(1500ms);
        const int before = people.replies();
        EXPECT_TRUE(poll_until([&] { return people.replies() >= before + 8; }));
        server(0).thaw();
        note("THAW");
        EXPECT_TRUE(poll_until([&, uses = parse_slot_uses(server(0).log()).size()] {
            return slots_used(server(0), uses).size() == slots;
        })) << "each of its slots is used again";
    }
    const auto totals = people.finish();
    std::cout << freezes << " times frozen; " << totals.to_string() << "\n";
    expect_all_right(totals);
    EXPECT_GT(totals.retries, 0);
    EXPECT_TRUE(becomes_idle(server(0)) && becomes_idle(server(1)));
}

}  // namespace
}  // namespace tandem::testing
