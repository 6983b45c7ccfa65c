#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// The deployed scale of an adapter.
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

/// What is deployed, in a JSON file that one process has for itself. The file is replaced as a
/// whole, so that it is never half written. The constructor and put() take the time of the disk,
/// and throw store_error.
class adapter_store {
 public:
    /// Makes the file where there is none, readable by its owner alone. A file that it cannot read
    /// stays as it is.
    explicit adapter_store(const std::string& file);
    ~adapter_store();
    adapter_store(const adapter_store&) = delete;
    adapter_store& operator=(const adapter_store&) = delete;

    /// By model and adapter.
    const std::vector<deployed_adapter>& all() const noexcept { return deployed_; }
    /// In place of what the file has of this adapter. It is on the disk afterwards; where that
    /// fails nothing changes.
    void put(deployed_adapter a);

 private:
    void lock();
    std::string read() const;
    void take(std::string_view text);
    void write(const std::vector<deployed_adapter>& list) const;
    [[noreturn]] void fail(const std::string& what) const;

    std::string file_;
    class descriptor;
    std::unique_ptr<descriptor> lock_;
    std::vector<deployed_adapter> deployed_;
};

}  // namespace tandem::gateway
