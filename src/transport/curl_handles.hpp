#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>

// RAII wrappers for curl's handles.
namespace tandem::transport {

struct easy_deleter {
    void operator()(CURL* h) const noexcept { curl_easy_cleanup(h); }
};
struct multi_deleter {
    void operator()(CURLM* h) const noexcept { curl_multi_cleanup(h); }
};
struct url_deleter {
    void operator()(CURLU* h) const noexcept { curl_url_cleanup(h); }
};
struct slist_deleter {
    void operator()(curl_slist* l) const noexcept { curl_slist_free_all(l); }
};
struct string_deleter {
    void operator()(char* s) const noexcept { curl_free(s); }
};

using easy_handle = std::unique_ptr<CURL, easy_deleter>;
using multi_handle = std::unique_ptr<CURLM, multi_deleter>;
using url_handle = std::unique_ptr<CURLU, url_deleter>;
using header_list = std::unique_ptr<curl_slist, slist_deleter>;
using curl_string = std::unique_ptr<char, string_deleter>;

inline void append(header_list& list, const char* line) {
    curl_slist* longer = curl_slist_append(list.get(), line);
    if (!longer) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
}

/// Sets options of an easy handle, and records the first failure: an option that is silently
/// missing could be the certificate check.
class option_setter {
 public:
    explicit option_setter(CURL* easy) noexcept : easy_(easy) {}

    template <class T>
    void operator()(CURLoption option, T value) noexcept {
        const CURLcode code = curl_easy_setopt(easy_, option, value);
        if (result_ == CURLE_OK) result_ = code;
    }
    CURLcode result() const noexcept { return result_; }

 private:
    CURL* easy_;
    CURLcode result_ = CURLE_OK;
};

}  // namespace tandem::transport
