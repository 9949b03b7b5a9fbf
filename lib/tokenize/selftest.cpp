// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/selftest.h"

#include "lib/cli/output.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/text/unicode.h"
#include "lib/token/encoder.h"
#include "lib/token/torture_text.h"

namespace longhaul::tokenize {
namespace {

class Comparison {
 public:
    explicit Comparison(const token::Tokenizer& tokenizer)
        : tokenizer_(tokenizer),
          fast_(tokenizer, {token::SpecialText::kParse, 1 << 20, true}),
          general_(tokenizer, {token::SpecialText::kParse, 1 << 20, false}) {}

    /// @return false, and prints why, when the two ways differ or do not decode to the text.
    bool check(const std::string& text) {
        std::vector<uint32_t> fast, general;
        fast_.encode(text, fast);
        general_.encode(text, general);
        ++num_texts;
        num_bytes += text.size();
        num_tokens += fast.size();
        if (fast != general) return report("the fast path gives other ids", text);
        if (tokenizer_.is_lossless() && tokenizer_.decode(fast, false) != text) {
            return report("the ids do not decode to the text", text);
        }
        return true;
    }

    uint64_t num_texts = 0, num_bytes = 0, num_tokens = 0;

 private:
    static bool report(const char* what, const std::string& text) {
        cli::print_line("{}: {}", what, io::to_line(io::Json(text.substr(0, 200))));
        return false;
    }

    const token::Tokenizer& tokenizer_;
    token::Encoder fast_, general_;
};

}  // namespace

ExitCode run_selftest(const SelftestOptions& options) {
    const token::Tokenizer tokenizer = token::load_tokenizer(options.tokenizer);
    Comparison comparison(tokenizer);
    for (uint64_t i = 0; i < options.num_generated; ++i) {
        if (!comparison.check(token::torture_text(tokenizer, options.seed, i)))
            return ExitCode::kNegative;
    }
    for (const std::string& file : options.files) {
        uint64_t replaced = 0;
        const std::string text = text::replace_invalid_utf8(io::read_text_file(file), replaced);
        if (!comparison.check(text)) return ExitCode::kNegative;
    }
    const auto& parts = tokenizer.parts();
    const auto scheme = parts.pre_tokenizer.single_scheme();
    cli::print_line("tokenizer  {} ({})", tokenizer.hash().hex(), parts.kind);
    cli::print_line("pattern    {}",
                    scheme ? token::scheme_info(*scheme).name : "general (no fast path)");
    cli::print_line("unicode    {}", text::kUnicodeVersion);
    cli::print_line("vocabulary {}", tokenizer.vocab_size());
    cli::print_line("equal      {} texts, {} bytes, {} tokens", comparison.num_texts,
                    comparison.num_bytes, comparison.num_tokens);
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize
