// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ranks/rank_output.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "lib/dedup/applied_json.h"
#include "lib/dedup/output.h"
#include "lib/dedup/ranks/record_exchange.h"
#include "lib/dedup/remover.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

/// Marks the lines of this rank that go.
class RowMarks {
 public:
    RowMarks(ExternalSorter<DecisionRow>& rows, uint64_t first_own)
        : rows_(rows), first_own_(first_own) {
        advance();
    }
    void attach(MarkedBatch& item) {
        const uint64_t first = first_own_ + item.batch.first_id;
        const uint64_t end = first + item.batch.lines.size();
        for (; row_ && row_->id < end; advance()) {
            Mark mark;
            mark.line = row_->id - first;
            mark.decision = {row_->id, static_cast<Verdict>(row_->verdict), row_->match,
                             row_->jaccard};
            item.marks.push_back(std::move(mark));
        }
    }

 private:
    void advance() {
        DecisionRow row;
        row_ = rows_.next(row) ? std::optional<DecisionRow>(row) : std::nullopt;
    }

    ExternalSorter<DecisionRow>& rows_;
    uint64_t first_own_;
    std::optional<DecisionRow> row_;
};

/// Gives a file of temporary text piece by piece.
template <class Take>
void for_each_piece(uint64_t num_bytes, Take take) {
    std::string piece;
    for (uint64_t at = 0; at < num_bytes; at += piece.size()) {
        piece.resize(std::min<uint64_t>(kPieceBytes, num_bytes - at));
        take(piece, at);
    }
}

comm::Buffer buffer_of(std::string& bytes) {
    return {bytes.data(), static_cast<int64_t>(bytes.size()), tensor::DType::kU8};
}

}  // namespace

RankOutput::RankOutput(const RankContext& context, RankDocuments& documents, Target target)
    : context_(context),
      documents_(documents),
      target_(target),
      list_(context.area),
      removed_(context.area, context.memory.sort_bytes / 16) {
    // The one file is its reader's; others must not touch its temporary names.
    const bool has_inputs = documents.share.begin < documents.share.end;
    if (target == Target::kFile && !has_inputs) target_ = Target::kNone;
}

void RankOutput::write(ExternalSorter<DecisionRow>& decisions,
                       const std::function<void(uint64_t)>& on_bytes) {
    const Options& options = context_.options;
    OutputWriter writer(target_, options.output, context_.inputs, options.threads);
    RemovalList::Sink sink;
    if (!options.removal_list.empty()) {
        sink = [&](std::string_view lines, uint64_t records) {
            list_.append(std::as_bytes(std::span(lines)));
            num_listed_ += records;
        };
    }
    const bool has_survey = num_survey_pairs(options) > 0;
    RemovalList list(sink, documents_.sources);
    RowMarks marks(decisions, documents_.first_own());
    const InputShare share = documents_.share;
    const Inputs inputs = context_.inputs.slice(share.begin, share.end);
    const RemoverContext remover_context{
        options.annotate,
        inputs,
        documents_.own_sources(),
        share.begin,
        writer,
        list,
        [](const Mark& mark) { return mark.decision; },
        [&](const Decision& gone) {
            if (!has_survey) return;
            removed_.add({gone.id, gone.match, gone.jaccard, static_cast<uint64_t>(gone.verdict)});
        }};
    Remover remover(remover_context);
    read_again({inputs, options, context_.memory, [&](MarkedBatch& item) { marks.attach(item); },
                [&](MarkedBatch& item) { remover.take(item); }, on_bytes, writer.tasks()});
    list.flush();
    entries_ = writer.finish();
}

void RankOutput::gather(Outcome& outcome) {
    gather_counts(outcome);
    gather_list(outcome);
    gather_survey(outcome);
}

void RankOutput::gather_counts(Outcome& outcome) {
    io::Json own = applied_json(entries_, documents_.own_sources());
    own["begin"] = documents_.share.begin;
    own["end"] = documents_.share.end;
    const std::string source = "what a rank has written";
    const auto all = context_.comm.gather_bytes(io::to_line(own), 0, {-1, -1, "what was written"});
    for (const std::string& text : all) {
        const io::Json part = io::parse_json(text, source);
        const auto begin = io::require<size_t>(part, "begin", source);
        const auto end = io::require<size_t>(part, "end", source);
        read_applied_json(part, source, outcome.outputs,
                          std::span(documents_.sources).subspan(begin, end - begin));
    }
    std::vector<int64_t> spilled{static_cast<int64_t>(context_.area.bytes_written())};
    context_.comm.all_reduce({spilled.data(), 1, tensor::DType::kI64}, comm::Op::kSum,
                             {-1, -1, "spilled bytes"});
    outcome.spilled_bytes = static_cast<uint64_t>(spilled[0]);
}

/// The parts of all ranks, in their order, become one file.
void RankOutput::gather_list(Outcome& outcome) {
    if (context_.options.removal_list.empty()) return;
    const comm::Tag tag{-1, -1, "removal list"};
    comm::Comm& comm = context_.comm;
    const auto num_ranks = static_cast<size_t>(comm.size());
    std::vector<int64_t> sizes(2 * num_ranks);
    sizes[2 * static_cast<size_t>(comm.rank())] = static_cast<int64_t>(list_.size());
    sizes[2 * static_cast<size_t>(comm.rank()) + 1] = static_cast<int64_t>(num_listed_);
    comm.all_reduce({sizes.data(), 2 * comm.size(), tensor::DType::kI64}, comm::Op::kSum, tag);
    const auto read = [&](std::string& piece, uint64_t at) {
        list_.read(std::as_writable_bytes(std::span(piece)), at);
    };
    if (!context_.is_first()) {
        for_each_piece(list_.size(), [&](std::string& piece, uint64_t at) {
            read(piece, at);
            comm.send(buffer_of(piece), 0, tag);
        });
        return;
    }
    RemovalFile file(context_.options.removal_list);
    for (size_t rank = 0; rank < num_ranks; ++rank) {
        auto records = static_cast<uint64_t>(sizes[2 * rank + 1]);
        for_each_piece(static_cast<uint64_t>(sizes[2 * rank]),
                       [&](std::string& piece, uint64_t at) {
                           if (rank == 0) {
                               read(piece, at);
                           } else {
                               comm.recv(buffer_of(piece), static_cast<int>(rank), tag);
                           }
                           file.write(piece, std::exchange(records, 0));
                       });
    }
    outcome.removal_list = file.finish();
}

void RankOutput::gather_survey(Outcome& outcome) {
    Surveyor surveyor(context_.area, context_.memory.sort_bytes / 8,
                      num_survey_pairs(context_.options));
    exchange_records<DecisionRow>(
        context_.comm, context_.memory.sort_bytes / 8, "removed documents",
        [&](DecisionRow& row, int& to) {
            to = 0;
            return removed_.next(row);
        },
        [&](int, const DecisionRow& row) {
            surveyor.add({row.id, static_cast<Verdict>(row.verdict), row.match, row.jaccard});
        });
    if (context_.is_first()) outcome.survey = surveyor.finish();
}

}  // namespace longhaul::dedup
