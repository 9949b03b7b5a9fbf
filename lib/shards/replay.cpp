// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/replay.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>

#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/io/json.h"
#include "lib/shards/prefetcher.h"

namespace longhaul::shards {

namespace {

using record::Status;
using Samples = std::vector<uint64_t>;

/// What each micro-batch of each rank shows in one step, ranks in order.
struct StepShares {
    std::vector<Samples> ranks;
};

class Replay {
 public:
    Replay(const Blend& blend, const ReplayOptions& options) : blend_(blend), options_(options) {
        for (const int64_t size : options.world_sizes) {
            if (size <= options.global_batch) sizes_.push_back(size);
        }
        if (sizes_.empty()) sizes_.push_back(1);
    }

    ReplayResult run() {
        check_world_sizes();
        check_restarts();
        check_order();
        check_epochs();
        check_blend();
        check_content();
        return std::move(result_);
    }

 private:
    void report(bool is_good, const char* code, std::string good, std::string bad,
                const char* remedy) {
        result_.findings.push_back({is_good ? Status::kOk : Status::kFail, code, "data order",
                                    is_good ? std::move(good) : std::move(bad),
                                    is_good ? "" : remedy});
    }

    DataCursor new_cursor() const { return {DataPhase{}, options_.skip}; }

    /// Every rank works from a cursor of its own, and moves it by itself.
    StepShares show_step(std::vector<DataCursor>& cursors) const {
        StepShares shares;
        const auto size = static_cast<int64_t>(cursors.size());
        for (int64_t rank = 0; rank < size; ++rank) {
            DataCursor& cursor = cursors[static_cast<size_t>(rank)];
            const Samples batch = cursor.peek(options_.global_batch);
            const tensor::Range mine = options_.split(options_.global_batch, size, rank);
            Samples& shown = shares.ranks.emplace_back();
            for (int64_t done = 0; done < mine.count; done += options_.micro_batch) {
                const int64_t count = std::min(options_.micro_batch, mine.count - done);
                const auto begin = batch.begin() + mine.first + done;
                shown.insert(shown.end(), begin, begin + count);
            }
            cursor.advance(batch);
        }
        return shares;
    }

    /// Appends what a step shows. @return false when two ranks show one sample, or one is left out.
    bool append_step(std::vector<DataCursor>& cursors, Samples& shown) const {
        const StepShares shares = show_step(cursors);
        std::set<uint64_t> distinct;
        size_t count = 0;
        for (const Samples& samples : shares.ranks) {
            distinct.insert(samples.begin(), samples.end());
            shown.insert(shown.end(), samples.begin(), samples.end());
            count += samples.size();
        }
        return distinct.size() == count && static_cast<int64_t>(count) == options_.global_batch;
    }

    void check_world_sizes() {
        bool are_equal = true, are_disjoint = true;
        std::string sizes;
        for (const int64_t size : sizes_) {
            std::vector<DataCursor> cursors(static_cast<size_t>(size), new_cursor());
            Samples shown;
            for (int64_t step = 0; step < options_.steps; ++step) {
                are_disjoint &= append_step(cursors, shown);
            }
            if (size == sizes_.front()) shown_ = shown;
            are_equal &= shown == shown_;
            sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
        }
        result_.samples = shown_.size();
        report(are_disjoint, "loader.ranks",
               format("{} steps of {}: the ranks show each sample of a batch once, at {} ranks",
                      options_.steps, options_.global_batch, sizes),
               format("ranks share or leave out samples of a batch, at {} ranks", sizes),
               "report this: it is a fault of the loader");
        report(are_equal, "loader.order",
               format("the same {} samples in the same order at {} ranks", shown_.size(), sizes),
               format("the order of samples differs at {} ranks", sizes),
               "report this: it is a fault of the loader");
    }

    /// The run stops at random steps and goes on from what the checkpoint holds, at another size.
    void check_restarts() {
        DataCursor saved = new_cursor();
        Samples shown;
        int64_t num_restarts = 0;
        for (int64_t step = 0; step < options_.steps; ++num_restarts) {
            const auto draw = philox_draw({1, RandomPurpose::kDataOrder, 77, 0},
                                          static_cast<uint64_t>(num_restarts));
            const int64_t most = *std::max_element(sizes_.begin(), sizes_.end());
            const int64_t size = 1 + draw.word[0] % most;
            const int64_t stop = std::min(options_.steps, step + 1 + draw.word[1] % 7);
            const std::string text = io::to_line(saved.to_json());
            const auto cursor = DataCursor::from_json(io::parse_json(text, "cursor"), "cursor");
            std::vector<DataCursor> cursors(static_cast<size_t>(size), cursor);
            for (; step < stop; ++step) append_step(cursors, shown);
            saved = cursors.back();
        }
        report(shown == shown_, "loader.restarts",
               format("{} restarts at changing numbers of ranks change nothing", num_restarts),
               "a restart repeats or leaves out samples",
               "report this: it is a fault of the loader");
    }

    /// The sample numbers count up and leave out exactly data.skip.
    void check_order() {
        uint64_t expected = 0;
        bool is_exact = true;
        for (const uint64_t sample : shown_) {
            while (const SkipRange* range = range_of(expected)) expected = range->last + 1;
            is_exact &= sample == expected++;
        }
        report(is_exact, "loader.skip",
               format("every sample number up to {} once, but for {} ranges of data.skip",
                      shown_.empty() ? 0 : shown_.back(), options_.skip.size()),
               "sample numbers are repeated, or left out without being in data.skip",
               "report this: it is a fault of the loader");
    }

    /// Null for one that is shown.
    const SkipRange* range_of(uint64_t sample) const {
        for (const SkipRange& range : options_.skip) {
            if (sample >= range.first && sample <= range.last) return &range;
        }
        return nullptr;
    }

    SampleSource locate(uint64_t sample) const {
        return options_.locate ? options_.locate(sample) : blend_.locate(sample);
    }

    /// One epoch of one set, as far as it was shown.
    struct Epoch {
        uint64_t number = 0, samples = 0, tokens = 0;
        std::unordered_set<uint64_t> begins;
    };

    /// A packed epoch shows every token, one of windows all but the short one at the end.
    bool is_whole(size_t set, const Epoch& epoch) const {
        const bool is_packed = blend_.settings().packing == Packing::kBestFit;
        return epoch.samples == blend_.samples(set).num_samples() &&
               (!is_packed || epoch.tokens == blend_.sets()[set].info().num_tokens);
    }

    /// Each epoch of each set shows each of its tokens' places once, and the next begins after it.
    void check_epochs() {
        if (shown_.empty()) return;
        std::vector<Epoch> epochs(blend_.sets().size());
        Hasher128 hasher;
        uint64_t repeated = 0, whole = 0, incomplete = 0;
        const bool has_epochs = blend_.settings().order != OrderKind::kMegatron;
        for (uint64_t sample = 0; sample <= shown_.back(); ++sample) {
            const SampleSource source = locate(sample);
            hasher.update(format("{} {} {};", sample, source.set, source.sample));
            Epoch& epoch = epochs[source.set];
            if (source.epoch != epoch.number) {
                incomplete += !is_whole(source.set, epoch) || source.epoch != epoch.number + 1;
                epoch = {source.epoch, 0, 0, {}};
            }
            for (const Piece& piece : source.pieces) {
                hasher.update(format("{} {},", piece.first_token, piece.count));
                if (has_epochs) repeated += !epoch.begins.insert(piece.first_token).second;
                epoch.tokens += piece.count;
            }
            ++epoch.samples;
            whole += has_epochs && is_whole(source.set, epoch);
        }
        result_.order = hasher.digest();
        if (!has_epochs) {
            result_.findings.push_back({Status::kNote, "loader.epochs", "data order",
                                        "Megatron's order mixes the epochs of a set", ""});
            return;
        }
        report(repeated == 0 && incomplete == 0, "loader.epochs",
               format("no place of a set twice in an epoch; {} epochs of sets shown whole", whole),
               format("{} places of sets come twice in an epoch, {} epochs end before they are "
                      "shown whole",
                      repeated, incomplete),
               "report this: it is a fault of the loader");
    }

    void check_blend() {
        __extension__ using Wide = __int128;
        const auto shares = blend_.order().shares();
        const auto sum =
            static_cast<Wide>(std::accumulate(shares.begin(), shares.end(), uint64_t{0}));
        std::vector<uint64_t> given(shares.size(), 0);
        double largest = 0;
        for (uint64_t sample = 0; !shown_.empty() && sample <= shown_.back(); ++sample) {
            ++given[locate(sample).set];
            for (size_t set = 0; set < shares.size(); ++set) {
                const Wide ahead = given[set] * sum - static_cast<Wide>(shares[set]) * (sample + 1);
                const auto error = static_cast<double>(ahead < 0 ? -ahead : ahead);
                largest = std::max(largest, error / static_cast<double>(sum));
            }
        }
        result_.blend_error = largest;
        const bool is_exact = blend_.settings().order != OrderKind::kMegatron &&
                              blend_.settings().blend_version == kExactBlend;
        const std::string text =
            format("{} sets, at most {:.4f} samples from their shares", shares.size(), largest);
        if (is_exact) {
            report(largest < 1, "loader.blend", text, text,
                   "report this: it is a fault of the loader");
        } else {
            result_.findings.push_back({Status::kNote, "loader.blend", "data order", text, ""});
        }
    }

    /// Samples read ahead by threads are those read at once, and well formed.
    void check_content() {
        const auto count = static_cast<size_t>(std::min<int64_t>(
            options_.read_steps * options_.global_batch, static_cast<int64_t>(shown_.size())));
        const auto seq_len = static_cast<size_t>(blend_.seq_len());
        Prefetcher prefetcher(blend_, {seq_len, true, 2});
        std::vector<int32_t> direct(3 * seq_len), ahead(3 * seq_len);
        size_t different = 0, malformed = 0;
        std::string why;
        for (size_t i = 0; i < count; ++i) {
            const size_t room = std::min<size_t>(count - i, 16);
            prefetcher.announce(std::span(shown_).subspan(i, room));
            try {
                blend_.read(shown_[i], buffers(direct));
                prefetcher.read(shown_[i], buffers(ahead));
            } catch (const DataError& error) {
                ++malformed;
                if (why.empty()) why = ": " + error.describe();
                continue;
            }
            different += direct != ahead;
            malformed += !is_well_formed(shown_[i], buffers(direct));
        }
        report(
            different == 0 && malformed == 0, "loader.content",
            format("{} samples: the same tokens when read ahead, ids, targets and documents well "
                   "formed",
                   count),
            format("of {} samples {} differ when read ahead, {} are malformed{}", count, different,
                   malformed, why),
            "run tok-shard verify on the folders");
    }

    static SampleBuffers buffers(std::vector<int32_t>& values) {
        const std::span<int32_t> all(values);
        const size_t count = all.size() / 3;
        return {all.first(count), all.subspan(count, count), all.subspan(2 * count)};
    }

    bool is_well_formed(uint64_t sample, const SampleBuffers& made) const {
        const DatasetInfo& info = blend_.sets()[blend_.order().locate(sample).set].info();
        const uint32_t vocab_size = info.vocab_size > 0 ? info.vocab_size : INT32_MAX;  // unknown
        int32_t begin = 0;
        for (size_t i = 0; i < made.tokens.size(); ++i) {
            const bool is_token =
                made.tokens[i] >= 0 && static_cast<uint32_t>(made.tokens[i]) < vocab_size;
            const bool is_target =
                made.targets[i] == kNoTarget ||
                (made.targets[i] >= 0 && static_cast<uint32_t>(made.targets[i]) < vocab_size);
            const int32_t here = made.document_begins[i];
            const bool is_begin = here == begin || here == static_cast<int32_t>(i);
            if (!is_token || !is_target || !is_begin) return false;
            begin = here;
        }
        return true;
    }

    const Blend& blend_;
    const ReplayOptions& options_;
    std::vector<int64_t> sizes_;
    Samples shown_;  // at the first world size
    ReplayResult result_;
};

}  // namespace

ReplayResult replay(const Blend& blend, const ReplayOptions& options) {
    return Replay(blend, options).run();
}

}  // namespace longhaul::shards
