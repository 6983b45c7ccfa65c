#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

struct deployed_adapter {
    std::string model{};
    std::string adapter{};
    double scale = 1.0;

    friend bool operator==(const deployed_adapter&, const deployed_adapter&) = default;
};

/// what() names the file, the problem and the remedy.
class adapter_store_error : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// The deployed adapters, in a JSON file that one process owns. The file is replaced atomically.
/// The constructor and save_entry() block on disk I/O and throw adapter_store_error.
class adapter_store {
 public:
    /// Creates a missing file, readable by its owner only. An unreadable file is left unchanged.
    explicit adapter_store(const std::string& file);
    ~adapter_store();

    /// Sorted by model and adapter.
    const std::vector<deployed_adapter>& all() const noexcept { return deployed_; }
    /// Replaces the entry of this adapter and syncs it to disk. On an error, all() and the file
    /// are unchanged.
    void save_entry(deployed_adapter a);

 private:
    void lock();
    std::string read() const;
    void load_entries(std::string_view text);
    void write(const std::vector<deployed_adapter>& list) const;
    [[noreturn]] void fail(const std::string& what) const;

    std::string file_;
    class descriptor;
    std::unique_ptr<descriptor> lock_;
    std::vector<deployed_adapter> deployed_;
};

}  // namespace tandem::gateway
