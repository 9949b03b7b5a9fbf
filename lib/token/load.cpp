// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/load.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "lib/io/file.h"
#include "lib/token/bpe_builder.h"
#include "lib/token/foreign_file.h"
#include "lib/token/json_field.h"
#include "lib/token/json_vocabulary.h"
#include "lib/token/sentencepiece_model.h"

namespace longhaul::token {

namespace {

namespace fs = std::filesystem;

std::string scheme_names() {
    std::string names;
    for (const SchemeInfo& info : known_schemes()) {
        names += (names.empty() ? "" : ", ") + std::string(info.name);
    }
    return names;
}

void refuse_options(const TokenizerSource& source, const std::string& name) {
    if (!source.pattern.empty()) {
        throw UsageError(format("{} says its pattern itself: no --pattern", name));
    }
    if (!source.specials.empty()) {
        throw UsageError(format("{} lists its special tokens itself: no --special", name));
    }
}

TokenizerParts load_vocab_merges(const fs::path& folder, const std::string& pattern) {
    const fs::path vocab = folder / "vocab.json", merges = folder / "merges.txt";
    return parse_vocab_merges(io::read_text_file(vocab), io::read_text_file(merges), vocab.string(),
                              merges.string(), pattern);
}

/// A folder written by Tokenizer::save(): its source.json says everything.
Tokenizer load_saved(const fs::path& folder) {
    const std::string place = (folder / "source.json").string();
    const io::Json document = io::read_json_file(place);
    const JsonField root(&document, place);
    std::vector<SourceFile> files;
    for (const JsonField& file : root.member("files").elements()) {
        const std::string name = file.member("name").text();
        if (fs::path(name).filename() != name) file.fail("a file name with a folder");
        files.push_back({name, io::read_text_file(folder / name)});
        if (xxh3_128(files.back().content).hex() != file.member("xxh3_128").text()) {
            throw DataError(format("{}: changed since it was written (hash differs from {})",
                                   (folder / name).string(), place));
        }
    }
    const std::string kind = root.member("kind").text();
    const std::string pattern = root.member("pattern").text();
    const size_t expected = kind == "vocab+merges" ? 2 : 1;
    if (files.size() != expected) root.member("files").fail(format("not {} files", expected));
    const auto path = [&](size_t i) { return (folder / files[i].name).string(); };
    TokenizerParts parts;
    if (kind == "tokenizer.json") {
        parts = parse_tokenizer_json(files[0].content, path(0));
    } else if (kind == "sentencepiece") {
        parts = parse_sentencepiece(files[0].content, path(0));
    } else if (kind == "vocab+merges") {
        parts = parse_vocab_merges(files[0].content, files[1].content, path(0), path(1), pattern);
    } else if (kind == "ranks") {
        parts = parse_ranks(files[0].content, path(0), pattern);
    } else {
        root.member("kind").fail(format("\"{}\" is not known", kind));
    }
    std::vector<std::string> specials;
    for (const JsonField& special : root.member("specials").elements()) {
        specials.push_back(special.text());
    }
    add_specials(parts, specials);
    return Tokenizer(std::move(parts));
}

}  // namespace

void set_named_pattern(TokenizerParts& parts, const std::string& pattern, const std::string& name) {
    if (pattern.empty()) {
        throw UsageError(
            format("{}: the file does not say how text is cut into pieces: name it by "
                   "--pattern ({})",
                   name, scheme_names()));
    }
    const auto scheme = scheme_by_name(pattern);
    if (!scheme) {
        throw UsageError(format("unknown pattern \"{}\" (known: {})", pattern, scheme_names()));
    }
    parts.pattern = pattern;
    parts.pre_tokenizer.add_scheme(*scheme, SplitBehavior::kIsolated, false);
}

TokenizerParts parse_vocab_merges(std::string_view vocab, std::string_view merges,
                                  const std::string& vocab_name, const std::string& merges_name,
                                  const std::string& pattern) {
    refuse_foreign_file(vocab, vocab_name);
    refuse_foreign_bytes(merges, merges_name);
    TokenizerParts parts;
    parts.kind = "vocab+merges";
    parts.files = {{"vocab.json", std::string(vocab)}, {"merges.txt", std::string(merges)}};
    set_named_pattern(parts, pattern, vocab_name);
    parts.decoder.join_directly();
    parts.decoder.add(make_byte_level_decoder(), true);
    BpeBuilder builder(vocab_name);
    ParsedVocabulary parsed;
    const VocabularyVisitor visitor{
        {},
        [&](const std::string& content, int64_t id) { builder.add_token(content, id); },
        {},
        {},
        nullptr};
    parse_with_vocabulary(vocab, vocab_name, visitor, parsed);
    if (!parsed.has_vocabulary) throw DataError(vocab_name + ": is not a JSON object");
    size_t number = 0;
    while (!merges.empty()) {
        const size_t newline = merges.find('\n');
        std::string_view line = merges.substr(0, newline);
        merges.remove_prefix(newline == std::string_view::npos ? merges.size() : newline + 1);
        ++number;
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (line.empty() || line.starts_with("#version")) continue;
        const size_t space = line.find(' ');
        if (space == std::string_view::npos ||
            line.find(' ', space + 1) != std::string_view::npos) {
            throw DataError(
                format("{}:{}: \"{}\" does not have exactly one space", merges_name, number, line));
        }
        with_context(
            [&] {
                builder.add_merge(line.substr(0, space), line.substr(space + 1),
                                  format("merge of line {}", number));
            },
            "{}:{}", merges_name, number);
    }
    // Control tokens such as <|endoftext|> sit in vocab.json; they are named by --special.
    parts.model = builder.build({}, parts.warnings);
    return parts;
}

void add_specials(TokenizerParts& parts, const std::vector<std::string>& specials) {
    parts.specials = specials;
    for (const std::string& special : specials) {
        const size_t equals = special.rfind('=');
        AddedToken token;
        token.is_special = true;
        const char* const end = special.data() + special.size();
        const char* const digits = special.data() + (equals == std::string::npos ? 0 : equals + 1);
        const auto parsed = std::from_chars(digits, end, token.id);
        if (equals == std::string::npos || equals == 0 || parsed.ec != std::errc() ||
            parsed.ptr != end || token.id > kMaxTokenId) {
            throw UsageError(format("--special \"{}\": not TEXT=ID", special));
        }
        token.content = special.substr(0, equals);
        const Vocabulary& model = parts.model->vocabulary();
        const bool clashes = model.contains(token.id) && model.bytes(token.id) != token.content;
        const bool is_double =
            std::any_of(parts.added.begin(), parts.added.end(), [&](const AddedToken& other) {
                return other.id == token.id || other.content == token.content;
            });
        if (clashes || is_double) {
            throw UsageError(
                format("--special \"{}\": id {} or this text is already taken", special, token.id));
        }
        parts.added.push_back(std::move(token));
    }
}

Tokenizer load_tokenizer(const TokenizerSource& source) {
    const fs::path path(source.path);
    if (fs::is_directory(path)) {
        if (fs::exists(path / "source.json")) {
            refuse_options(source, (path / "source.json").string());
            return load_saved(path);
        }
        for (const char* name : {"tokenizer.json", "tokenizer.model"}) {
            if (!fs::exists(path / name)) continue;
            TokenizerSource inside = source;
            inside.path = (path / name).string();
            return load_tokenizer(inside);
        }
        if (!fs::exists(path / "vocab.json")) {
            throw DataError(
                format("{}: a folder without tokenizer.json, tokenizer.model, source.json or "
                       "vocab.json",
                       source.path));
        }
        TokenizerParts parts = load_vocab_merges(path, source.pattern);
        add_specials(parts, source.specials);
        return Tokenizer(std::move(parts));
    }
    const std::string text = io::read_text_file(path);
    const bool is_sentencepiece = looks_like_sentencepiece(text);
    if (!is_sentencepiece) refuse_foreign_file(text, source.path);
    const size_t first = text.find_first_not_of(" \t\r\n");
    TokenizerParts parts;
    if (is_sentencepiece) {
        refuse_options(source, source.path);
        parts = parse_sentencepiece(text, source.path);
    } else if (first == std::string::npos || text[first] != '{') {
        parts = parse_ranks(text, source.path, source.pattern);
    } else if (path.filename() == "vocab.json") {
        parts = load_vocab_merges(path.parent_path(), source.pattern);
    } else {
        refuse_options(source, source.path);
        parts = parse_tokenizer_json(text, source.path);
    }
    add_specials(parts, source.specials);
    return Tokenizer(std::move(parts));
}

}  // namespace longhaul::token
