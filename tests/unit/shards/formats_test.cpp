// SPDX-License-Identifier: BSD-3-Clause
// Megatron and MDS files made by the programs themselves (tests/data/shards/make_*.py): read,
// written again byte for byte, damaged.
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/shards/dataset.h"
#include "lib/shards/mds_format.h"
#include "lib/shards/megatron_index.h"
#include "lib/shards/shard_containers.h"
#include "lib/shards/shard_file.h"
#include "lib/shards/shard_set.h"
#include "lib/shards/shard_writer.h"

using namespace longhaul;
using namespace longhaul::shards;
namespace fs = std::filesystem;

namespace {

using Documents = std::vector<std::vector<uint32_t>>;

const fs::path kReference = LH_TEST_DATA "/shards";

Documents reference_documents() {
    return io::read_json_file(kReference / "documents.json").get<Documents>();
}

OpenOptions with_vocabulary() {
    OpenOptions options;
    options.vocab_size = 500;
    return options;
}

Documents read_all(const fs::path& path) {
    const Dataset dataset(path, with_vocabulary());
    Documents documents;
    for (uint64_t i = 0; i < dataset.info().num_documents; ++i) {
        const DocumentRef document = dataset.document(i);
        documents.emplace_back(document.num_tokens);
        dataset.read(document.first_token, std::span<uint32_t>(documents.back()));
        if (document.num_tokens > 0) {
            REQUIRE(dataset.document_at(document.first_token).index == i);
            REQUIRE(dataset.document_at(document.first_token + document.num_tokens - 1).index == i);
        }
    }
    return documents;
}

class Folder {
 public:
    Folder() : path(fs::temp_directory_path() / format("lh-formats-{}", ::getpid())) {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    fs::path path;
};

void write(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

template <class T>
std::string changed(std::string bytes, size_t at, T value) {
    bytes.replace(at, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
    return bytes;
}

/// What opening, checking and reading all of it says.
std::string fault_of(const fs::path& path) {
    try {
        const ShardSet set = open_shard_set(path, with_vocabulary());
        for (size_t i = 0; i < set.details.shards.size(); ++i) {
            const auto shard = open_shard(set.folder, set.details, i);
            const std::string fault = shard->check_container();
            if (!fault.empty()) return fault;
            std::vector<uint64_t> offsets(shard->num_documents() + 1);
            shard->read_offsets(0, offsets);
            std::vector<uint32_t> ids(shard->num_tokens());
            shard->read_tokens(0, std::span<uint32_t>(ids));
        }
    } catch (const Error& error) {
        return error.describe();
    }
    return "(none)";
}

ShardWriterOptions options_for(const fs::path& folder, ShardFormat format, TokenType type) {
    ShardWriterOptions options;
    options.folder = options.tmp_dir = folder;
    options.container.format = format;
    options.container.mds_type = type;
    options.identity.vocab_size = type == TokenType::kI32 ? 65500 : 500;
    return options;
}

}  // namespace

TEST_CASE("formats: what megatron-core wrote is read") {
    const Documents expected = reference_documents();
    CHECK(read_all(kReference / "megatron_u16") == expected);
    CHECK(read_all(kReference / "megatron_i32.idx") == expected);
    CHECK(read_all(kReference / "megatron_u16.bin") == expected);
    const Documents first(expected.begin(), expected.begin() + 12);
    CHECK(read_all(kReference / "megatron_sentences") == first);  // of two sequences each
    CHECK_THROWS_AS(Dataset(kReference / "megatron_u16"), UsageError);
}

TEST_CASE("formats: what mosaicml-streaming wrote is read") {
    Documents expected = reference_documents();
    std::erase_if(expected, [](const auto& ids) { return ids.empty(); });
    CHECK(read_all(kReference / "mds_documents") == expected);
    const Documents first(expected.begin(), expected.begin() + 20);
    CHECK(read_all(kReference / "mds_columns") == first);  // zstd, other columns
    std::vector<uint32_t> stream, samples;
    for (const auto& ids : expected) stream.insert(stream.end(), ids.begin(), ids.end());
    for (const auto& ids : read_all(kReference / "mds_samples")) {
        CHECK(ids.size() == 64);
        samples.insert(samples.end(), ids.begin(), ids.end());
    }
    CHECK(std::equal(samples.begin(), samples.end(), stream.begin()));
    CHECK(stream.size() - samples.size() < 64);
}

TEST_CASE("formats: any window of MDS across samples and shards") {
    for (const char* name : {"mds_documents", "mds_samples", "megatron_sentences"}) {
        const Dataset dataset(kReference / name, with_vocabulary());
        std::vector<uint32_t> stream;
        for (const auto& ids : read_all(kReference / name)) {
            stream.insert(stream.end(), ids.begin(), ids.end());
        }
        for (size_t first = 0; first < stream.size(); first += 17) {
            std::vector<int32_t> out(std::min<size_t>(130, stream.size() - first));
            dataset.read(first, std::span<int32_t>(out));
            const auto begin = stream.begin() + static_cast<ptrdiff_t>(first);
            REQUIRE(std::equal(out.begin(), out.end(), begin));
        }
    }
}

TEST_CASE("formats: Megatron files are those of preprocess_data.py, byte for byte") {
    const Folder folder;
    for (const auto& [type, name] :
         {std::pair{TokenType::kU16, "megatron_u16"}, std::pair{TokenType::kI32, "megatron_i32"}}) {
        ShardWriter writer(options_for(folder.path, ShardFormat::kMegatron, type));
        uint64_t record = 0;
        for (const auto& ids : reference_documents()) writer.add(ids, 0, record++);
        const std::vector<ShardEntry> shards = writer.close();
        REQUIRE(shards.size() == 1);
        CHECK(shards[0].num_documents == 60);
        for (const char* ending : {".bin", ".idx"}) {
            CHECK(io::read_text_file(folder.path / (std::string("shard-00000-000") + ending)) ==
                  io::read_text_file(kReference / (std::string(name) + ending)));
        }
    }
    CHECK(megatron_token_type(65499) == TokenType::kU16);
    CHECK(megatron_token_type(65500) == TokenType::kI32);
}

TEST_CASE("formats: MDS shards are those of MDSWriter, byte for byte") {
    const Folder folder;
    const auto compare = [&](const ShardWriterOptions& options, const char* name, size_t count) {
        ShardWriter writer(options);
        uint64_t record = 0;
        for (const auto& ids : reference_documents()) {
            if (!ids.empty()) writer.add(ids, 0, record++);
        }
        const std::vector<ShardEntry> shards = writer.close();
        REQUIRE(shards.size() == count);
        std::vector<MdsShardInfo> infos;
        for (size_t i = 0; i < count; ++i) {
            const std::string reference = format("shard.{:05}.mds", i);
            CHECK(io::read_text_file(folder.path / shards[i].file) ==
                  io::read_text_file(kReference / name / reference));
            const uint64_t samples = options.container.sample_tokens > 0
                                         ? shards[i].num_tokens / options.container.sample_tokens
                                         : shards[i].num_documents;
            infos.push_back({reference, shards[i].bytes, samples, "", shards[i].xxh3_128});
        }
        const MdsColumns columns =
            token_columns(options.container.mds_type, options.container.sample_tokens);
        CHECK(mds_index(columns, options.container.size_limit, infos) ==
              io::read_text_file(kReference / name / "index.json"));
        return writer.num_dropped_tokens();
    };
    ShardWriterOptions options = options_for(folder.path, ShardFormat::kMds, TokenType::kI32);
    options.container.size_limit = 3000;
    CHECK(compare(options, "mds_documents", 4) == 0);
    options.container.mds_type = TokenType::kU16;
    options.container.sample_tokens = 64;
    options.container.size_limit = 2000;
    CHECK(compare(options, "mds_samples", 3) == 2459 % 64);
}

TEST_CASE("formats: a damaged Megatron index is named") {
    const Folder folder;
    const fs::path prefix = folder.path / "x";
    const std::string idx = io::read_text_file(kReference / "megatron_u16.idx");
    const std::string bin = io::read_text_file(kReference / "megatron_u16.bin");
    const uint64_t lengths = 34, begins = lengths + 4 * 58, documents = begins + 8 * 58;
    const auto fault = [&](const std::string& index, const std::string& data) {
        write(prefix.string() + ".idx", index);
        write(prefix.string() + ".bin", data);
        return fault_of(prefix);
    };
    const auto says = [](const std::string& text, const char* part) {
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    };
    says(fault(idx, bin), "(none)");
    says(fault(idx.substr(0, 20), bin), "no room for the header");
    says(fault(idx.substr(0, idx.size() - 1), bin), "cut or damaged");
    says(fault(idx + "x", bin), "cut or damaged");
    says(fault(changed(idx, 0, 'X'), bin), "not a Megatron index");
    says(fault(changed(idx, 9, uint64_t{2}), bin), "version 2");
    says(fault(changed(idx, 17, uint8_t{7}), bin), "float32 is no type of token ids");
    says(fault(changed(idx, 17, uint8_t{9}), bin), "type 9 is not known");
    says(fault(changed(idx, 17, uint8_t{4}), bin), "begins at byte");  // 4 bytes: inside tokens
    says(fault(changed(idx, 18, ~uint64_t{0}), bin), "do not fit");
    says(fault(changed(idx, 18, uint64_t{1} << 61), bin), "do not fit");
    says(fault(changed(idx, 26, uint64_t{0}), bin), "no document index");
    says(fault(changed(idx, 26, ~uint64_t{0}), bin), "do not fit");
    says(fault(changed(idx, lengths, int32_t{-1}), bin), "sequence 0 has -1 tokens");
    says(fault(changed(idx, lengths, int32_t{6}), bin), "sequence 1 begins at token 5");
    says(fault(changed(idx, lengths + 4 * 57, int32_t{2000000000}), bin),
         "cut or of another index");
    says(fault(changed(idx, begins + 8, int64_t{-2}), bin), "begins at byte -2");
    says(fault(changed(idx, begins + 8, int64_t{11}), bin), "begins at byte 11");
    says(fault(changed(idx, begins + 8 * 57, int64_t{1} << 40), bin), "cut or of another index");
    says(fault(changed(idx, begins + 8 * 20, int64_t{1} << 40), bin),
         "sequence 20 begins at token");
    says(fault(changed(idx, documents, int64_t{1}), bin), "document 0 begins at sequence 1");
    says(fault(changed(idx, documents + 8 * 60, int64_t{57}), bin), "it should end there");
    says(fault(changed(idx, documents + 8 * 5, int64_t{50}), bin), "document 6 begins at sequence");
    says(fault(changed(idx, documents + 8 * 5, int64_t{-5}), bin), "sequence -5 of 58");
    says(fault(idx, bin.substr(0, bin.size() - 2)), "cut or of another index");
    says(fault(idx, bin + "xx"), "cut or of another index");
    fs::remove(prefix.string() + ".bin");
    says(fault_of(prefix), "x.bin: No such file");
}

TEST_CASE("formats: a negative id in int32 is named with its byte") {
    const Folder folder;
    fs::copy(kReference / "megatron_i32.idx", folder.path / "x.idx");
    const std::string bin = io::read_text_file(kReference / "megatron_i32.bin");
    write(folder.path / "x.bin", changed(bin, 400, int32_t{-7}));
    CHECK(fault_of(folder.path / "x").find("x.bin: byte 400: -7 is no token id") !=
          std::string::npos);
}

TEST_CASE("formats: offsets above 4 GiB in a sparse Megatron set") {
    const Folder folder;
    const std::string prefix = (folder.path / "x").string();
    constexpr uint64_t kTokens = 3 * kMegatronMaxLength;  // 12.9 GB of u16
    std::string idx = megatron_header(TokenType::kU16, 3, 3);
    const auto append = [&idx](auto value) {
        idx.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (int i = 0; i < 3; ++i) append(static_cast<int32_t>(kMegatronMaxLength));
    for (uint64_t i = 0; i < 3; ++i) append(i * kMegatronMaxLength * 2);
    for (uint64_t i = 0; i < 4; ++i) append(i);
    write(prefix + ".idx", idx);
    write(prefix + ".bin", "");
    fs::resize_file(prefix + ".bin", kTokens * 2);
    {
        std::fstream file(prefix + ".bin", std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(kTokens * 2 - 2));
        file.write("\x01\x01", 2);
    }
    const Dataset dataset(prefix, with_vocabulary());
    CHECK(dataset.info().num_tokens == kTokens);
    CHECK(dataset.document(2).first_token == 2 * kMegatronMaxLength);
    CHECK(dataset.document_at(kTokens - 1).index == 2);
    std::vector<uint32_t> last(2);
    dataset.read(kTokens - 2, std::span<uint32_t>(last));
    CHECK(last == std::vector<uint32_t>{0, 257});
}

TEST_CASE("formats: a damaged MDS folder is named") {
    const Folder folder;
    const std::string index = io::read_text_file(kReference / "mds_documents/index.json");
    const std::string shard = io::read_text_file(kReference / "mds_documents/shard.00001.mds");
    const auto fault = [&](const std::string& json, const std::string& bytes) {
        for (const char* name : {"shard.00000.mds", "shard.00002.mds", "shard.00003.mds"}) {
            fs::copy(kReference / "mds_documents" / name, folder.path / name,
                     fs::copy_options::overwrite_existing);
        }
        write(folder.path / "index.json", json);
        write(folder.path / "shard.00001.mds", bytes);
        return fault_of(folder.path);
    };
    const auto with = [&](const char* from, const char* to) {
        std::string text = index;
        size_t at = text.find(from);
        for (; at != std::string::npos; at = text.find(from, at + 1)) {
            text.replace(at, std::string_view(from).size(), to);
        }
        return text;
    };
    const auto says = [](const std::string& text, const char* part) {
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    };
    const uint32_t num_samples = 14, first_sample = 4;
    const uint64_t at = 4 * first_sample;
    says(fault(index, shard), "(none)");
    says(fault(index.substr(0, 90), shard), "index.json");
    says(fault(with("\"format\": \"mds\"", "\"format\": \"csv\""), shard), "format \"csv\"");
    says(fault(with("\"version\": 2", "\"version\": 3"), shard), "version 3");
    says(fault(with("\"column_names\": [\"tokens\"]", "\"column_names\": [\"text\"]"), shard),
         "no column \"tokens\"");
    says(fault(with("ndarray:int32", "str"), shard), "encoding \"str\"");
    says(fault(with("ndarray:int32", "ndarray:float32"), shard), "not a type of ids");
    says(fault(with("ndarray:int32", "ndarray:int32:0"), shard), "not a shape");
    says(fault(with("ndarray:int32", "ndarray:int32:8"), shard), "samples of 32 bytes");
    says(fault(with("ndarray:int32", "ndarray:uint16"), shard),
         "expected");  // the shard says int32
    says(fault(with("[null]", "[-4]"), shard), "holds no count");
    says(fault(with("\"samples\": 14", "\"samples\": 15"), shard),
         "14 samples, index.json says 15");
    says(fault(with("\"bytes\": 2842", "\"bytes\": 2843"), shard), "cut or replaced");
    says(fault(with("shard.00001", "../x.00001"), shard), "no file of the folder");
    says(fault(with("shard.00001", "shard.00009"), shard), "shard.00009.mds");
    says(fault(with("\"zip_data\": null", "\"zip_data\": {\"basename\": \"z\", \"bytes\": 1}"),
               shard),
         "compression");
    says(fault(index, shard.substr(0, 2000)), "cut or replaced");
    says(fault(index, changed(shard, 0, ~uint32_t{0})), "do not fit");
    says(fault(index, changed(shard, 0, num_samples + 1)), "shard.00001.mds");
    says(fault(index, changed(shard, at, uint32_t{4000000000})), "sample");
    says(fault(index, changed(shard, at, uint32_t{1})), "sample");
    const auto begin = static_cast<uint64_t>(static_cast<unsigned char>(shard[4]));
    says(fault(index, changed(shard, begin + 4, '\x08')), "not the header");
}

TEST_CASE("formats: what does not fit a format is refused") {
    const Folder folder;
    ShardWriter megatron(options_for(folder.path, ShardFormat::kMegatron, TokenType::kI32));
    CHECK_THROWS_WITH_AS(
        megatron.begin_document(uint64_t{1} << 31, 3, 17),
        "input 3, record 17 of its part: 2147483648 tokens; Megatron's index "
        "holds lengths up to 2147483647: cut the document, or write another format",
        DataError);
    ShardWriterOptions options = options_for(folder.path, ShardFormat::kMds, TokenType::kI32);
    options.container.size_limit = kMdsSizeLimit;
    ShardWriter mds(options);
    CHECK_THROWS_AS(mds.begin_document(uint64_t{1} << 30, 3, 17), DataError);
    const auto long_document = [](uint64_t first, std::span<uint64_t> out) {
        for (size_t i = 0; i < out.size(); ++i) out[i] = (first + i) * (uint64_t{1} << 31);
    };
    CHECK_THROWS_AS(write_megatron_index(TokenType::kU16, 2, long_document, [](auto) {}),
                    DataError);
    CHECK_THROWS_AS((Container{ShardFormat::kMds, 1, TokenType::kU16}.token_type(65537)),
                    UsageError);
    CHECK(Container{ShardFormat::kMegatron}.token_type(65536) == TokenType::kI32);
    CHECK(Container{}.token_type(65536) == TokenType::kU16);
    for (const uint64_t tokens : {0ull, 1ull, 255ull, 256ull, 65535ull, 65536ull, 1ull << 32}) {
        for (const size_t size : {1, 2, 4, 8}) {
            CHECK(open_array_tokens(open_array_bytes(tokens, size), size) == tokens);
        }
    }
    CHECK_FALSE(open_array_tokens(1, 4));
    CHECK_FALSE(open_array_tokens(8, 4));
}
