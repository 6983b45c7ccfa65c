#include "gateway/adapters/adapter_store.hpp"

#include "gateway/json/field_reader.hpp"
#include "gateway/json/request_body.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/file.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

// Version of the file format.
constexpr std::int64_t version = 1;
// A file with the maximum of 64 adapters is far smaller.
constexpr std::size_t max_file_bytes = std::size_t{1} << 20;

bool write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(to, text.data(), text.size());
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

auto name_of(const deployed_adapter& a) {
    return std::tie(a.model, a.adapter);
}

bool read_one(field_reader& fields, const json& item, const std::string& at,
              deployed_adapter& out) {
    if (!item.is_object()) return fields.fail_wrong_type(item, at, "an object");
    return fields.read_required(item, at, "model", out.model) &&
           fields.read_required(item, at, "adapter", out.adapter) &&
           fields.read(item, at, "scale", out.scale);
}

bool read_list(field_reader& fields, const json& root, std::vector<deployed_adapter>& out) {
    constexpr auto list = "deployed";
    const auto* const found = field_reader::find(root, list);
    if (!found) return fields.fail_missing(list);
    if (!found->is_array()) return fields.fail_wrong_type(*found, list, "a list");
    out.resize(found->size());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!read_one(fields, (*found)[i], append_path(list, i), out[i])) return false;
    return true;
}

std::string text_of(const std::vector<deployed_adapter>& list) {
    json deployed = json::array();
    for (const auto& a : list)
        deployed.push_back({{"model", a.model}, {"adapter", a.adapter}, {"scale", a.scale}});
    return json{{"tandem_adapters", version}, {"deployed", std::move(deployed)}}.dump(2) + '\n';
}

}  // namespace

/// Closes the descriptor on scope exit.
class adapter_store::descriptor {
 public:
    descriptor(const std::string& path, int flags)
        : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;

    int number() const noexcept { return number_; }

 private:
    const int number_;
};

adapter_store::adapter_store(const std::string& file) : file_(file) {
    lock();
    const auto text = read();
    if (text.empty())
        write({});
    else
        load_entries(text);
}

adapter_store::~adapter_store() = default;

// Locks the store, because a second gateway would not see what this gateway deploys. The lock is a
// separate file, because each write replaces the store's file.
void adapter_store::lock() {
    lock_ = std::make_unique<descriptor>(file_ + ".lock", O_RDWR | O_CREAT);
    if (lock_->number() < 0) fail(std::strerror(errno));
    if (::flock(lock_->number(), LOCK_EX | LOCK_NB) != 0)
        fail("it is in use by another process; stop that process, or use another file");
}

/// Returns an empty string if there is no file.
std::string adapter_store::read() const {
    const descriptor d(file_, O_RDONLY);
    if (d.number() < 0 && errno == ENOENT) return {};
    if (d.number() < 0) fail(std::strerror(errno));
    std::string text(max_file_bytes + 1, '\0');
    std::size_t size = 0;
    for (ssize_t n = 1; n > 0 && size < text.size(); size += static_cast<std::size_t>(n)) {
        n = ::read(d.number(), text.data() + size, text.size() - size);
        if (n < 0) fail(std::strerror(errno));
    }
    text.resize(size);
    return text;
}

void adapter_store::load_entries(std::string_view text) {
    constexpr auto advice = "use another file, or remove it";
    if (text.starts_with("SQLite format 3"))
        fail("was written by an earlier version of tandem; remove it, and load the adapters again");
    json root;
    if (const auto fault = parse_body(text, max_file_bytes, root))
        fail(fmt::format("{}; {}", fault->message, advice));
    field_reader fields;
    std::optional<std::int64_t> found;
    if (!fields.read(root, "", "tandem_adapters", found) || !found)
        fail(fmt::format("is not a list of tandem's adapters; {}", advice));
    if (*found > version)
        fail(
            fmt::format("was written by a newer version of tandem (format {}, supported: {}); use "
                        "that version, or another file",
                        *found, version));
    if (!read_list(fields, root, deployed_))
        fail(fmt::format("{}; {}", std::move(fields).fault().message, advice));
}

void adapter_store::save_entry(deployed_adapter a) {
    auto list = deployed_;
    const auto at = std::ranges::lower_bound(list, name_of(a), {}, name_of);
    if (at != list.end() && name_of(*at) == name_of(a))
        *at = std::move(a);
    else
        list.insert(at, std::move(a));
    write(list);
    deployed_ = std::move(list);
}

void adapter_store::write(const std::vector<deployed_adapter>& list) const {
    // Opens the folder before writing, because an error must leave the file unchanged.
    const auto folder = std::filesystem::path(file_).parent_path().string();
    const descriptor around(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
    if (around.number() < 0) fail(std::strerror(errno));
    const auto next = file_ + ".new";
    const descriptor d(next, O_WRONLY | O_CREAT | O_TRUNC);
    const bool is_written = d.number() >= 0 && write_all(d.number(), text_of(list)) &&
                            ::fsync(d.number()) == 0 &&
                            std::rename(next.c_str(), file_.c_str()) == 0;
    if (!is_written) fail(std::strerror(errno));
    // Syncs the folder, so that the rename survives a power failure. Errors are ignored, because
    // some file systems cannot sync a folder.
    ::fsync(around.number());
}

void adapter_store::fail(const std::string& what) const {
    throw adapter_store_error(fmt::format("{}: {}", file_, what));
}

}  // namespace tandem::gateway
