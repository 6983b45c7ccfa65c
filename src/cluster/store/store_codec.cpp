#include "cluster/store/store_codec.hpp"

#include <cstdlib>
#include <hiredis/hiredis.h>
#include <hiredis/read.h>
#include <new>

namespace tandem::cluster {
namespace {

// hiredis calls these functions to build an answer. It frees only the outermost object, so this
// object must own the nested ones.
void* place(const redisReadTask* task, store_answer value) noexcept try {
    if (!task->parent) return std::make_unique<store_answer>(std::move(value)).release();
    auto& list = *static_cast<store_answer*>(task->parent->obj);
    auto& item = list.items.at(static_cast<std::size_t>(task->idx));
    item = std::move(value);
    return &item;
} catch (...) {
    return nullptr;  // hiredis then reports "Out of memory"
}

void* create_text(const redisReadTask* task, char* text, std::size_t size) noexcept try {
    const auto k = task->type == REDIS_REPLY_ERROR ? answer_kind::error : answer_kind::text;
    return place(task, {.kind = k, .text = std::string(text, size)});
} catch (...) {
    return nullptr;
}

void* create_list(const redisReadTask* task, int size) noexcept try {
    auto& left = *static_cast<std::size_t*>(task->privdata);
    const auto count = static_cast<std::size_t>(size);
    if (count > left) return nullptr;
    left -= count;
    store_answer list{.kind = answer_kind::list};
    list.items.resize(count);
    return place(task, std::move(list));
} catch (...) {
    return nullptr;
}

void* create_integer(const redisReadTask* task, long long value) noexcept {
    return place(task, {.kind = answer_kind::integer, .number = value});
}

void* create_nothing(const redisReadTask* task) noexcept {
    return place(task, {});
}

void free_answer(void* answer) noexcept {
    const std::unique_ptr<store_answer> owner(static_cast<store_answer*>(answer));
}

redisReplyObjectFunctions functions{create_text, create_list, create_integer, create_nothing,
                                    free_answer};

}  // namespace

std::string encode_command(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    texts.reserve(words.size());
    sizes.reserve(words.size());
    for (const auto& w : words) {
        texts.push_back(w.data());
        sizes.push_back(w.size());
    }
    char* command = nullptr;
    const auto size = redisFormatCommandArgv(&command, static_cast<int>(words.size()), texts.data(),
                                             sizes.data());
    if (size < 0) throw std::bad_alloc();
    const std::unique_ptr<char, decltype(&std::free)> owner(command, &std::free);
    return {command, static_cast<std::size_t>(size)};
}

void store_answer_reader::deleter::operator()(redisReader* reader) const noexcept {
    redisReaderFree(reader);
}

store_answer_reader::store_answer_reader()
    : reader_(redisReaderCreateWithFunctions(&functions)),
      items_left_(std::make_unique<std::size_t>(max_items)) {
    if (!reader_) throw std::bad_alloc();
    reader_->privdata = items_left_.get();
}

bool store_answer_reader::feed(std::string_view bytes) {
    if (!fault_.empty()) return false;
    unread_ += bytes.size();
    if (unread_ > max_bytes)
        fault_ = "the answer is too long";
    else if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK)
        fault_ = static_cast<const char*>(reader_->errstr);
    return fault_.empty();
}

std::optional<store_answer> store_answer_reader::next() {
    void* answer = nullptr;
    if (!fault_.empty()) return std::nullopt;
    if (redisReaderGetReply(reader_.get(), &answer) != REDIS_OK) {
        fault_ = static_cast<const char*>(reader_->errstr);
        return std::nullopt;
    }
    if (!answer) return std::nullopt;
    unread_ = 0;
    *items_left_ = max_items;
    const std::unique_ptr<store_answer> owner(static_cast<store_answer*>(answer));
    return std::move(*owner);
}

}  // namespace tandem::cluster
