// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/verify_policies.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/corpus/bad_records.h"
#include "lib/corpus/document_scanner.h"
#include "lib/io/json.h"
#include "lib/shards/shard_cutter.h"
#include "lib/tokenize/convert_plan.h"

namespace longhaul::tokenize {

namespace {

using corpus::Reason;
using shards::ShardFormat;

/// An option that says one of some words.
std::string check_word(const io::Json& options, const char* key,
                       std::initializer_list<const char*> words) {
    if (!options.contains(key)) return "";
    const io::Json& value = options.at(key);
    const bool is_known =
        value.is_string() && std::any_of(words.begin(), words.end(), [&](const char* word) {
            return value.get<std::string>() == word;
        });
    return is_known ? "" : format("{} {} is not known", key, value.dump());
}

/// 0 where there is none.
uint64_t count_in(const io::Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

class PolicyChecker {
 public:
    PolicyChecker(const shards::ShardSet& set, const token::Tokenizer& tokenizer)
        : set_(set),
          details_(set.details),
          tokenizer_(tokenizer),
          options_(io::parse_json(set.manifest->options_json, "options")),
          has_source_(options_.contains("input_format")) {}

    std::vector<std::string> run() {
        check_words();
        if (!wrong_.empty()) return std::move(wrong_);
        check_borders();
        check_container();
        if (!wrong_.empty()) return std::move(wrong_);
        check_cuts();
        if (has_source_) check_counts();
        return std::move(wrong_);
    }

 private:
    void note(std::string what) {
        if (!what.empty()) wrong_.push_back(std::move(what));
    }
    template <class T>
    void check_equal(const char* key, const T& asked, const T& there) {
        if (asked == there) return;
        note(format("{} {} was asked for, the shards have {}", key, io::Json(asked).dump(),
                    io::Json(there).dump()));
    }
    io::Json option(const char* key, const io::Json& otherwise) const {
        return options_.contains(key) ? options_.at(key) : otherwise;
    }

    void check_words() {
        note(check_word(options_, "special_text", {"plain", "parse", "refuse"}));
        note(check_word(options_, "empty_documents", {"skip", "keep", "bare"}));
        note(check_word(options_, "invalid_utf8", {"bad", "replace", "bytes"}));
        note(check_word(options_, "lone_surrogates", {"replace", "bad"}));
        note(check_word(options_, "format", {"hdf5", "megatron", "mds"}));
        note(check_word(options_, "mds_type", {"i32", "u16", "u32", "i64"}));
        for (const char* key : {"shard_tokens", "mds_sample", "mds_size_limit"}) {
            if (options_.contains(key) && !options_.at(key).is_number_unsigned()) {
                note(format("{} {} is no count", key, options_.at(key).dump()));
            }
        }
    }

    void check_borders() {
        check_equal("tokenizer", option("tokenizer", ""), io::Json(details_.tokenizer_hash.hex()));
        check_equal("bos_id", option("bos_id", nullptr),
                    shards::border_to_json(details_.borders.bos));
        check_equal("eos_id", option("eos_id", nullptr),
                    shards::border_to_json(details_.borders.eos));
    }

    /// The container as add_container_options() wrote it.
    shards::Container container() const {
        shards::Container container;
        container.format = details_.format;
        container.max_tokens = option("shard_tokens", container.max_tokens).get<uint64_t>();
        container.sample_tokens = option("mds_sample", 0u).get<uint64_t>();
        container.size_limit = option("mds_size_limit", container.size_limit).get<uint64_t>();
        const auto type = option("mds_type", "i32").get<std::string>();
        container.mds_type = shards::token_type_by_name(type).value_or(container.mds_type);
        return container;
    }

    /// The format, and the type of ids by the largest that the tokenizer can give.
    void check_container() {
        check_equal("format", option("format", "hdf5"),
                    io::Json(shards::shard_format_name(details_.format)));
        check_equal("mds_sample", option("mds_sample", 0u), io::Json(details_.sample_tokens));
        check_equal("merged", option("merged", false), io::Json(!details_.merged.empty()));
        // Of files of other programs the user says it.
        const uint32_t ids = tokenizer_.vocab_size();
        if (has_source_ && details_.vocab_size != ids) {
            note(format("vocab_size {}: the tokenizer's ids are below {}", details_.vocab_size,
                        ids));
            return;
        }
        try {
            check_equal(
                "token_type",
                io::Json(shards::token_type_name(container().token_type(details_.vocab_size))),
                io::Json(shards::token_type_name(details_.token_type)));
        } catch (const UsageError& error) {
            note(error.describe());
        }
    }

    /// A document that would pass --shard-tokens begins a new shard, and none else does.
    void check_cuts() {
        const shards::Container container = this->container();
        if (details_.sample_tokens > 0) return check_sample_cuts(container);
        const SetReader reader(set_);
        const ConvertPlan plan = plan_conversion(reader, container, details_.vocab_size, nullptr);
        const bool is_mds = container.format == ShardFormat::kMds;
        const std::string rule = is_mds ? format("mds_size_limit {}", container.size_limit)
                                        : format("shard_tokens {}", container.max_tokens);
        for (size_t i = 0; i < details_.shards.size() && i < plan.shards.size(); ++i) {
            const shards::ShardEntry& there = details_.shards[i];
            if (there.unit == plan.shards[i].unit &&
                there.num_documents == plan.shards[i].num_documents) {
                continue;
            }
            return note(
                format("{} ends after {} documents of unit {}, by {} it would after {} of "
                       "unit {}",
                       there.file, there.num_documents, there.unit, rule,
                       plan.shards[i].num_documents, plan.shards[i].unit));
        }
        if (details_.shards.size() == plan.shards.size()) return;
        note(format("{} shards, by {} there would be {}", details_.shards.size(), rule,
                    plan.shards.size()));
    }

    /// Shards of samples of fixed length are full but for the last of a unit.
    void check_sample_cuts(const shards::Container& container) {
        const shards::ShardCutter cutter(container, details_.vocab_size);
        const uint64_t full = cutter.samples_per_shard() * container.sample_tokens;
        for (size_t i = 0; i < details_.shards.size(); ++i) {
            const shards::ShardEntry& shard = details_.shards[i];
            const bool is_last =
                i + 1 == details_.shards.size() || details_.shards[i + 1].unit != shard.unit;
            if (is_last ? shard.num_tokens <= full : shard.num_tokens == full) continue;
            return note(format("{} has {} tokens, a full one has {} by mds_size_limit {}",
                               shard.file, shard.num_tokens, full, container.size_limit));
        }
    }

    /// What became of records adds up under these policies, and under no other.
    void check_counts() {
        const io::Json counts = io::parse_json(details_.counts_json, "counts");
        const auto bad = counts.find("bad_records");
        const io::Json none;
        check_records(counts, bad == counts.end() ? none : *bad);
        check_reasons(counts, bad == counts.end() ? none : *bad);
    }

    void check_records(const io::Json& counts, const io::Json& bad) {
        const uint64_t records = count_in(counts, "records"), num_bad = count_in(bad, "count");
        const uint64_t documents = count_in(counts, "documents");
        const uint64_t num_empty = count_in(counts, "empty_documents");
        const std::string empty = option("empty_documents", "skip");
        const uint64_t left_out = empty == "skip" ? num_empty : 0;
        if (documents + left_out + num_bad != records) {
            note(
                format("empty_documents \"{}\": {} records, but {} became documents, {} were empty "
                       "and {} bad",
                       empty, records, documents, num_empty, num_bad));
        }
        if ((empty == "bare") != details_.has_bare_documents) {
            note(format("empty_documents \"{}\" does not go with bare_documents {}", empty,
                        details_.has_bare_documents));
        }
    }

    /// What only one word of a policy leaves behind.
    void check_reasons(const io::Json& counts, const io::Json& bad) {
        const auto bad_by = [&](Reason reason) {
            const auto by_reason = bad.find("by_reason");
            return by_reason == bad.end() ? 0 : count_in(*by_reason, corpus::reason_key(reason));
        };
        const std::string invalid = option("invalid_utf8", "bad");
        const std::string lone = option("lone_surrogates", "replace");
        const std::string special = option("special_text", "plain");
        const char* const kBad = "records were bad by it";
        const struct {
            const char* policy;
            const std::string& value;
            const char* needed;
            uint64_t number;
            const char* what;
        } traces[] = {
            {"invalid_utf8", invalid, "bad", bad_by(Reason::kInvalidUtf8), kBad},
            {"invalid_utf8", invalid, "replace", count_in(counts, "replaced_utf8"),
             "sequences were replaced"},
            {"invalid_utf8", invalid, "bytes", count_in(counts, "raw_bytes"), "bytes were kept"},
            {"lone_surrogates", lone, "replace", count_in(counts, "lone_surrogates"),
             "were replaced"},
            {"lone_surrogates", lone, "bad", bad_by(Reason::kLoneSurrogate), kBad},
            {"special_text", special, "refuse", bad_by(Reason::kControlText), kBad}};
        for (const auto& trace : traces) {
            if (trace.number == 0 || trace.value == trace.needed) continue;
            note(format("{} \"{}\": {} {}, as only under \"{}\"", trace.policy, trace.value,
                        trace.number, trace.what, trace.needed));
        }
    }

    const shards::ShardSet& set_;
    const shards::ShardDetails& details_;
    const token::Tokenizer& tokenizer_;
    const io::Json options_;
    const bool has_source_;  // made from texts
    std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> check_policies(const shards::ShardSet& set,
                                        const token::Tokenizer& tokenizer) {
    return PolicyChecker(set, tokenizer).run();
}

}  // namespace longhaul::tokenize
