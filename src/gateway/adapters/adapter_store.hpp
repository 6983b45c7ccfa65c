#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct sqlite3;

namespace tandem::gateway {

/// How much an adapter was told to count.
struct deployed_adapter {
    std::string model{};
    std::string adapter{};
    double scale = 1.0;

    friend bool operator==(const deployed_adapter&, const deployed_adapter&) = default;
};

/// what() names the file, what is wrong with it, and what to do.
class store_error : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// What is deployed, in a SQLite file that one process has for itself. What was put is on the disk.
/// The functions take the time of the disk, and throw store_error.
class adapter_store {
 public:
    /// Makes the file where there is none, readable by its owner alone.
    explicit adapter_store(const std::string& file);
    ~adapter_store();
    adapter_store(const adapter_store&) = delete;
    adapter_store& operator=(const adapter_store&) = delete;

    /// By model and adapter.
    std::vector<deployed_adapter> all();
    /// In place of what the file has of this adapter.
    void put(const deployed_adapter& a);

 private:
    struct closing {
        void operator()(sqlite3* db) const noexcept;
    };
    void prepare_file() const;
    void check_owner();
    void make_tables();
    int number(const char* query);
    void run(const char* text);
    [[noreturn]] void fail(const std::string& what) const;

    std::string file_;
    std::unique_ptr<sqlite3, closing> db_;
};

}  // namespace tandem::gateway
