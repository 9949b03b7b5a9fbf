// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/save.h"

#include <chrono>
#include <new>

#include "lib/base/format.h"
#include "lib/ckpt/commit.h"
#include "lib/ckpt/container.h"
#include "lib/ckpt/failure.h"
#include "lib/ckpt/save_plan.h"
#include "lib/ckpt/wire.h"
#include "lib/comm/comm.h"

namespace longhaul::ckpt {
namespace {

namespace fs = std::filesystem;

/// One stored piece as its writer reports it.
struct Written {
    uint64_t byte_offset = 0;
    Hash128 hash;
};

/// What a rank reports after writing.
struct Report {
    Failure failure;
    uint64_t file_bytes = 0;       // 0: it had nothing to write
    std::vector<Written> written;  // of cut_slice() of its slices, in order
};

comm::Tag tag(const char* what) {
    return {.what = what};
}

// --- messages ---------------------------------------------------------------------------------

std::string encode_offers(std::span<const LocalSlice> slices) {
    WireWriter out;
    const Failure failure = failure_of([&] {
        for (const LocalSlice& local : slices) {
            const auto print = fingerprint(local.shape, local.slice, local.dtype, local.bytes);
            out.put(local.tensor);
            out.put(local.kind);
            out.put(local.dtype);
            out.put(local.shape);
            out.put(local.slice.box.offset);
            out.put(local.slice.box.extent);
            out.put(local.slice.first);
            out.put(local.slice.count);
            out.put(print);
        }
    });
    WireWriter message;
    message.put(failure.text);
    message.put(failure.error_number);
    message.put<uint64_t>(slices.size());
    return message.take() + out.take();
}

std::vector<Offer> decode_offers(std::string_view message, size_t rank) {
    WireReader in(message);
    const std::string problem = in.text();
    const int error_number = in.get<int>();
    if (!problem.empty()) throw SaveError(format("rank {}: {}", rank, problem), error_number);
    std::vector<Offer> offers(in.get<uint64_t>());
    for (Offer& offer : offers) {
        offer.tensor = in.text();
        offer.kind = in.get<Kind>();
        offer.dtype = in.get<tensor::DType>();
        offer.shape = in.list<int64_t>();
        offer.slice.box.offset = in.list<int64_t>();
        offer.slice.box.extent = in.list<int64_t>();
        offer.slice.first = in.get<int64_t>();
        offer.slice.count = in.get<int64_t>();
        offer.fingerprint = in.get<Fingerprint>();
    }
    return offers;
}

std::string encode_report(const Report& report) {
    WireWriter out;
    out.put(report.failure.text);
    out.put(report.failure.error_number);
    out.put(report.file_bytes);
    out.put(report.written);
    return out.take();
}

Report decode_report(std::string_view message) {
    WireReader in(message);
    Report report;
    report.failure.text = in.text();
    report.failure.error_number = in.get<int>();
    report.file_bytes = in.get<uint64_t>();
    report.written = in.list<Written>();
    return report;
}

// --- rank 0 -----------------------------------------------------------------------------------

/// What rank 0 keeps between planning and commit.
struct Coordinator {
    std::vector<std::vector<Offer>> offers;
    SavePlan plan;
    fs::path temporary;
};

Coordinator coordinate(const fs::path& directory, const std::vector<std::string>& messages) {
    Coordinator state;
    for (size_t rank = 0; rank < messages.size(); ++rank) {
        state.offers.push_back(decode_offers(messages[rank], rank));
    }
    state.plan = plan_save(state.offers);
    state.temporary = make_temporary(directory);
    return state;
}

/// Numbers a manifest's tensors by name and kind.
uint32_t tensor_number(const std::vector<TensorEntry>& tensors, const Offer& offer) {
    const auto found = std::lower_bound(
        tensors.begin(), tensors.end(), offer, [](const TensorEntry& entry, const Offer& wanted) {
            return std::tie(entry.name, entry.kind) < std::tie(wanted.tensor, wanted.kind);
        });
    return static_cast<uint32_t>(found - tensors.begin());
}

Manifest make_manifest(const Coordinator& state, const Header& header,
                       const std::vector<Report>& reports) {
    Manifest manifest;
    manifest.header = header;
    manifest.tensors = state.plan.tensors;
    for (size_t rank = 0; rank < reports.size(); ++rank) {
        if (reports[rank].file_bytes == 0) continue;
        const auto file = static_cast<uint32_t>(manifest.files.size());
        manifest.files.push_back(
            {container_name(static_cast<int64_t>(rank)), reports[rank].file_bytes});
        size_t next = 0;
        for (const uint32_t number : state.plan.writes[rank]) {
            const Offer& offer = state.offers[rank][number];
            for (const tensor::Slice& piece : cut_slice(offer.slice, offer.dtype)) {
                const Written& written = reports[rank].written.at(next++);
                manifest.slices.push_back({tensor_number(manifest.tensors, offer), piece, file,
                                           written.byte_offset, written.hash});
            }
        }
    }
    canonicalize(manifest);
    return manifest;
}

std::vector<Report> check_reports(const std::vector<std::string>& messages) {
    std::vector<Report> reports;
    for (size_t rank = 0; rank < messages.size(); ++rank) {
        reports.push_back(decode_report(messages[rank]));
        const Failure& failure = reports.back().failure;
        if (!failure.text.empty()) {
            throw SaveError(format("rank {}: {}", rank, failure.text), failure.error_number);
        }
    }
    return reports;
}

// --- all ranks --------------------------------------------------------------------------------

Report write_container(const fs::path& file, std::span<const LocalSlice> slices,
                       const std::vector<uint32_t>& numbers) {
    Report report;
    std::vector<PieceSpec> specs;
    std::vector<std::span<const std::byte>> payloads;
    for (const uint32_t number : numbers) {
        const LocalSlice& local = slices[number];
        const size_t element_bytes = tensor::size_of(local.dtype);
        for (const tensor::Slice& piece : cut_slice(local.slice, local.dtype)) {
            specs.push_back({local.tensor, local.kind, local.dtype, piece.count});
            const auto at = static_cast<size_t>(piece.first - local.slice.first) * element_bytes;
            payloads.push_back(
                local.bytes.subspan(at, static_cast<size_t>(piece.count) * element_bytes));
        }
    }
    ContainerWriter container(file, specs);
    for (size_t i = 0; i < specs.size(); ++i) {
        report.written.push_back(
            {container.byte_offset(i), container.write_hashed(i, payloads[i])});
    }
    report.file_bytes = container.close();
    return report;
}

/// Broadcasts what rank 0 has to say: a failure of `body` there is thrown on every rank.
std::string from_rank0(comm::Comm& comm, const char* what,
                       const std::function<std::string()>& body) {
    WireWriter message;
    if (comm.rank() == 0) {
        std::string content;
        const Failure failure = failure_of([&] { content = body(); });
        message.put(failure.text);
        message.put(failure.error_number);
        message.put(content);
    }
    const std::string bytes = comm.broadcast_bytes(message.take(), 0, tag(what));
    WireReader in(bytes);
    const std::string problem = in.text();
    const int error_number = in.get<int>();
    if (!problem.empty()) throw SaveError(problem, error_number);
    return in.text();
}

std::string encode_plan(const Coordinator& state) {
    WireWriter out;
    out.put(state.temporary.string());
    for (const auto& numbers : state.plan.writes) out.put(numbers);
    return out.take();
}

}  // namespace

SaveResult save(const fs::path& directory, const Header& header, std::span<const LocalSlice> slices,
                comm::Comm& comm) {
    const auto begin = std::chrono::steady_clock::now();
    const auto offers = comm.gather_bytes(encode_offers(slices), 0, tag("checkpoint offers"));
    Coordinator state;
    const std::string plan = from_rank0(comm, "checkpoint plan", [&] {
        state = coordinate(directory, offers);
        return encode_plan(state);
    });
    WireReader in(plan);
    const fs::path temporary = in.text();
    std::vector<uint32_t> numbers;
    for (int rank = 0; rank <= comm.rank(); ++rank) numbers = in.list<uint32_t>();

    Report report;
    const Failure failure = failure_of([&] {
        if (numbers.empty()) return;
        report = write_container(temporary / container_name(comm.rank()), slices, numbers);
    });
    report.failure = failure;
    const auto reports = comm.gather_bytes(encode_report(report), 0, tag("checkpoint hashes"));
    const std::string done = from_rank0(comm, "checkpoint commit", [&] {
        Manifest manifest;
        try {
            manifest = make_manifest(state, header, check_reports(reports));
        } catch (...) {
            remove_directory(temporary);
            throw;
        }
        commit_directory(temporary, directory, manifest);
        WireWriter out;
        out.put(manifest.self);
        out.put(total_bytes(manifest));
        return out.take();
    });
    WireReader result(done);
    const auto self = result.get<Hash128>();
    const auto bytes = result.get<uint64_t>();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    return {self, bytes, elapsed.count()};
}

}  // namespace longhaul::ckpt
