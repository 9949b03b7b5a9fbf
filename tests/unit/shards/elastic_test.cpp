// SPDX-License-Identifier: BSD-3-Clause
// Any number of ranks at any step shows the samples of one rank, with every kind of order, packing
// and mask, over phases, skipped ranges and ends of epochs. Settings are drawn at random.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "lib/io/json.h"
#include "lib/shards/replay.h"
#include "tests/unit/shards/shard_folder.h"

using namespace longhaul;
using namespace longhaul::shards;

namespace {

/// A small generator, the same everywhere.
class Draw {
 public:
    explicit Draw(uint64_t seed) : state_(seed * 2654435761u + 1) {}
    uint64_t below(uint64_t bound) {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return (state_ >> 33) % bound;
    }
    int64_t from(int64_t least, int64_t most) {
        return least + static_cast<int64_t>(below(static_cast<uint64_t>(most - least + 1)));
    }
    bool coin() { return below(2) == 1; }

 private:
    uint64_t state_;
};

/// Documents of 0 to 30 tokens, few of 300, that no two tokens of a set share a value by chance.
std::vector<std::vector<uint32_t>> documents(Draw draw, size_t count) {
    std::vector<std::vector<uint32_t>> list;
    uint32_t id = 2;
    for (size_t i = 0; i < count; ++i) {
        std::vector<uint32_t> ids(draw.below(20) == 0 ? 300 : draw.below(30));
        for (uint32_t& value : ids) value = id = id < 50000 ? id + 1 : 2;
        ids.push_back(1);
        list.push_back(std::move(ids));
    }
    return list;
}

class Sets {
 public:
    std::vector<BlendPart> draw(Draw& draw) const {
        std::vector<BlendPart> parts;
        const test::ShardFolder* const all[] = {&small_, &middle_, &large_};
        for (const test::ShardFolder* set : all) {
            if (draw.coin()) {
                parts.push_back({set->path, static_cast<double>(draw.from(1, 40)) / 4});
            }
        }
        if (parts.empty()) parts.push_back({middle_.path, 1});
        return parts;
    }

 private:
    test::ShardFolder small_{"elastic-a", documents(Draw(1), 40)};
    test::ShardFolder middle_{"elastic-b", documents(Draw(2), 150)};
    test::ShardFolder large_{"elastic-c", documents(Draw(3), 500)};
};

SampleSettings draw_settings(Draw& draw, int64_t samples) {
    SampleWords words;
    words.order = order_names()[draw.below(order_names().size())];
    words.order_block = draw.from(1, 9);
    words.order_window = draw.from(1, 5);
    words.order_samples = samples;
    words.packing = words.order != "megatron" && draw.coin() ? "best-fit" : "stream";
    words.attention = draw.coin() ? "document" : "causal";
    words.mask_boundaries = draw.coin();
    if (draw.coin()) words.mask_ids = {"1", "77"};
    if (draw.coin()) words.loss_between = {"40", "60"};
    return settings_of(words);
}

std::vector<SkipRange> draw_skip(Draw& draw, uint64_t below) {
    std::vector<SkipRange> ranges;
    for (uint64_t i = draw.below(4); i > 0; --i) {
        const uint64_t first = draw.below(below);
        ranges.push_back({first, first + draw.below(25)});
    }
    return ranges;
}

/// A stretch of a run: what a phase of its checkpoint says, and how long it lasts.
struct Stretch {
    std::vector<BlendPart> parts;
    BlendOptions options;
    int64_t batch = 1, micro_batch = 1, steps = 0;
    std::vector<SkipRange> skip, later_skip;  // from half of it on, as a restart may change it
};

Stretch draw_stretch(Draw& draw, const Sets& sets, int64_t number) {
    Stretch stretch;
    stretch.parts = sets.draw(draw);
    stretch.batch = draw.from(1, 70);
    stretch.micro_batch = draw.from(1, 5);
    stretch.steps = draw.from(3, 30);
    const int64_t samples = stretch.steps * stretch.batch + 4 * 26 + 4 * 26;
    stretch.options.seq_len = static_cast<uint64_t>(draw.from(4, 40));
    stretch.options.settings = draw_settings(draw, samples);
    stretch.options.seed = order_seed(11, number, stretch.options.settings.order);
    stretch.skip = draw_skip(draw, static_cast<uint64_t>(samples));
    stretch.later_skip = stretch.skip;
    for (const SkipRange& range : draw_skip(draw, static_cast<uint64_t>(samples))) {
        stretch.later_skip.push_back(range);
    }
    return stretch;
}

/// One line a sample that a rank takes: its phase, number, and a hash of what the model sees.
using Shown = std::vector<std::string>;

void read_sample(const Blend& blend, int64_t phase, uint64_t sample, Shown& shown) {
    const auto size = static_cast<size_t>(blend.seq_len());
    std::vector<int32_t> values(3 * size);
    const std::span<int32_t> all(values);
    blend.read(sample, {all.first(size), all.subspan(size, size), all.subspan(2 * size)});
    const Hash128 hash = xxh3_128(std::as_bytes(std::span<const int32_t>(values)));
    shown.push_back(format("{} {} {}", phase, sample, hash.hex()));
}

/// Goes on from a saved cursor with so many ranks, each from a cursor of its own.
/// @return what a checkpoint then holds.
std::string go_on(const std::string& saved, const Stretch& stretch, int64_t steps, int64_t ranks,
                  Shown& shown) {
    const Blend blend(stretch.parts, stretch.options);  // opened anew, as a restart does
    const DataCursor start = DataCursor::from_json(io::parse_json(saved, "cursor"), "cursor");
    std::vector<DataCursor> cursors(static_cast<size_t>(ranks), start);
    for (int64_t step = 0; step < steps; ++step) {
        for (int64_t rank = 0; rank < ranks; ++rank) {
            DataCursor& cursor = cursors[static_cast<size_t>(rank)];
            const auto batch = cursor.peek(stretch.batch);
            const tensor::Range mine = tensor::split_evenly(stretch.batch, ranks, rank);
            for (int64_t i = mine.first; i < mine.first + mine.count; ++i) {
                read_sample(blend, cursor.phase().number, batch[static_cast<size_t>(i)], shown);
            }
            cursor.advance(batch);
        }
    }
    return io::to_line(cursors.front().to_json());
}

/// The whole run. @param ranks of the next part, and its most steps: asked at each restart.
template <class Next>
Shown run(const std::vector<Stretch>& stretches, Next&& next) {
    Shown shown;
    std::string saved;
    for (size_t i = 0; i < stretches.size(); ++i) {
        const Stretch& stretch = stretches[i];
        DataPhase phase;
        phase.number = static_cast<int64_t>(i);
        phase.samples = stretch.options.settings;
        DataCursor cursor(phase, stretch.skip);
        if (i > 0) {
            cursor = DataCursor::from_json(io::parse_json(saved, "cursor"), "cursor");
            cursor.begin_phase(phase);
            cursor.set_skip(stretch.skip);
        }
        const int64_t half = stretch.steps / 2;
        for (int64_t step = 0; step < stretch.steps;) {
            if (step == half) cursor.set_skip(stretch.later_skip);
            const auto [ranks, most] = next(stretch.batch);
            const int64_t end = step < half ? half : stretch.steps;
            const int64_t steps = std::min(most, end - step);
            saved = go_on(io::to_line(cursor.to_json()), stretch, steps, ranks, shown);
            cursor = DataCursor::from_json(io::parse_json(saved, "cursor"), "cursor");
            step += steps;
        }
        saved = io::to_line(cursor.to_json());
    }
    return shown;
}

using Status = record::Status;

std::vector<std::string> failures_of(const ReplayResult& result) {
    std::vector<std::string> codes;
    for (const record::Finding& finding : result.findings) {
        if (finding.status == Status::kFail) codes.push_back(finding.code);
    }
    return codes;
}

}  // namespace

TEST_CASE("elastic: runs of several phases at 1 to 64 ranks that change at any step") {
    const Sets sets;
    for (uint64_t seed = 0; seed < 12; ++seed) {
        CAPTURE(seed);
        Draw draw(seed);
        std::vector<Stretch> stretches;
        for (int64_t i = draw.from(1, 3); i > 0; --i) {
            stretches.push_back(draw_stretch(draw, sets, static_cast<int64_t>(stretches.size())));
        }
        const Shown alone =
            run(stretches, [](int64_t) { return std::pair<int64_t, int64_t>(1, 1000); });
        const Shown elastic = run(stretches, [&draw](int64_t batch) {
            return std::pair(draw.from(1, std::min<int64_t>(64, batch)), draw.from(1, 8));
        });
        CHECK(elastic == alone);
        std::set<std::string> numbers;  // "phase number" once each
        for (const std::string& line : alone) numbers.insert(line.substr(0, line.rfind(' ')));
        CHECK(numbers.size() == alone.size());
        for (size_t i = 0; i < stretches.size(); ++i) {
            for (const SkipRange& range : stretches[i].skip) {
                CHECK(numbers.count(format("{} {}", i, range.first)) == 0);
                CHECK(numbers.count(format("{} {}", i, range.last)) == 0);
            }
        }
    }
}

TEST_CASE("elastic: what loader --check proves holds for random settings") {
    const Sets sets;
    for (uint64_t seed = 100; seed < 124; ++seed) {
        CAPTURE(seed);
        Draw draw(seed);
        const Stretch stretch = draw_stretch(draw, sets, 0);
        const Blend blend(stretch.parts, stretch.options);
        ReplayOptions options;
        options.steps = stretch.steps;
        options.global_batch = stretch.batch;
        options.micro_batch = stretch.micro_batch;
        options.skip = stretch.skip;
        CHECK(failures_of(replay(blend, options)) == std::vector<std::string>{});
    }
}

TEST_CASE("elastic: the proof fails for an order that is wrong") {
    const test::ShardFolder a("elastic-d", documents(Draw(4), 60));
    const test::ShardFolder b("elastic-e", documents(Draw(5), 60));
    for (const char* packing : {"stream", "best-fit"}) {
        SampleWords words;
        words.packing = packing;
        const Blend blend({{a.path, 3}, {b.path, 1}}, {16, 7, settings_of(words), {}, false});
        ReplayOptions options;
        options.steps = 40;
        options.global_batch = 9;
        REQUIRE(failures_of(replay(blend, options)).empty());
        const auto fails = [&](auto locate) {
            options.locate = locate;
            return failures_of(replay(blend, options));
        };
        using Codes = std::vector<std::string>;
        // A sample comes again, within its epoch or instead of the last one of it.
        CHECK(fails([&](uint64_t sample) { return blend.locate(sample == 20 ? 16 : sample); }) ==
              Codes{"loader.epochs"});
        // An epoch ends before it was shown whole.
        CHECK(fails([&](uint64_t sample) {
                  SampleSource source = blend.locate(sample);
                  source.epoch = source.sample / (blend.samples(source.set).num_samples() - 1);
                  return source;
              }) == Codes{"loader.epochs"});
        // One set instead of the other, often enough that a share is a sample off.
        const auto codes = fails([&](uint64_t sample) {
            SampleSource source = blend.locate(sample);
            if (sample % 8 == 3) source.set = 1 - source.set;
            return source;
        });
        CHECK(std::find(codes.begin(), codes.end(), "loader.blend") != codes.end());
    }
    // An order that depends on the number of ranks.
    const Blend blend({{a.path, 1}}, {16, 7, {}, {}, false});
    ReplayOptions options;
    options.steps = 20;
    options.global_batch = 9;
    options.split = [](int64_t total, int64_t parts, int64_t index) {
        return tensor::split_evenly(total, parts, parts == 3 ? parts - 1 - index : index);
    };
    const auto codes = failures_of(replay(blend, options));
    CHECK(std::find(codes.begin(), codes.end(), "loader.order") != codes.end());
}
