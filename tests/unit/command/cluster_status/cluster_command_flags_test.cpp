#include "unit/command/arguments_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class cluster_arguments : public arguments {
 protected:
    command_line cluster(std::vector<std::string> args) {
        args.insert(args.begin(), {"cluster", "--cluster", "redis://valkey"});
        return parse(std::move(args));
    }
};

TEST_F(cluster_arguments, show_the_status_unless_they_name_a_part) {
    EXPECT_EQ(cluster({}).cluster->part, cluster_view_part::status);
    EXPECT_EQ(cluster({"status"}).cluster->part, cluster_view_part::status);
    EXPECT_EQ(cluster({"slots"}).cluster->part, cluster_view_part::slots);
    EXPECT_EQ(cluster({"queue", "--json"}).cluster->part, cluster_view_part::queue);
    EXPECT_EQ(cluster({"sessions"}).cluster->part, cluster_view_part::sessions);
    EXPECT_EQ(cluster({}).cluster->server, "");
}

TEST_F(cluster_arguments, name_a_server_to_drain_in_any_spelling) {
    const auto drain = cluster({"drain", "http://user:pass@Llama:80/"});
    EXPECT_EQ(drain.cluster->server, "http://llama:80");
    EXPECT_TRUE(drain.cluster->is_drained);
    const auto undrain = cluster({"undrain", "http://localhost:8080"});
    EXPECT_EQ(undrain.cluster->server, "http://127.0.0.1:8080");
    EXPECT_FALSE(undrain.cluster->is_drained);
}

TEST_F(cluster_arguments, are_refused_if_they_make_no_sense) {
    EXPECT_THAT(
        cluster({"slot"}).err,
        HasSubstr("ACTION is slot; it must be status, slots, queue, sessions, drain or undrain"));
    EXPECT_THAT(cluster({"slots", "http://llama"}).err,
                HasSubstr("http://llama is an unexpected argument"));
    EXPECT_THAT(cluster({"drain"}).err,
                HasSubstr("SERVER is missing; give the URL of the server to drain"));
    EXPECT_THAT(parse({"cluster", "--cluster", "valkey"}).err,
                HasSubstr("--cluster: \"valkey\" begins with none of redis://"));
    EXPECT_THAT(parse({"cluster", "--cluster", "http://u:secret@valkey"}).err,
                Not(HasSubstr("secret")));
    EXPECT_THAT(cluster({"drain", "llama"}).err, HasSubstr("SERVER: "));
    EXPECT_THAT(parse({"cluster", "slots"}).err, HasSubstr("--cluster is missing"));
    EXPECT_EQ(parse({"cluster"}).status, 2);
}

}  // namespace
}  // namespace tandem::command
