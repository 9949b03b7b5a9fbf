// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/text_generator.h"

#include <chrono>
#include <filesystem>
#include <memory>

#include "lib/base/error.h"
#include "lib/ckpt/load.h"
#include "lib/ckpt/tokenizer_folder.h"
#include "lib/comm/world.h"
#include "lib/log/log.h"
#include "lib/model/hf_config.h"
#include "lib/token/decode_stream.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "lib/train/engine.h"
#include "lib/train/state.h"

namespace longhaul::train {

namespace {

/// The checkpoint `path`, or of a run directory all that look loadable, newest first.
std::vector<ckpt::Checkpoint> open_checkpoints(const std::filesystem::path& path) {
    std::error_code error;
    const auto run_checkpoints = path / "ckpt";
    if (!std::filesystem::exists(run_checkpoints, error)) {
        const bool is_closed = error.value() == EACCES;
        const bool is_checkpoint = std::filesystem::exists(path / ckpt::kManifestName, error) ||
                                   (std::filesystem::is_directory(path, error) &&
                                    path.filename().string().starts_with("step-"));
        if (is_checkpoint || is_closed) return {ckpt::Checkpoint::open(path)};
        throw UsageError(
            format("{} is neither a checkpoint (step-*) nor a run directory", path.string()));
    }
    std::vector<ckpt::Checkpoint> found;
    for (const ckpt::Candidate& candidate : ckpt::list_checkpoints(run_checkpoints)) {
        if (candidate.is_loadable()) {
            found.push_back(ckpt::Checkpoint::open(candidate.directory));
        } else {
            log::warn("skipping {}: {}", candidate.directory.string(), candidate.reason);
        }
    }
    if (found.empty()) {
        throw DataError(format("{}: no checkpoint that can be loaded", run_checkpoints.string()));
    }
    return found;
}

token::Tokenizer open_tokenizer(const TextOptions& options, const ckpt::Checkpoint& checkpoint) {
    if (!options.tokenizer.empty()) return token::load_tokenizer({options.tokenizer, "", {}});
    if (const auto folder = ckpt::tokenizer_folder(checkpoint)) {
        return token::load_tokenizer({folder->string(), "", {}});
    }
    throw UsageError(format("no tokenizer in {}, its run or its data: name one with --tokenizer",
                            checkpoint.directory().string()));
}

/// Weights only, on one rank.
class InferenceModel {
 public:
    InferenceModel(const ckpt::Checkpoint& checkpoint, const TextOptions& options,
                   int64_t prompt_tokens)
        : world_(comm::solo_world()), mesh_({}, 1) {
        const model::ModelConfig config = model::from_hf_config_json(
            checkpoint.header().hf_config_json, checkpoint.directory().string());
        model::TransformerOptions transformer;
        transformer.training = false;
        transformer.compute = options.compute;
        transformer.seq_len =
            std::min<int64_t>(config.max_seq_len, 256);  // of a piece of the prompt
        transformer.cache_len =
            std::min(config.max_seq_len, prompt_tokens + options.generate.max_tokens);
        tensor::CountingAlloc counting;
        build(config, transformer, counting);
        arena_ = std::make_unique<tensor::ArenaAlloc>(counting.used());
        build(config, transformer, *arena_);
        load(checkpoint);
    }

    model::Transformer& transformer() { return *model_; }

 private:
    void build(const model::ModelConfig& config, const model::TransformerOptions& transformer,
               tensor::Alloc& alloc) {
        store_.reset();
        model_ = std::make_unique<model::Transformer>(config, transformer, alloc);
        parallel::BucketContext context;
        context.specs = model_->params();
        context.mesh = &mesh_;
        context.precision = {transformer.compute, transformer.compute};
        context.groups = {&world_->comm(), &world_->comm()};
        context.has_gradients = false;
        store_ = std::make_unique<parallel::ParamStore>(context, alloc);
        for (int i = 0; i < static_cast<int>(model_->params().size()); ++i) {
            model_->bind(i, store_->weight(i), {});
        }
    }

    void load(const ckpt::Checkpoint& checkpoint) { load_inference_weights(*store_, checkpoint); }

    std::unique_ptr<comm::World> world_;
    mesh::Mesh mesh_;
    std::unique_ptr<tensor::ArenaAlloc> arena_;
    std::unique_ptr<model::Transformer> model_;
    std::unique_ptr<parallel::ParamStore> store_;
};

/// Turns tokens into text, keeping a character that is not complete yet.
class TextStream {
 public:
    /// @param prompt whose text is known
    TextStream(const token::Tokenizer& tokenizer, const std::vector<int32_t>& prompt,
               const std::function<void(std::string_view)>& on_text)
        : decoder_(tokenizer, true, std::vector<uint32_t>(prompt.begin(), prompt.end())),
          on_text_(on_text) {}

    void add(int32_t token) { emit(decoder_.add(static_cast<uint32_t>(token))); }
    void finish() { emit(decoder_.finish()); }
    const std::string& text() const { return text_; }

 private:
    void emit(const std::string& part) {
        if (part.empty()) return;
        text_ += part;
        if (on_text_) on_text_(part);
    }

    token::DecodeStream decoder_;
    const std::function<void(std::string_view)>& on_text_;
    std::string text_;
};

std::vector<int32_t> encode_prompt(const token::Tokenizer& tokenizer, const std::string& prompt) {
    token::Encoder encoder(tokenizer, {});
    std::vector<uint32_t> ids;
    encoder.encode(prompt, ids);
    // An empty prompt begins a document.
    if (ids.empty()) ids = tokenizer.default_bos();
    if (ids.empty()) ids = tokenizer.default_eos();
    if (ids.empty()) {
        throw UsageError("the tokenizer has no token that begins a text: give --prompt");
    }
    return {ids.begin(), ids.end()};
}

/// All that is needed to generate from one checkpoint.
struct Prepared {
    token::Tokenizer tokenizer;
    std::vector<int32_t> prompt;
    std::unique_ptr<InferenceModel> inference;
    int64_t step = 0;
};

/// @param has_older damaged weights give a null `inference` instead of a DataError.
/// @throws UsageError where prompt, tokenizer and model do not fit.
Prepared prepare(const ckpt::Checkpoint& checkpoint, const TextOptions& options, bool has_older) {
    token::Tokenizer tokenizer = open_tokenizer(options, checkpoint);
    std::vector<int32_t> prompt = encode_prompt(tokenizer, options.prompt);
    const auto num_tokens = static_cast<int64_t>(prompt.size());
    const model::ModelConfig shape = model::from_hf_config_json(checkpoint.header().hf_config_json,
                                                                checkpoint.directory().string());
    if (num_tokens > shape.max_seq_len) {
        throw UsageError(format("the prompt has {} tokens, the model takes {} at most: shorten it",
                                num_tokens, shape.max_seq_len));
    }
    if (tokenizer.vocab_size() > shape.vocab_size) {
        throw UsageError(format("the tokenizer has {} ids, the model {}: not the same vocabulary",
                                tokenizer.vocab_size(), shape.vocab_size));
    }
    std::unique_ptr<InferenceModel> inference;
    try {
        inference = std::make_unique<InferenceModel>(checkpoint, options, num_tokens);
    } catch (const DataError& error) {
        if (!has_older) throw;
        log::warn("skipping {}: {}", checkpoint.directory().string(), error.describe());
    }
    return {std::move(tokenizer), std::move(prompt), std::move(inference),
            checkpoint.header().step};
}

/// As a resume does: a checkpoint of the run whose content is damaged is passed over for an older.
Prepared prepare_newest(const TextOptions& options) {
    const std::vector<ckpt::Checkpoint> checkpoints = open_checkpoints(options.checkpoint);
    for (size_t i = 0;; ++i) {
        Prepared prepared = prepare(checkpoints[i], options, i + 1 < checkpoints.size());
        if (prepared.inference != nullptr) return prepared;
    }
}

}  // namespace

const char* name_of(StopReason reason) {
    switch (reason) {
        case StopReason::kMaxTokens:
            return "max_tokens";
        case StopReason::kStopToken:
            return "end_of_document";
        case StopReason::kContextFull:
            return "context_full";
        case StopReason::kCaller:
            return "caller";
    }
    return "unknown";
}

TextResult generate_text(const TextOptions& options,
                         const std::function<void(std::string_view)>& on_text) {
    check_sampling(options.generate.sampling);
    const Prepared prepared = prepare_newest(options);
    const token::Tokenizer& tokenizer = prepared.tokenizer;
    const std::vector<int32_t>& prompt = prepared.prompt;
    GenerateOptions generate_options = options.generate;
    const std::vector<uint32_t> end = tokenizer.default_eos();
    if (options.stop_at_end && !end.empty()) {
        generate_options.stop_token = static_cast<int32_t>(end.front());
    }
    TextStream stream(tokenizer, prompt, on_text);
    const auto start = std::chrono::steady_clock::now();
    const GenerateResult generated =
        generate(prepared.inference->transformer(), prompt, generate_options, [&](int32_t token) {
            stream.add(token);
            return true;
        });
    stream.finish();
    TextResult result;
    result.text = stream.text();
    result.prompt_tokens = static_cast<int64_t>(prompt.size());
    result.new_tokens = static_cast<int64_t>(generated.tokens.size());
    result.reason = generated.reason;
    result.step = prepared.step;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace longhaul::train
