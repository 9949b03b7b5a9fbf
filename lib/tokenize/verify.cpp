// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/verify.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "lib/base/error.h"
#include "lib/cli/progress.h"
#include "lib/io/file.h"
#include "lib/io/hash_file.h"
#include "lib/shards/dataset.h"
#include "lib/token/load.h"
#include "lib/tokenize/verify_finding.h"
#include "lib/tokenize/verify_policies.h"
#include "lib/tokenize/verify_shard.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;
using record::Finding;
using record::Status;

constexpr const char* kRemake = "make the shards again (tok-shard --force)";

constexpr const char* kRemakeForeign = "make the files again with the program that wrote them";

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
            return std::move(findings_);
        }
        check_all_policies();
        if (options_.sample.count > 0) compare_sample();
        return std::move(findings_);
    }

 private:
    void add(Status status, const char* code, const std::string& subject, std::string evidence,
             const char* remedy) {
        findings_.push_back(make_finding(status, code, subject, std::move(evidence), remedy));
    }
    void fail(const char* code, const std::string& subject, std::string evidence) {
        add(Status::kFail, code, subject, std::move(evidence),
            details_.is_foreign ? kRemakeForeign : kRemake);
    }
    void fail(const char* code, const std::string& subject, const Error& error) {
        fail(code, subject, error, details_.is_foreign ? kRemakeForeign : kRemake);
    }
    void fail(const char* code, const std::string& subject, const Error& error,
              const char* remedy) {
        findings_.push_back(finding_of(error, code, subject, remedy));
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
            const Hash128 hash = io::hash_range(path, part.begin, part.begin + part.bytes,
                                                [&](uint64_t bytes) { progress.add(bytes); });
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

    void check_all_policies() {
        try {
            for (std::string& wrong : check_policies(set_, *tokenizer_)) {
                fail("shards.policy", path_, std::move(wrong));
            }
        } catch (const Error& error) {
            fail("shards.manifest", path_, error);
        }
    }
    void compare_sample() {
        try {
            for (Finding& found :
                 check_sample(set_, *dataset_, *tokenizer_, options_.sample, kRemake)) {
                findings_.push_back(std::move(found));
            }
        } catch (const Error& error) {
            fail("shards.manifest", path_, error);
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
