// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/trainer.h"

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "lib/base/error.h"
#include "lib/token/byte_level.h"

namespace longhaul::token {

namespace {

using PairKey = uint64_t;  // left << 32 | right: ordered as pairs are
PairKey key_of(uint32_t left, uint32_t right) {
    return uint64_t{left} << 32 | right;
}

struct PairInfo {
    PairKey pair = 0;
    int64_t count = 0;
    std::vector<uint32_t> words;  // where it occurs or did; ascending runs, may repeat
};

/// Pairs by key: open addressing, one cache line for most look-ups. Pairs stay; those that are
/// merged count 0.
class PairTable {
 public:
    PairTable() : slots_(1 << 16, kFree) {}

    /// Makes the pair when it is new. The reference lives until the next call.
    PairInfo& operator[](PairKey pair) {
        size_t slot = slot_of(pair);
        if (slots_[slot] != kFree) return infos_[slots_[slot]];
        if (2 * (infos_.size() + 1) > slots_.size()) {
            grow();
            slot = slot_of(pair);
        }
        slots_[slot] = static_cast<uint32_t>(infos_.size());
        keys_[slot] = pair;
        return infos_.emplace_back(PairInfo{pair, 0, {}});
    }
    const std::vector<PairInfo>& all() const { return infos_; }

 private:
    static constexpr uint32_t kFree = ~uint32_t{0};

    /// Where the pair is, or the free slot where it belongs.
    size_t slot_of(PairKey pair) const {
        const uint64_t hash = pair * 0x9E3779B97F4A7C15ull;
        size_t slot = (hash ^ hash >> 29) & (slots_.size() - 1);
        while (slots_[slot] != kFree && keys_[slot] != pair)
            slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    void grow() {
        slots_.assign(2 * slots_.size(), kFree);
        keys_.resize(slots_.size());
        for (uint32_t i = 0; i < infos_.size(); ++i) {
            const size_t slot = slot_of(infos_[i].pair);
            slots_[slot] = i;
            keys_[slot] = infos_[i].pair;
        }
    }

    std::vector<uint32_t> slots_;  // indices of infos_
    std::vector<PairKey> keys_ = std::vector<PairKey>(slots_.size());
    std::vector<PairInfo> infos_;
};

struct Candidate {
    int64_t count;
    PairKey pair;
    /// Lower priority: a smaller count, or of equals the larger pair.
    bool operator<(const Candidate& other) const {
        return count != other.count ? count < other.count : pair > other.pair;
    }
};

/// The state of training: words as sequences of ids that shrink in place.
class Trainer {
 public:
    Trainer(const WordCounts& counts, const TrainOptions& options) : options_(options) {
        add_alphabet();
        add_words(counts);
        for (const PairInfo& info : pairs_.all()) heap_.push({info.count, info.pair});
    }

    TrainedBpe run() {
        const auto wanted = options_.vocab_size - static_cast<uint32_t>(options_.specials.size());
        while (result_.tokens.size() < wanted && !heap_.empty()) {
            const Candidate top = heap_.top();
            heap_.pop();
            const int64_t now = pairs_[top.pair].count;
            if (now != top.count) {  // changed since it was pushed
                if (now > 0) heap_.push({now, top.pair});
                continue;
            }
            if (now < static_cast<int64_t>(std::max<uint64_t>(1, options_.min_frequency))) break;
            merge(top.pair);
        }
        result_.specials = options_.specials;
        return std::move(result_);
    }

 private:
    struct Word {
        size_t begin;
        uint32_t length;
        int64_t count;
    };

    void add_alphabet() {
        std::vector<std::pair<char32_t, uint8_t>> order;
        for (unsigned byte = 0; byte < 256; ++byte) {
            order.emplace_back(byte_to_char(static_cast<uint8_t>(byte)),
                               static_cast<uint8_t>(byte));
        }
        std::sort(order.begin(), order.end());
        for (const auto& [character, byte] : order) {
            id_of_byte_[byte] = add_token(std::string(1, static_cast<char>(byte)));
        }
    }

    /// Id of a token, new or not: two different pairs may join to the same bytes.
    uint32_t add_token(std::string bytes) {
        const auto next = static_cast<uint32_t>(options_.specials.size() + result_.tokens.size());
        const auto [place, is_new] = ids_.emplace(std::move(bytes), next);
        if (is_new) result_.tokens.push_back(place->first);
        return place->second;
    }
    const std::string& bytes_of(uint32_t id) const {
        return result_.tokens[id - options_.specials.size()];
    }

    void add_words(const WordCounts& counts) {
        for (const auto& [text, count] : counts) {
            const auto index = static_cast<uint32_t>(words_.size());
            words_.push_back(
                {symbols_.size(), static_cast<uint32_t>(text.size()), static_cast<int64_t>(count)});
            for (const char byte : text)
                symbols_.push_back(id_of_byte_[static_cast<uint8_t>(byte)]);
            const uint32_t* const symbols = symbols_.data() + words_.back().begin;
            for (size_t i = 0; i + 1 < text.size(); ++i) {
                change(key_of(symbols[i], symbols[i + 1]), words_.back().count, index);
            }
        }
    }

    void change(PairKey pair, int64_t by, uint32_t word) {
        PairInfo& info = pairs_[pair];
        info.count += by;
        if (by > 0 && (info.words.empty() || info.words.back() != word)) info.words.push_back(word);
    }

    void merge(PairKey pair) {
        const auto left = static_cast<uint32_t>(pair >> 32), right = static_cast<uint32_t>(pair);
        const uint32_t whole = add_token(bytes_of(left) + bytes_of(right));
        result_.merges.push_back({left, right});
        const std::vector<uint32_t> words = std::exchange(pairs_[pair].words, {});
        pairs_[pair].count = 0;
        grown_.clear();
        for (const uint32_t word : words) merge_in_word(word, left, right, whole);
        pairs_[pair].count = 0;  // "aaa" counts its own overlap down again
        std::sort(grown_.begin(), grown_.end());
        grown_.erase(std::unique(grown_.begin(), grown_.end()), grown_.end());
        for (const PairKey grown : grown_) {
            const int64_t count = pairs_[grown].count;
            if (count > 0) heap_.push({count, grown});
        }
    }

    void merge_in_word(uint32_t index, uint32_t left, uint32_t right, uint32_t whole) {
        Word& word = words_[index];
        uint32_t* const symbols = symbols_.data() + word.begin;
        uint32_t written = 0;
        for (uint32_t i = 0; i < word.length; ++i) {
            if (symbols[i] != left || i + 1 >= word.length || symbols[i + 1] != right) {
                symbols[written++] = symbols[i];
                continue;
            }
            if (written > 0)
                replace(symbols[written - 1], left, symbols[written - 1], whole, index);
            if (i + 2 < word.length) replace(right, symbols[i + 2], whole, symbols[i + 2], index);
            symbols[written++] = whole;
            ++i;
        }
        word.length = written;
    }

    /// One occurrence of the first pair became the second.
    void replace(uint32_t old_left, uint32_t old_right, uint32_t new_left, uint32_t new_right,
                 uint32_t word) {
        const int64_t count = words_[word].count;
        change(key_of(old_left, old_right), -count, word);
        change(key_of(new_left, new_right), count, word);
        grown_.push_back(key_of(new_left, new_right));
    }

    const TrainOptions& options_;
    TrainedBpe result_;
    uint32_t id_of_byte_[256] = {};
    std::unordered_map<std::string, uint32_t> ids_;
    std::vector<uint32_t> symbols_;
    std::vector<Word> words_;
    PairTable pairs_;
    std::vector<PairKey> grown_;
    std::priority_queue<Candidate> heap_;
};

}  // namespace

void check_train_options(const TrainOptions& options) {
    const std::set<std::string> distinct(options.specials.begin(), options.specials.end());
    if (distinct.size() != options.specials.size() || distinct.count("") > 0) {
        throw UsageError("special tokens must be different and not empty");
    }
    const size_t smallest = 256 + options.specials.size();
    if (options.vocab_size < smallest || options.vocab_size > (1u << 24)) {
        throw UsageError(
            format("a vocabulary of {} tokens: not in {}..{} (256 bytes and {} special "
                   "tokens)",
                   options.vocab_size, smallest, 1u << 24, options.specials.size()));
    }
}

uint64_t count_words(Scheme scheme, std::string_view text, WordCounts& counts) {
    uint64_t left_out = 0;
    std::string word;
    for_each_piece(scheme, text, [&](std::string_view piece) {
        if (piece.size() > kMaxTrainingPieceBytes) {
            left_out += piece.size();
            return;
        }
        word.assign(piece);
        ++counts[word];
    });
    return left_out;
}

TrainedBpe train_bpe(const WordCounts& counts, const TrainOptions& options) {
    check_train_options(options);
    return Trainer(counts, options).run();
}

}  // namespace longhaul::token
