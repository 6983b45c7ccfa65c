// Replies run continuously during faults of every kind. Neither the memory nor the number of
// descriptors may grow.

#include "chaos/proxied_fixture.hpp"
#include "support/poll_until.hpp"
#include "support/process.hpp"

#include <limits>

namespace tandem::testing {
namespace {

// The lowest values in a period. Peaks do not matter: running replies hold resources for a moment.
struct low_water {
    std::size_t memory = std::numeric_limits<std::size_t>::max();
    std::size_t descriptors = std::numeric_limits<std::size_t>::max();
    int replies = 0;  // until the end of the period

    void look() {
        memory = std::min(memory, resident_bytes());
        descriptors = std::min(descriptors, open_descriptors());
    }
};

class soak : public proxied_servers {
 protected:
    void look_for(std::chrono::milliseconds time, low_water& low) {
        poll_until([&] { return low.look(), false; }, time);
    }

    // Only one server at a time has a fault.
    void cause_trouble(low_water& low) {
        const auto i = static_cast<std::size_t>(pick(0, 1));
        const std::chrono::milliseconds time(pick(50, 700));
        switch (pick(0, 2)) {
            case 0:
                note(fmt::format("KILL {}", i));
                server(i).kill_hard();
                look_for(time, low);
                return server(i).start_again();
            case 1:
                note(fmt::format("FREEZE {}", i));
                server(i).freeze();
                look_for(time, low);
                return server(i).thaw();
            default:
                note(fmt::format("CLOSE {}", i));
                proxy(i).close_port();
                look_for(time, low);
                return proxy(i).open_port();
        }
    }

    low_water go_through_trouble(const talkers& people, std::chrono::milliseconds time) {
        low_water low;
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end && !people.done()) {
            cause_trouble(low);
            look_for(std::chrono::milliseconds(pick(50, 300)), low);
            ++troubles_;
        }
        low.replies = people.replies();
        return low;
    }
    int troubles() const { return troubles_; }

 private:
    int troubles_ = 0;
};

TEST_F(soak, memory_and_descriptors_stay_flat) {
    start_proxied(2, {.seed = seed()});
    const auto texts = undisturbed(service_of(urls()));
    const auto before = open_descriptors();
    make_network_bad(false, 250);  // stalls take seconds, and the test needs many replies
    const auto quarter =
        std::chrono::milliseconds(number_from_environment("TANDEM_SOAK_SECONDS", 20) * 250);
    auto people = std::make_unique<talkers>(impatient_service(), observed(),
                                            talk_plan{.seed = seed()}, texts);
    go_through_trouble(*people, quarter);  // fills pools and caches, so it is not compared
    const auto first = go_through_trouble(*people, quarter);
    go_through_trouble(*people, quarter);
    const auto last = go_through_trouble(*people, quarter);
    const auto totals = people->finish();
    people.reset();

    const int between = last.replies - first.replies;
    const auto growth = static_cast<long>(last.memory) - static_cast<long>(first.memory);
    std::cout << troubles() << " troubles; " << fault_counts() << "; " << totals.to_string() << "\n"
              << between << " replies between the measured times: memory grew by " << growth / 1024
              << " KiB, descriptors from " << first.descriptors << " to " << last.descriptors
              << "\n";
    expect_all_right(totals);
    EXPECT_GT(between, 0);
    // A reply that leaks its text and timeline leaks 2 KiB or more. The bound allows for growth in
    // the allocator.
    EXPECT_TRUE(!is_memory_measurable || growth < 2 * 1024 * 1024 + between * 512) << growth;
    // Eight concurrent replies use up to four descriptors each, including those of the proxy.
    EXPECT_LE(last.descriptors, first.descriptors + 16);
    expect_nothing_left();
    EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace tandem::testing
