#include "gateway/adapters/adapter_store.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

namespace tandem::gateway {
namespace {

// Told by the file itself: that it is one of tandem's, and how its tables look.
constexpr int application = 0x74646d73;  // "tdms"
constexpr int version = 1;
constexpr int longest_wait_ms = 1000;

class statement {
 public:
    statement(sqlite3* db, const char* text) {
        if (sqlite3_prepare_v2(db, text, -1, &handle_, nullptr) != SQLITE_OK) handle_ = nullptr;
    }
    ~statement() { sqlite3_finalize(handle_); }
    statement(const statement&) = delete;
    statement& operator=(const statement&) = delete;

    void bind(int place, const std::string& text) {
        sqlite3_bind_text(handle_, place, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT);
    }
    void bind(int place, double number) { sqlite3_bind_double(handle_, place, number); }
    int step() { return handle_ ? sqlite3_step(handle_) : SQLITE_ERROR; }
    std::string text(int column) const {
        const auto* const bytes = sqlite3_column_text(handle_, column);
        return bytes ? std::string(reinterpret_cast<const char*>(bytes)) : std::string();
    }
    double real(int column) const { return sqlite3_column_double(handle_, column); }
    int integer(int column) const { return sqlite3_column_int(handle_, column); }

 private:
    sqlite3_stmt* handle_ = nullptr;
};

}  // namespace

void adapter_store::closing::operator()(sqlite3* db) const noexcept {
    sqlite3_close(db);
}

adapter_store::adapter_store(const std::string& file) : file_(file) {
    prepare_file();
    sqlite3* db = nullptr;
    const int opened = sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr);
    db_.reset(db);
    if (opened != SQLITE_OK) fail("cannot be opened");
    sqlite3_busy_timeout(db, longest_wait_ms);
    // Another gateway with this file would not know what this one deploys.
    run("PRAGMA locking_mode = EXCLUSIVE");
    run("PRAGMA synchronous = FULL");
    run("BEGIN EXCLUSIVE");
    check_owner();
    make_tables();
    run("COMMIT");
    // The file keeps it: that of another program must not.
    run("PRAGMA journal_mode = WAL");
}

adapter_store::~adapter_store() = default;

// SQLite would make it readable by all whom the umask lets.
void adapter_store::prepare_file() const {
    const int descriptor = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) throw store_error(fmt::format("{}: {}", file_, std::strerror(errno)));
    ::close(descriptor);
}

void adapter_store::check_owner() {
    const auto owner = number("PRAGMA application_id");
    const bool is_new = owner == 0 && number("SELECT count(*) FROM sqlite_master") == 0;
    if (owner != application && !is_new)
        throw store_error(file_ + ": is the database of another program; name another file");
    const auto found = number("PRAGMA user_version");
    if (found > version)
        throw store_error(
            fmt::format("{}: is of a newer tandem (version {} of its tables, known "
                        "are those up to {}); use that one, or another file",
                        file_, found, version));
}

void adapter_store::make_tables() {
    run("CREATE TABLE IF NOT EXISTS deployed_adapters ("
        "model TEXT NOT NULL, adapter TEXT NOT NULL, scale REAL NOT NULL, "
        "PRIMARY KEY (model, adapter)) WITHOUT ROWID");
    run(fmt::format("PRAGMA application_id = {}", application).c_str());
    run(fmt::format("PRAGMA user_version = {}", version).c_str());
}

std::vector<deployed_adapter> adapter_store::all() {
    statement rows(db_.get(),
                   "SELECT model, adapter, scale FROM deployed_adapters ORDER BY model, adapter");
    std::vector<deployed_adapter> list;
    int status = SQLITE_ROW;
    while ((status = rows.step()) == SQLITE_ROW)
        list.push_back({rows.text(0), rows.text(1), rows.real(2)});
    if (status != SQLITE_DONE) fail("cannot be read");
    return list;
}

void adapter_store::put(const deployed_adapter& a) {
    statement row(db_.get(),
                  "INSERT INTO deployed_adapters VALUES (?1, ?2, ?3) "
                  "ON CONFLICT DO UPDATE SET scale = excluded.scale");
    row.bind(1, a.model);
    row.bind(2, a.adapter);
    row.bind(3, a.scale);
    if (row.step() != SQLITE_DONE) fail("cannot be written");
}

int adapter_store::number(const char* query) {
    statement row(db_.get(), query);
    if (row.step() != SQLITE_ROW) fail("cannot be read");
    return row.integer(0);
}

void adapter_store::run(const char* text) {
    if (sqlite3_exec(db_.get(), text, nullptr, nullptr, nullptr) != SQLITE_OK)
        fail("cannot be used");
}

void adapter_store::fail(const std::string& what) const {
    const int code = db_ ? sqlite3_errcode(db_.get()) & 0xff : SQLITE_NOMEM;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        throw store_error(file_ + ": another process has it; stop that one, or name another file");
    if (code == SQLITE_NOTADB)
        throw store_error(file_ + ": is no SQLite database; name another file");
    throw store_error(
        fmt::format("{}: {}: {}", file_, what, db_ ? sqlite3_errmsg(db_.get()) : "out of memory"));
}

}  // namespace tandem::gateway
