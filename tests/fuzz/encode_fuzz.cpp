// SPDX-License-Identifier: BSD-3-Clause
// Differential: for every tokenizer of tests/data/token the encoder's fast path must give the ids
// of the general one (regular expressions, no cache), whatever special tokens in the text mean, and
// lossless ones must decode to the text; the bytes as they are must come back too where a
// vocabulary has tokens for them. The input is the text; one of 8 bytes is also a seed for
// generated torture text. A difference aborts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "lib/text/unicode.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "lib/token/torture_text.h"

namespace {

using namespace longhaul;
using namespace longhaul::token;

constexpr SpecialText kPolicies[] = {SpecialText::kPlain, SpecialText::kParse,
                                     SpecialText::kRefuse};

void check(bool right, const std::string& name, const char* what) {
    if (right) return;
    std::fprintf(stderr, "%s: %s\n", name.c_str(), what);
    std::abort();
}

/// One tokenizer with an encoder of each kind; the caches live on, as they do in a run.
class Subject {
 public:
    Subject(std::string name, const TokenizerSource& source)
        : name_(std::move(name)), tokenizer_(load_tokenizer(source)) {
        for (const SpecialText policy : kPolicies) {
            fast_.emplace_back(tokenizer_, EncodeOptions{policy, 1 << 16, true});
            general_.emplace_back(tokenizer_, EncodeOptions{policy, 0, false});
        }
    }

    void try_text(const std::string& text) {
        for (size_t i = 0; i < std::size(kPolicies); ++i) try_policy(i, text);
    }
    void try_bytes(std::string_view bytes) {
        if (!takes_bytes_) return;
        std::vector<uint32_t> fast, general, as_text;
        fast_[0].encode_bytes(bytes, fast);
        general_[0].encode_bytes(bytes, general);
        check(fast == general, name_, "the fast path gives other ids for bytes");
        if (tokenizer_.is_lossless()) {
            check(tokenizer_.decode_bytes(fast, false) == bytes, name_, "bytes do not come back");
        }
        if (!text::is_valid_utf8(bytes)) return;
        fast_[0].encode(bytes, as_text);
        check(as_text == fast, name_, "a text has other ids as bytes");
    }
    const Tokenizer& tokenizer() const { return tokenizer_; }

 private:
    void try_policy(size_t i, const std::string& text) {
        std::vector<uint32_t> fast, general;
        const AddedToken* found = fast_[i].encode(text, fast);
        check(found == general_[i].encode(text, general), name_, "special text is seen otherwise");
        check(fast == general, name_, "the fast path gives other ids");
        check(found == nullptr || fast.empty(), name_, "a refused document has ids");
        for (const uint32_t id : fast) check(tokenizer_.is_token(id), name_, "an id is no token");
        if (found == nullptr && tokenizer_.is_lossless()) {
            check(tokenizer_.decode(fast, false) == text, name_, "decoding gives another text");
        }
    }

    std::string name_;
    Tokenizer tokenizer_;
    bool takes_bytes_ = why_no_raw_bytes(tokenizer_).empty();
    std::vector<Encoder> fast_, general_;
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

void add_file(const std::filesystem::path& path, Subjects& subjects) {
    const std::string name = path.filename().string();
    if (path.extension() == ".tiktoken") {
        for (const SchemeInfo& info : known_schemes()) {
            subjects.push_back(std::make_unique<Subject>(
                name + " " + info.name,
                TokenizerSource{
                    path.string(), info.name, {"<|endoftext|>=899", "<|im_start|>=904"}}));
        }
    } else if (path.extension() == ".json" || path.extension() == ".model") {
        subjects.push_back(std::make_unique<Subject>(name, TokenizerSource{path.string(), "", {}}));
    }
}

Subjects load_all() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(LH_TEST_DATA "/token")) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    Subjects subjects;
    for (const auto& path : paths) add_file(path, subjects);
    check(subjects.size() >= 11, LH_TEST_DATA "/token", "too few tokenizers");
    return subjects;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Subjects subjects = load_all();
    uint64_t replaced = 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data), std::min<size_t>(size, 4096));
    const std::string text = text::replace_invalid_utf8(bytes, replaced);
    uint64_t seed = 0;
    for (const auto& subject : subjects) {
        subject->try_text(text);
        subject->try_bytes(bytes);
        if (size != sizeof seed) continue;
        std::memcpy(&seed, data, sizeof seed);
        for (uint64_t i = 0; i < 10; ++i) {
            subject->try_text(torture_text(subject->tokenizer(), seed, i));
        }
    }
    return 0;
}
