#include "gateway/adapters/adapter_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace tandem::gateway {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Limits this process to `count` more descriptors.
class few_descriptors {
 public:
    explicit few_descriptors(int count) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const int lowest = ::dup(STDERR_FILENO);
        ::close(lowest);
        rlimit few = before_;
        few.rlim_cur = static_cast<rlim_t>(lowest + count);
        ::setrlimit(RLIMIT_NOFILE, &few);
    }
    ~few_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    few_descriptors(const few_descriptors&) = delete;
    few_descriptors& operator=(const few_descriptors&) = delete;

 private:
    rlimit before_{};
};

class adapter_file : public ::testing::Test {
 protected:
    adapter_file() { fs::create_directory(folder_); }
    ~adapter_file() override { fs::remove_all(folder_); }

    /// The error of a new store for this file, or an empty string if the store accepts the file.
    std::string refusal(const std::string& file) {
        try {
            adapter_store s(file);
            return {};
        } catch (const adapter_store_error& e) {
            return e.what();
        }
    }
    /// The error of a store for a file with this text. The test fails if the store changes the
    /// file.
    std::string refusal_of(const std::string& text) {
        std::ofstream(file_, std::ios::binary) << text;
        auto words = refusal(file_);
        EXPECT_EQ(bytes_of(file_), text);
        return words;
    }

    const std::string folder_ = ::testing::TempDir() + "adapter_store." +
                                ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                                '.' + std::to_string(::getpid());
    const std::string file_ = folder_ + "/state.json";
};

TEST_F(adapter_file, is_made_if_there_is_none) {
    EXPECT_THAT(adapter_store(file_).all(), IsEmpty());
    EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(adapter_file, remembers_what_was_put_last) {
    {
        adapter_store s(file_);
        s.save_entry({"talk", "formal", 1.0});
        s.save_entry({"code", "rust", 0.25});
        s.save_entry({"talk", "formal", 0.5});
    }
    EXPECT_THAT(adapter_store(file_).all(), ElementsAre(deployed_adapter{"code", "rust", 0.25},
                                                        deployed_adapter{"talk", "formal", 0.5}));
}

TEST_F(adapter_file, has_what_was_put_when_its_process_dies) {
    adapter_store s(file_);
    s.save_entry({"talk", "formal", 0.5});
    // Simulates a crash during a write: the file has its previous contents, and the next version is
    // incomplete.
    const auto copy = folder_ + "/copy.json";
    fs::copy_file(file_, copy);
    std::ofstream(copy + ".new") << "{";
    EXPECT_THAT(adapter_store(copy).all(), ElementsAre(deployed_adapter{"talk", "formal", 0.5}));
}

TEST_F(adapter_file, is_unchanged_if_it_cannot_be_written) {
    adapter_store s(file_);
    s.save_entry({"talk", "formal", 0.5});
    fs::create_directory(file_ + ".new");
    EXPECT_THROW(s.save_entry({"talk", "formal", 1.0}), adapter_store_error);
    EXPECT_THAT(s.all(), ElementsAre(deployed_adapter{"talk", "formal", 0.5}));
}

TEST_F(adapter_file, is_unchanged_if_its_folder_cannot_be_opened) {
    adapter_store s(file_);
    s.save_entry({"talk", "formal", 0.5});
    const auto before = bytes_of(file_);
    {
        const few_descriptors one(1);
        EXPECT_THROW(s.save_entry({"talk", "formal", 1.0}), adapter_store_error);
    }
    EXPECT_EQ(bytes_of(file_), before);
    EXPECT_THAT(s.all(), ElementsAre(deployed_adapter{"talk", "formal", 0.5}));
}

TEST_F(adapter_file, is_of_one_process_at_a_time) {
    adapter_store s(file_);
    EXPECT_THAT(refusal(file_), HasSubstr(file_ + ": it is in use by another process"));
}

TEST_F(adapter_file, must_be_tandems) {
    EXPECT_THAT(refusal_of("xxx"), HasSubstr(file_ + ": "));
    EXPECT_THAT(refusal_of("{}"), HasSubstr("is not a list of tandem's adapters"));
    EXPECT_THAT(refusal_of("SQLite format 3" + std::string(80, '\0')),
                HasSubstr("was written by an earlier version of tandem"));
    EXPECT_THAT(refusal_of(std::string(2 << 20, ' ')), HasSubstr(file_ + ": "));
}

TEST_F(adapter_file, must_have_the_fields_that_it_should) {
    EXPECT_THAT(refusal_of(R"({"tandem_adapters":1})"), HasSubstr("deployed"));
    EXPECT_THAT(refusal_of(R"({"tandem_adapters":1,"deployed":[{"model":"talk"}]})"),
                HasSubstr("deployed[0].adapter"));
    EXPECT_THAT(
        refusal_of(R"({"tandem_adapters":1,"deployed":[{"model":"a","adapter":"b","scale":"x"}]})"),
        HasSubstr("deployed[0].scale"));
}

TEST_F(adapter_file, must_not_be_of_a_newer_version) {
    EXPECT_THAT(refusal_of(R"({"tandem_adapters":2,"deployed":[]})"),
                HasSubstr("was written by a newer version of tandem (format 2"));
}

TEST_F(adapter_file, must_be_where_it_can_be_made) {
    EXPECT_THAT(refusal(folder_ + "/no/state.json"), HasSubstr("/no/state.json: No such file"));
    fs::create_directory(file_);
    EXPECT_THAT(refusal(file_), HasSubstr(file_ + ": "));
}

}  // namespace
}  // namespace tandem::gateway
