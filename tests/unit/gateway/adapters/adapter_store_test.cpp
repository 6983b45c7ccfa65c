#include "gateway/adapters/adapter_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <string>
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

class adapter_file : public ::testing::Test {
 protected:
    adapter_file() { fs::create_directory(folder_); }
    ~adapter_file() override { fs::remove_all(folder_); }

    /// What a new store says; empty if it takes the file.
    std::string refusal(const std::string& file) {
        try {
            adapter_store s(file);
            return {};
        } catch (const store_error& e) {
            return e.what();
        }
    }
    /// As another program would.
    void run(const std::string& statement) {
        sqlite3* db = nullptr;
        ASSERT_EQ(sqlite3_open(file_.c_str(), &db), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(db, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(db);
    }

    const std::string folder_ = ::testing::TempDir() + "adapter_store." +
                                ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                                '.' + std::to_string(::getpid());
    const std::string file_ = folder_ + "/state.db";
};

TEST_F(adapter_file, is_made_where_there_is_none) {
    EXPECT_THAT(adapter_store(file_).all(), IsEmpty());
    EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(adapter_file, remembers_what_was_put_last) {
    {
        adapter_store s(file_);
        s.put({"talk", "formal", 1.0});
        s.put({"code", "rust", 0.25});
        s.put({"talk", "formal", 0.5});
    }
    EXPECT_THAT(adapter_store(file_).all(), ElementsAre(deployed_adapter{"code", "rust", 0.25},
                                                        deployed_adapter{"talk", "formal", 0.5}));
}

TEST_F(adapter_file, has_what_was_put_when_its_process_dies) {
    adapter_store s(file_);
    s.put({"talk", "formal", 0.5});
    // As the disk has it at this moment.
    const auto copy = folder_ + "/copy.db";
    fs::copy_file(file_, copy);
    fs::copy_file(file_ + "-wal", copy + "-wal");
    EXPECT_THAT(adapter_store(copy).all(), ElementsAre(deployed_adapter{"talk", "formal", 0.5}));
}

TEST_F(adapter_file, is_of_one_process_at_a_time) {
    adapter_store s(file_);
    EXPECT_THAT(refusal(file_), HasSubstr(file_ + ": another process has it"));
}

TEST_F(adapter_file, must_be_a_database) {
    std::ofstream(file_) << std::string(5000, 'x');
    EXPECT_THAT(refusal(file_), HasSubstr(file_ + ": is no SQLite database"));
}

TEST_F(adapter_file, must_not_be_another_programs) {
    run("CREATE TABLE theirs (x)");
    const auto as_it_was = bytes_of(file_);
    EXPECT_THAT(refusal(file_), HasSubstr("is the database of another program"));
    EXPECT_EQ(bytes_of(file_), as_it_was);
}

TEST_F(adapter_file, must_not_be_of_a_newer_version) {
    { adapter_store s(file_); }
    run("PRAGMA user_version = 2");
    EXPECT_THAT(refusal(file_), HasSubstr("is of a newer tandem (version 2"));
}

TEST_F(adapter_file, must_be_where_it_can_be_made) {
    EXPECT_THAT(refusal(folder_ + "/no/state.db"), HasSubstr("/no/state.db: No such file"));
    EXPECT_THAT(refusal(folder_), HasSubstr(folder_ + ": "));
}

}  // namespace
}  // namespace tandem::gateway
