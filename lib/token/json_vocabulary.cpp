// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/json_vocabulary.h"

#include <unordered_set>

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::token {

namespace {

using Event = io::Json::parse_event_t;

/// Follows the parser and takes the vocabulary and merges out of the document.
class Extractor {
 public:
    Extractor(const std::string& source, const VocabularyVisitor& visitor, ParsedVocabulary& parsed)
        : source_(source), visitor_(visitor), parsed_(parsed) {}

    /// The callback of nlohmann's parser. @return false drops the value from the document.
    bool on_event(int depth, Event event, const io::Json& value) {
        const auto level = static_cast<size_t>(depth);
        if (level > kMostLevels) {
            throw DataError(format("{}: nested more than {} deep", source_, kMostLevels));
        }
        if (event == Event::key) return on_key(level, value.get_ref<const std::string&>());
        if (in_vocabulary_) return on_vocabulary_event(level, event, value);
        if (in_scored_) return on_scored_event(level, event, value);
        if (in_merges_) return on_merges_event(level, event, value);
        if (event == Event::object_start) begin_object(level);
        if (event == Event::object_start && is_at(visitor_.vocabulary_path, level)) {
            in_vocabulary_ = parsed_.has_vocabulary = true;
            container_level_ = level;
        } else if (event == Event::array_start && is_at(visitor_.vocabulary_path, level) &&
                   visitor_.on_scored) {
            in_scored_ = parsed_.has_scored = true;
            container_level_ = level;
        } else if (event == Event::array_start && is_at(visitor_.merges_path, level) &&
                   !visitor_.merges_path.empty()) {
            in_merges_ = parsed_.has_merges = true;
            container_level_ = level;
        }
        return true;
    }

 private:
    /// True when the value about to begin on `level` is the one that `path` leads to.
    bool is_at(const std::vector<std::string>& path, size_t level) const {
        if (path.size() != level || keys_.size() < level) return false;
        for (size_t i = 0; i < level; ++i) {
            if (keys_[i] != path[i]) return false;
        }
        return true;
    }

    bool on_key(size_t level, const std::string& key) {
        if (in_vocabulary_) {
            token_ = key;
            return false;
        }
        keys_.resize(level);
        keys_.back() = key;
        if (!seen_[level - 1].insert(key).second) {
            throw DataError(format("{}: {}: is there twice", source_, path()));
        }
        return true;
    }
    void begin_object(size_t level) {
        if (seen_.size() <= level) seen_.resize(level + 1);
        seen_[level].clear();
    }
    /// Of the current key.
    std::string path() const {
        std::string path;
        for (const std::string& key : keys_) {
            if (key.empty()) continue;  // a level that is an array
            path += (path.empty() ? "" : ".") + key;
            if (path.size() > kLongPath) return "..." + keys_.back();
        }
        return path;
    }

    bool on_vocabulary_event(size_t level, Event event, const io::Json& value) {
        if (event == Event::object_end && level == container_level_) {
            in_vocabulary_ = false;
            return true;
        }
        if (event != Event::value || !value.is_number_integer()) {
            throw DataError(
                format("{}: vocabulary: the id of \"{}\" is not an integer", source_, token_));
        }
        const bool is_huge = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
        visitor_.on_token(token_, is_huge ? INT64_MAX : value.get<int64_t>());
        return false;
    }

    bool on_scored_event(size_t level, Event event, const io::Json& value) {
        if (event == Event::array_end && level == container_level_) {
            in_scored_ = false;
            return true;
        }
        const bool is_inside = level == container_level_ + 2 && event == Event::value;
        if (event == Event::array_start && level == container_level_ + 1) {
            num_elements_ = 0;
            return true;  // else the parser would not show us its elements
        }
        if (is_inside && num_elements_ == 0 && value.is_string()) {
            token_ = value.get_ref<const std::string&>();
            ++num_elements_;
        } else if (is_inside && num_elements_ == 1 && value.is_number()) {
            score_ = value.get<double>();
            ++num_elements_;
        } else if (event == Event::array_end && level == container_level_ + 1 &&
                   num_elements_ == 2) {
            visitor_.on_scored(token_, score_);
            ++num_scored_;
        } else {
            throw DataError(format("{}: vocab[{}]: is not [text, score]", source_, num_scored_));
        }
        return false;
    }

    bool on_merges_event(size_t level, Event event, const io::Json& value) {
        if (event == Event::array_end && level == container_level_) {
            in_merges_ = false;
            return true;
        }
        if (event == Event::value && value.is_string()) {
            take_merge_string(level, value.get_ref<const std::string&>());
        } else if (event == Event::array_start && level == container_level_ + 1) {
            pair_.clear();
            return true;  // else the parser would not show us its elements
        } else if (event == Event::array_end && level == container_level_ + 1) {
            if (pair_.size() != 2) bad_merge("is not a pair of strings");
            visitor_.on_merge(pair_[0], pair_[1], num_merges_++);
        } else {
            bad_merge("is neither \"a b\" nor [\"a\", \"b\"]");
        }
        return false;
    }

    void take_merge_string(size_t level, const std::string& text) {
        if (level == container_level_ + 2) {
            pair_.push_back(text);
            return;
        }
        const size_t space = text.find(' ');
        if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
            bad_merge(format("\"{}\" does not have exactly one space", text));
        }
        visitor_.on_merge(std::string_view(text).substr(0, space),
                          std::string_view(text).substr(space + 1), num_merges_++);
    }

    [[noreturn]] void bad_merge(const std::string& what) const {
        throw DataError(format("{}: merges[{}]: {}", source_, num_merges_, what));
    }

    static constexpr size_t kLongPath = 200;
    // As serde_json; and nlohmann's ordered objects are copied as they grow, by recursion.
    static constexpr size_t kMostLevels = 128;

    const std::string& source_;
    const VocabularyVisitor& visitor_;
    ParsedVocabulary& parsed_;
    std::vector<std::string> keys_;                      // of the objects around the current value
    std::vector<std::unordered_set<std::string>> seen_;  // keys of the objects on each level
    std::string token_;
    std::vector<std::string> pair_;
    bool in_vocabulary_ = false, in_scored_ = false, in_merges_ = false;
    size_t container_level_ = 0, num_merges_ = 0, num_scored_ = 0;
    unsigned num_elements_ = 0;  // of the current [text, score]
    double score_ = 0;
};

}  // namespace

io::Json parse_with_vocabulary(std::string_view text, const std::string& source,
                               const VocabularyVisitor& visitor, ParsedVocabulary& parsed) {
    Extractor extractor(source, visitor, parsed);
    const auto callback = [&](int depth, Event event, io::Json& value) {
        return extractor.on_event(depth, event, value);
    };
    try {
        return io::Json::parse(text.begin(), text.end(), callback);
    } catch (const io::Json::exception& error) {
        const std::string what = error.what();
        const size_t bracket = what.find("] ");
        throw DataError(format("{}: not JSON: {}", source,
                               what.substr(bracket == std::string::npos ? 0 : bracket + 2)));
    }
}

}  // namespace longhaul::token
