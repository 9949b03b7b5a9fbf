// SPDX-License-Identifier: BSD-3-Clause
// The "decoder" section of tokenizer.json.
#include "lib/token/tokenizer_json_parts.h"

namespace longhaul::token {

namespace {

constexpr const char* kKnown =
    "ByteLevel, Metaspace, ByteFallback, Fuse, Strip, Replace, BPEDecoder, WordPiece, CTC and "
    "Sequence";

std::string filled(const JsonField& field) {
    std::string value = field.text();
    if (value.empty()) field.fail("is empty");
    return value;
}

DecoderStepPtr read_replace(const JsonField& field) {
    const JsonPattern pattern = read_pattern(field.member("pattern"));
    std::string content = field.member("content").text();
    if (!pattern.is_regex) return make_replace_decoder(pattern.text, std::move(content));
    return with_context(
        [&] { return make_replace_regex_decoder(pattern.text, std::move(content)); }, "{}",
        pattern.place);
}

DecoderStepPtr read_step(const JsonField& field, const std::string& type) {
    if (type == "Metaspace") {
        Metaspace metaspace = read_metaspace(field);
        return make_metaspace_decoder(std::move(metaspace.replacement),
                                      metaspace.prepend != Metaspace::Prepend::kNever);
    }
    if (type == "ByteFallback") return make_byte_fallback_decoder();
    if (type == "Fuse") return make_fuse_decoder();
    if (type == "Strip") {
        std::string content = field.member("content").character();
        const size_t start = field.member("start").count();
        return make_strip_decoder(std::move(content), start, field.member("stop").count());
    }
    if (type == "Replace") return read_replace(field);
    if (type == "BPEDecoder") return make_bpe_decoder(filled(field.member("suffix")));
    if (type == "WordPiece") {
        std::string prefix = field.member("prefix").text();
        return make_wordpiece_decoder(std::move(prefix), field.member("cleanup").flag());
    }
    if (type == "CTC") {
        std::string pad = field.member("pad_token").text();
        std::string delimiter = filled(field.member("word_delimiter_token"));
        return make_ctc_decoder(std::move(pad), std::move(delimiter),
                                field.member("cleanup").flag());
    }
    refuse_type(field, type, kKnown);
}

void read_steps(const JsonField& field, Decoder& decoder, int depth) {
    const std::string type = component_type(field, depth);
    if (type == "Sequence") {
        for (const JsonField& step : field.member("decoders").elements()) {
            read_steps(step, decoder, depth + 1);
        }
    } else if (type == "ByteLevel") {
        check_byte_level(field);
        decoder.add(make_byte_level_decoder(), true);
    } else {
        decoder.add(read_step(field, type));
    }
}

}  // namespace

void read_decoder(const JsonField& field, Decoder& decoder) {
    if (field.is_null()) return;
    decoder.join_directly();
    read_steps(field, decoder, 0);
}

}  // namespace longhaul::token
