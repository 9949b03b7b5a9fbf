// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/verify.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/cli/progress.h"
#include "lib/io/file.h"
#include "lib/shards/dataset.h"
#include "lib/shards/order.h"
#include "lib/token/load.h"
#include "lib/tokenize/source_text.h"
#include "lib/tokenize/verify_shard.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;
using record::Finding;
using record::Status;

constexpr const char* kRemake = "make the shards again (tok-shard --force)";

Hash128 hash_part(const std::string& path, const shards::StoredPart& part,
                  cli::Progress& progress) {
    const io::UniqueFd fd = io::open_file(path, O_RDONLY);
    std::vector<std::byte> block(1 << 20);
    Hasher128 hasher;
    for (uint64_t done = 0; done < part.bytes;) {
        const auto piece =
            std::span(block).first(std::min<uint64_t>(block.size(), part.bytes - done));
        io::pread_exact(fd.get(), piece, part.begin + done, path);
        hasher.update(std::span<const std::byte>(piece));
        done += piece.size();
        progress.add(piece.size());
    }
    return hasher.digest();
}

constexpr const char* kRemakeForeign = "make the files again with the program that wrote them";

/// A document of the sample: its tokens and where its text is.
struct Sampled {
    uint64_t index = 0, row = 0;  // row counted from the begin of its segment
    std::vector<uint32_t> ids;
};

class Verifier {
 public:
    explicit Verifier(const VerifyOptions& options) : options_(options) {}

    std::vector<Finding> run() {
        if (!open_set()) return std::move(findings_);
        const std::vector<shards::StoredPart> parts = shards::stored_parts(details_);
        uint64_t bytes = 0;
        for (const shards::StoredPart& part : parts) bytes += part.bytes;
        cli::Progress progress("verify", bytes, options_.progress);
        if (!details_.is_foreign) {
            for (const auto& [file, size] : shards::stored_files(details_)) check_size(file, size);
        }
        if (options_.check_hashes && !details_.is_foreign) {
            for (const shards::StoredPart& part : parts) check_hash(part, progress);
        }
        for (size_t i = 0; i < details_.shards.size(); ++i) check_shard(i);
        progress.finish();
        if (findings_.empty()) check_totals();
        if (!findings_.empty()) return std::move(findings_);
        add(Status::kOk, "shards.structure", path_,
            format("{} shards, {} documents, {} tokens", details_.shards.size(),
                   details_.num_documents, details_.num_tokens),
            "");
        if (details_.is_foreign) {
            add(Status::kNote, "shards.hash", path_,
                "made by another program: no hashes and no sources to compare with", "");
        } else if (options_.sample > 0) {
            check_sample();
        }
        return std::move(findings_);
    }

 private:
    void add(Status status, const char* code, const std::string& subject, std::string evidence,
             const char* remedy) {
        if (evidence.starts_with(subject + ": ")) evidence.erase(0, subject.size() + 2);
        findings_.push_back({status, code, subject, std::move(evidence), remedy});
    }
    void fail(const char* code, const std::string& subject, std::string evidence) {
        add(Status::kFail, code, subject, std::move(evidence),
            details_.is_foreign ? kRemakeForeign : kRemake);
    }
    /// What can not be read now may be sound: no proof of damage.
    void fail(const char* code, const std::string& subject, const Error& error) {
        fail(code, subject, error, details_.is_foreign ? kRemakeForeign : kRemake);
    }
    void fail(const char* code, const std::string& subject, const Error& error,
              const char* remedy) {
        const auto* const io_error = dynamic_cast<const IoError*>(&error);
        if (io_error == nullptr || io_error->error_number() == ENOENT) {
            add(Status::kFail, code, subject, error.describe(), remedy);
            return;
        }
        add(Status::kUnknown, code, subject, error.describe(),
            "see why it can not be read, and verify again");
    }

    const char* manifest_remedy() const {
        const fs::path folder(path_);
        if (shards::is_foreign_set(path_)) return kRemakeForeign;
        if (fs::exists(folder / "manifest.json")) return kRemake;
        if (fs::exists(folder / "plan.json")) return "";  // said already
        return "name a folder that tok-shard has written, a Megatron prefix or an MDS folder";
    }
    /// @throws UsageError, and IoError when nothing is there: neither says anything about shards
    bool open_set() {
        options_for_data_ = resolve_options(options_.source, tokenizer_);
        if (!fs::exists(path_) && !shards::is_foreign_set(path_)) {
            throw IoError("cannot open " + path_, ENOENT);
        }
        try {
            set_ = shards::open_shard_set(path_, options_for_data_);
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            fail("shards.manifest", path_, error, manifest_remedy());
            return false;
        }
        if (set_.manifest) {
            refuse_foreign_options(options_.source);
            load_tokenizer();
        }
        return true;
    }
    void load_tokenizer() {
        const std::string folder = set_.tokenizer_folder();
        try {
            tokenizer_ =
                std::make_unique<token::Tokenizer>(token::load_tokenizer({folder, "", {}}));
            if (tokenizer_->hash() == details_.tokenizer_hash) return;
            fail("shards.tokenizer", folder,
                 format("its hash is {}, the shards were made with {}", tokenizer_->hash().hex(),
                        details_.tokenizer_hash.hex()));
        } catch (const Error& error) {
            fail("shards.tokenizer", folder, error);
        }
        tokenizer_.reset();
    }

    void check_size(const std::string& file, uint64_t bytes) {
        const std::string path = (set_.folder / file).string();
        try {
            io::open_file(path, O_RDONLY);
            const uint64_t size = io::file_size(path);
            if (size == bytes) return;
            fail("shards.structure", path,
                 format("{} bytes, the manifest says {}: cut or replaced", size, bytes));
        } catch (const Error& error) {
            fail("shards.structure", path, error);
        }
        damaged_.insert(file);
    }

    void check_hash(const shards::StoredPart& part, cli::Progress& progress) {
        if (damaged_.contains(part.file)) return;
        const std::string path = (set_.folder / part.file).string();
        try {
            const Hash128 hash = hash_part(path, part, progress);
            if (hash == part.xxh3_128) return;
            fail("shards.hash", path,
                 format("XXH3-128 {}, the manifest says {}", hash.hex(), part.xxh3_128.hex()));
        } catch (const Error& error) {
            fail("shards.structure", path, error);
        }
        damaged_.insert(part.file);
    }

    void check_shard(size_t index) {
        const shards::ShardEntry& entry = details_.shards[index];
        if (damaged_.contains(entry.file)) return;
        const std::string path = (set_.folder / entry.file).string();
        try {
            const auto shard = shards::open_shard(set_.folder, details_, index);
            const std::string wrong =
                check_shard_content(*shard, entry, details_, tokenizer_.get());
            if (!wrong.empty()) fail("shards.content", path, wrong);
        } catch (const Error& error) {
            fail("shards.structure", path, error);
        }
    }

    void check_totals() {
        try {
            dataset_ = std::make_unique<shards::Dataset>(path_, options_for_data_);
        } catch (const Error& error) {
            fail("shards.totals", path_, error);
        }
    }

    /// Samples of fixed length may have cut the first and the last document of a shard.
    bool is_cut(uint64_t index) const {
        if (details_.sample_tokens == 0) return false;
        uint64_t first = 0;
        for (const shards::ShardEntry& entry : details_.shards) {
            const uint64_t end = first + entry.num_documents;
            if (index < end) return index == first || index + 1 == end;
            first = end;
        }
        return false;
    }

    /// Chooses documents and sorts them by segment, so that each source is read once.
    std::map<size_t, std::vector<Sampled>> choose() const {
        std::map<size_t, std::vector<Sampled>> by_segment;
        const uint64_t total = details_.num_documents;
        const uint64_t count = std::min(options_.sample, total);
        std::set<uint64_t> chosen;
        if (total > 0) {
            const shards::Permutation shuffle(total, options_.seed, 0);
            for (uint64_t i = 0; i < count; ++i) chosen.insert(shuffle(i));
        }
        for (const uint64_t index : chosen) {
            if (is_cut(index)) continue;
            const shards::DocumentRef document = dataset_->document(index);
            for (size_t i = 0; i < details_.segments.size(); ++i) {
                const shards::Segment& segment = details_.segments[i];
                const bool is_last = i + 1 == details_.segments.size() ||
                                     details_.segments[i + 1].input != segment.input ||
                                     details_.segments[i + 1].first_record > document.record;
                if (segment.input != document.input || segment.first_record > document.record ||
                    !is_last) {
                    continue;
                }
                Sampled sampled{index, document.record - segment.first_record, {}};
                sampled.ids.resize(document.num_tokens);
                dataset_->read(document.first_token, std::span<uint32_t>(sampled.ids));
                by_segment[i].push_back(std::move(sampled));
                break;
            }
        }
        return by_segment;
    }

    void check_sample() {
        if (!has_source_options(*set_.manifest)) {
            add(Status::kNote, "shards.source", path_,
                "converted from files of another program: no texts to compare with", "");
            return;
        }
        const SourceOptions source = read_source_options(*set_.manifest, path_ + "/manifest.json");
        token::Encoder encoder(*tokenizer_, {source.special_text});
        uint64_t num_compared = 0;
        for (auto& [segment_index, documents] : choose()) {
            const shards::Segment& segment = details_.segments[segment_index];
            const std::string& path = details_.inputs[segment.input];
            if (path == "-" || !fs::is_regular_file(path)) {
                add(Status::kNote, "shards.source", path,
                    format("{} documents not compared: the source is not there any more",
                           documents.size()),
                    "");
                continue;
            }
            std::sort(documents.begin(), documents.end(),
                      [](const Sampled& a, const Sampled& b) { return a.row < b.row; });
            std::vector<uint64_t> rows;
            for (const Sampled& sampled : documents) rows.push_back(sampled.row);
            try {
                size_t next = 0;
                visit_rows(details_, segment, source, rows, [&](uint64_t, std::string_view text) {
                    compare(documents[next++], text, encoder, path);
                    ++num_compared;
                });
            } catch (const Error& error) {
                fail("shards.source", path, error);
            }
        }
        if (num_compared > 0 && record::exit_code(findings_) == ExitCode::kOk) {
            add(Status::kOk, "shards.sample", path_,
                format("{} documents equal their sources", num_compared), "");
        }
    }

    /// The text must encode to the ids; and they must decode to the text where nothing normalises
    /// it.
    void compare(const Sampled& sampled, std::string_view text, token::Encoder& encoder,
                 const std::string& path) {
        const shards::Borders& borders = details_.borders;
        std::vector<uint32_t> expected = borders.bos;
        encoder.encode(text, expected);
        const bool is_bare = details_.has_bare_documents && expected.size() == borders.bos.size();
        if (is_bare) expected.clear();
        if (!is_bare) expected.insert(expected.end(), borders.eos.begin(), borders.eos.end());
        if (expected != sampled.ids) {
            const auto at = std::mismatch(expected.begin(), expected.end(), sampled.ids.begin(),
                                          sampled.ids.end());
            fail("shards.sample", path,
                 format("document {} differs from its source (record {} of its part) at token {}",
                        sampled.index, sampled.row, at.first - expected.begin()));
            return;
        }
        if (is_bare) return;
        const std::span<const uint32_t> ids = inside_borders(sampled.ids, borders);
        if (tokenizer_->is_lossless() && tokenizer_->decode(ids, false) != text) {
            fail("shards.sample", path,
                 format("document {} does not decode to its source (record {} of its part)",
                        sampled.index, sampled.row));
        }
    }

    const VerifyOptions& options_;
    const std::string& path_ = options_.source.path;
    shards::OpenOptions options_for_data_;
    shards::ShardSet set_;
    const shards::ShardDetails& details_ = set_.details;
    std::set<std::string> damaged_;  // files
    std::unique_ptr<token::Tokenizer> tokenizer_;
    std::unique_ptr<shards::Dataset> dataset_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify(const VerifyOptions& options) {
    return Verifier(options).run();
}

}  // namespace longhaul::tokenize
