#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes pipeline.jsonl.zst with the real tokenizers (0.23.3): what every component of tokenizer.json
around the model makes of texts, and what whole tokenizers with small vocabularies do.
Usage: make_pipeline.py OUT_FILE [NUMBER_OF_TEXTS [SEED]]

One object a line: {"part", "json", "cases"}. Cases of a normalizer are [text, text], of a
pre_tokenizer [text, pieces], of a decoder [tokens, text], of a tokenizer [text, ids with control
tokens parsed, ids with them as text, ids between those of the template, decoded, decoded without
control tokens]."""
import base64
import json
import random
import struct
import sys

import tokenizers
import zstandard
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers

FRAGMENTS = """'s don't I'M HELLO'SWORLD helloWORLDFoo 12345 3.14 1,000 v2.0 a/b//c !! ... foo_bar <|end|>
<mask> ABC x=y; (a[0]) --opt $5 50% C++ `code` ~ ^ naïve café ＡＢＣ ﬁne ① ½ x² ³ ¼ Ⅷ १२ ٣٤ 中文测试 日本語テキスト ー カタカナ
한국어 각 ไทย हिन्दी عربي ﷺ русский Ёж Ελληνικά ΣΑΣ ß İ ı ǅ ʰ 😀👨‍👩‍👧🇩🇪🇫 ▁ ▁a a▁b Ġ Ċx <0x41> <unk> ##ing </w> | [UNK]""".split()
ODD = [0, 1, 7, 9, 10, 11, 12, 13, 0x1C, 0x1F, 0x7F, 0x85, 0x8F, 0x9F, 0xA0, 0xAD, 0xB2, 0x300, 0x301, 0x323, 0x345,
       0x34F, 0x61C, 0x1100, 0x1161, 0x11A8, 0x1680, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x2028, 0x2029, 0x202F,
       0x2060, 0x2126, 0x212A, 0x2581, 0x3000, 0x3099, 0x30FC, 0xAC00, 0xAC01, 0xD7A3, 0xD7FF, 0xE000, 0xF900, 0xFB01,
       0xFDFA, 0xFE0F, 0xFEFF, 0xFF21, 0xFFFD, 0xFFFF, 0x10000, 0x110BD, 0x1D15E, 0x11DE3, 0x16FF4, 0x16EA0, 0x1E900,
       0x1F1E9, 0x1F3FB, 0x20000, 0x2F800, 0xE0041, 0x10FFFF]


def make_texts(count, seed):
    rng = random.Random(seed)
    texts = ["  \U00011DE3x", "", " ", "  ", "a", " a", "a ", "  a  b  ", "\n", "-", "--", "a--b", " - ", "\u0301", "\u0301a", "▁", "▁▁a",
             "The quick (brown) fox's 12 jumps, over 1000 lazy dogs!  \n\n\tYes."]
    while len(texts) < count:
        parts = []
        for _ in range(rng.randint(1, 9)):
            kind = rng.random()
            if kind < 0.4:
                parts.append(rng.choice(FRAGMENTS))
            elif kind < 0.6:
                parts.append(rng.choice([" ", " ", " ", "  ", "\n", "\t", " \n"]))
            elif kind < 0.75:
                parts.append(chr(rng.choice(ODD)))
            elif kind < 0.85:
                parts.append("".join(chr(rng.randint(32, 126)) for _ in range(rng.randint(1, 6))))
            else:  # any block
                start = rng.choice([rng.randrange(0, 0xD700), rng.randrange(0xE000, 0x20000),
                                    rng.randrange(0, 0x3000), rng.randrange(0x20000, 0x10FFF0)])
                parts.append("".join(chr(start + rng.randrange(16)) for _ in range(rng.randint(1, 4))))
        texts.append("".join(parts).encode("utf-8", "replace").decode())
    return texts


def typed(name, **fields):
    return {"type": name, **fields}


def string(text):
    return {"String": text}


def regex(text):
    return {"Regex": text}


def charsmap(rules):
    """A precompiled_charsmap: a darts-clone double array over the keys, and the replacements."""
    texts, offsets = b"", {}
    for key, value in rules.items():
        offsets[key.encode()] = len(texts)
        texts += value.encode() + b"\0"
    units, used = [0] * 512, {0}
    bases = set()

    def place(prefix, node):
        children = sorted({k[len(prefix)] for k in offsets if k.startswith(prefix) and k != prefix})
        labels = ([0] if prefix in offsets else []) + children
        base = next(b for b in range(1, 1 << 20) if b not in bases and all((b ^ c) not in used for c in labels)
                    and (b ^ node) < 1 << 21)
        while len(units) < base + 512:
            units.extend([0] * 256)
        used.update(base ^ c for c in labels)
        bases.add(base)
        offset = base ^ node
        units[node] |= (offset << 10) | (256 if prefix in offsets else 0)
        for label in labels:
            child = base ^ label
            if label == 0:
                units[child] = offsets[prefix] | 1 << 31
            else:
                units[child] |= label
        for label in children:
            place(prefix + bytes([label]), base ^ label)

    place(b"", 0)
    units.extend([0] * (-len(units) % 256))
    for free in set(range(len(units))) - used:  # a label by which no node gets here
        units[free] = next(label for label in range(1, 256) if free ^ label not in bases)
    trie = struct.pack(f"<{len(units)}I", *units)
    return base64.b64encode(struct.pack("<I", len(trie)) + trie + texts).decode()


RULES = {"\t": " ", "\n": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\ufeff": "", "ﬁ": "fi", "①": "1", "Ａ": "A", "Ｂ": "B",
         "e\u0301": "é", "a\u0301": "á", "A": "a", "ab": "X", "\u200b": "", "½": "1/2", "ﷺ": "صلى", "각": "KAK", "👨": "M",
         "\u0301": "", "カ": "か", "ー": "-"}
BERT = dict(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
NORMALIZERS = [typed(n) for n in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")] + [
    typed("Strip", strip_left=True, strip_right=True), typed("Strip", strip_left=True, strip_right=False),
    typed("Strip", strip_left=False, strip_right=True), typed("Prepend", prepend="▁"), typed("Prepend", prepend=""),
    typed("Replace", pattern=string(" "), content="▁"), typed("Replace", pattern=string("--"), content="-"),
    typed("Replace", pattern=string("a"), content=""), typed("Replace", pattern=regex(" {2,}"), content=" "),
    typed("Replace", pattern=regex("\\s+"), content=" "), typed("Replace", pattern=regex("[\\p{P}\\d]"), content=""),
    typed("Replace", pattern=regex("(?i)b|c*d"), content="<>"), typed("Precompiled", precompiled_charsmap=charsmap(RULES)),
    typed("BertNormalizer", **BERT), typed("BertNormalizer", **BERT | {"lowercase": False}),
    typed("BertNormalizer", **BERT | {"strip_accents": False, "clean_text": False}),
    typed("BertNormalizer", **BERT | {"strip_accents": True, "lowercase": False, "handle_chinese_chars": False}),
    typed("Sequence", normalizers=[]),
    typed("Sequence", normalizers=[typed("NFKD"), typed("StripAccents"), typed("Lowercase")]),
    typed("Sequence", normalizers=[typed("Prepend", prepend="▁"), typed("Replace", pattern=string(" "), content="▁")]),
    typed("Sequence", normalizers=[typed("NFC"), typed("Replace", pattern=regex("\\s+"), content=" "), typed("Lowercase")])]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
GPT2 = typed("ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=True)
PLAIN_BYTES = GPT2 | {"use_regex": False}
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
DEEPSEEK = [r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+"
            "[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"]
CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def split(pattern, behavior="Isolated", invert=False):
    return typed("Split", pattern=pattern, behavior=behavior, invert=invert)


def sequence(*steps):
    return typed("Sequence", pretokenizers=list(steps))


def metaspace(**fields):
    return typed("Metaspace", replacement="▁", **fields)


FALCON = sequence(typed("Punctuation", behavior="Contiguous"), GPT2, typed("Digits", individual_digits=False),
                  split(regex("[0-9][0-9][0-9]")))
STARCODER = sequence(typed("Digits", individual_digits=True), GPT2)
DEEPSEEK_V3 = sequence(*[split(regex(p)) for p in DEEPSEEK], PLAIN_BYTES)
PRE_TOKENIZERS = [split(p, b, i) for p in (regex("-| +"), string("a")) for b in BEHAVIORS for i in (False, True)] + [
    GPT2, PLAIN_BYTES, GPT2 | {"add_prefix_space": True}, PLAIN_BYTES | {"add_prefix_space": True},
    typed("Digits", individual_digits=True), typed("Digits", individual_digits=False), typed("Punctuation")] + [
    typed("Punctuation", behavior=b) for b in BEHAVIORS] + [
    metaspace(prepend_scheme=s, split=c) for s in ("always", "first", "never") for c in (True, False)] + [
    metaspace(add_prefix_space=True), typed("Metaspace", replacement="_", prepend_scheme="always", split=True),
    typed("Whitespace"), typed("WhitespaceSplit"), typed("BertPreTokenizer"), typed("UnicodeScripts"),
    typed("CharDelimiterSplit", delimiter="-"), typed("CharDelimiterSplit", delimiter="中"),
    typed("FixedLength", length=3), typed("FixedLength"), FALCON, STARCODER, DEEPSEEK_V3,
    sequence(split(regex(LLAMA3)), PLAIN_BYTES), sequence(split(regex(CLIP), "Removed", True), GPT2),
    sequence(split(regex("[\r\n]")), split(regex(r"\s?\p{L}+")), split(regex(r"\s?\p{P}+")), typed("Digits", individual_digits=True),
             PLAIN_BYTES),
    sequence(typed("WhitespaceSplit"), metaspace(prepend_scheme="always", split=True)),
    sequence(typed("WhitespaceSplit"), metaspace(prepend_scheme="first", split=True)),
    sequence(typed("UnicodeScripts"), metaspace(prepend_scheme="first", split=True)),
    sequence(typed("Punctuation"), metaspace(prepend_scheme="first", split=False)),
    sequence(GPT2, typed("Punctuation")), sequence(PLAIN_BYTES, GPT2), sequence(GPT2, metaspace(prepend_scheme="always")),
    sequence(PLAIN_BYTES, typed("UnicodeScripts")), sequence(GPT2, typed("FixedLength", length=2)),
    sequence(typed("Whitespace"), typed("Digits", individual_digits=True)), sequence()]
BYTE_LEVEL_DECODER = typed("ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True)
REPLACE_META = typed("Replace", pattern=string("▁"), content=" ")


def chain(*steps):
    return typed("Sequence", decoders=list(steps))


LLAMA2_DECODER = chain(REPLACE_META, typed("ByteFallback"), typed("Fuse"), typed("Strip", content=" ", start=1, stop=0))
DECODERS = [None, BYTE_LEVEL_DECODER, metaspace(prepend_scheme="always", split=True),
            metaspace(prepend_scheme="never", split=True), metaspace(add_prefix_space=True), typed("ByteFallback"),
            typed("Fuse"), typed("Strip", content="a", start=1, stop=0), typed("Strip", content="a", start=0, stop=1),
            REPLACE_META, typed("Replace", pattern=regex("[aeiou]+"), content="*"), typed("BPEDecoder", suffix="</w>"),
            typed("WordPiece", prefix="##", cleanup=True), typed("WordPiece", prefix="##", cleanup=False),
            typed("CTC", pad_token="<pad>", word_delimiter_token="|", cleanup=True),
            typed("CTC", pad_token="<pad>", word_delimiter_token="|", cleanup=False), chain(), LLAMA2_DECODER,
            chain(typed("ByteFallback"), metaspace(prepend_scheme="always")), chain(BYTE_LEVEL_DECODER, typed("Fuse")),
            chain(BYTE_LEVEL_DECODER, typed("Strip", content=" ", start=1, stop=0))]
DECODER_TOKENS = ["a", "▁a", "▁", "Ġa", "ĠĠ", "Ã", "©", "Ċ", "<0xE4>", "<0xB8>", "<0xAD>", "<0x41>", "<0xff>", "<0x+A>", "<0xG1>",
                  "##ing", "ing</w>", "</w>", "<pad>", "|", "do", "not", "n't", "'", ".", " .", "中", "é", "aaa", "hello", "▁▁x▁",
                  "'s", "<|end|>", "foo bar", "?"]


def make_token_lists(count, seed):
    rng = random.Random(seed)
    return [[rng.choice(DECODER_TOKENS) for _ in range(rng.randint(1, 8))] for _ in range(count)]


def byte_alphabet():
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in own]
    return {**{b: chr(b) for b in own}, **{b: chr(256 + i) for i, b in enumerate(rest)}}


def added(content, token_id, **flags):
    base = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)
    return dict(id=token_id, content=content, **base) | flags


def byte_level_model(merges):
    alphabet = byte_alphabet()
    vocab = {alphabet[b]: b for b in range(256)}
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    return typed("BPE", dropout=None, unk_token=None, continuing_subword_prefix=None, end_of_word_suffix=None, fuse_unk=False,
                 byte_fallback=False, ignore_merges=False, vocab=vocab, merges=[list(m) for m in merges])


MERGES = [("a", "b"), ("Ġ", "a"), ("Ġ", "Ġ"), ("1", "2"), ("12", "3"), ("Ã", "©"), ("e", "r"), ("o", "n"), ("Ġ", "f"), ("Ġf", "o"),
          ("Ġfo", "o"), ("ä", "¸"), ("ä¸", "Ń"), ("æ", "ĸ"), ("æĸ", "ĩ"), ("Ġa", "b"), ("c", "o"), ("'", "s"), ("d", "on")]


def template(before, after, tokens):
    def special(name):
        return {"SpecialToken": {"id": name, "type_id": 0}}
    return typed("TemplateProcessing", single=[*map(special, before), {"Sequence": {"id": "A", "type_id": 0}}, *map(special, after)],
                 pair=[{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                 special_tokens={n: dict(id=n, ids=ids, tokens=[n] * len(ids)) for n, ids in tokens.items()})


def whole(pre, normalizer=None, post=None, decoder=BYTE_LEVEL_DECODER, model=None, tokens=None):
    model = model or byte_level_model(MERGES)
    size, in_model = len(model["vocab"]), model["vocab"]
    if isinstance(in_model, list):
        in_model = {token: i for i, (token, _) in enumerate(in_model)}
    tokens = tokens if tokens is not None else [added("<|end|>", 0, special=True)]
    next_id = size
    for token in tokens:
        known = in_model.get(token["content"])
        token["id"] = next_id if known is None else known
        next_id += known is None
    return dict(version="1.0", truncation=None, padding=None, added_tokens=tokens, normalizer=normalizer, pre_tokenizer=pre,
                post_processor=post, decoder=decoder, model=model)


FLAGS = [added("<|end|>", 0, special=True), added("<mask>", 0, special=True, lstrip=True), added("foo", 0, single_word=True),
         added("foo_bar", 0), added("中文", 0, rstrip=True), added("ABC", 0, normalized=True), added("é", 0, normalized=True),
         added("  ", 0, normalized=True), added("a", 0, normalized=True, single_word=True), added("ЁЖ", 0, normalized=True),
         added("fo", 0, rstrip=True, lstrip=True), added(" --", 0), added("x y", 0), added("ab", 0)]
SIZE = 256 + len(MERGES)


def tokenizers_to_make():
    yield whole(GPT2)
    yield whole(GPT2 | {"add_prefix_space": True}, post=typed("RobertaProcessing", sep=["b", 98], cls=["a", 97], trim_offsets=True,
                                                               add_prefix_space=True))
    for pre in (FALCON, STARCODER, DEEPSEEK_V3, sequence(split(regex(LLAMA3)), PLAIN_BYTES), sequence(GPT2, typed("Punctuation"))):
        yield whole(pre)
    for normalizer in (None, typed("NFC"), typed("Lowercase"), typed("Strip", strip_left=True, strip_right=True),
                       typed("Sequence", normalizers=[typed("NFKC"), typed("Replace", pattern=string(" "), content="_")])):
        # A token that is nothing once normalised makes the library panic.
        is_strip = normalizer is not None and normalizer["type"] == "Strip"
        yield whole(GPT2, normalizer, tokens=[dict(t) for t in FLAGS if not (is_strip and t["content"] == "  ")])
    yield whole(split(regex(r"Ġ?[^Ġ]+")), typed("ByteLevel"), tokens=[dict(t) for t in FLAGS])
    yield whole(sequence(split(regex(r"\p{L}+")), typed("Digits", individual_digits=True)),
                typed("Sequence", normalizers=[typed("NFC"), typed("ByteLevel")]))
    yield whole(GPT2, post=template(["<|end|>", "x"], [], {"<|end|>": [SIZE], "x": [1, 2]}))
    yield whole(GPT2, post=typed("Sequence", processors=[GPT2, template(["x"], ["y", "<|end|>"],
                                                                       {"x": [5], "y": [6], "<|end|>": [SIZE]})]))
    yield whole(GPT2, post=typed("BertProcessing", sep=["<|end|>", SIZE], cls=["a", 97]))
    yield whole(GPT2, decoder=None)
    yield whole(GPT2, decoder=chain(BYTE_LEVEL_DECODER, typed("Strip", content=" ", start=1, stop=0)))


UNIGRAM_PIECES = {"▁": -2.0, "▁a": -2.5, "a": -3.0, "b": -3.1, "ab": -4.5, "the": -5.0, "▁the": -4.0, "e": -3.3, "t": -3.4, "h": -3.5,
                  "o": -3.2, "n": -3.2, "s": -3.0, "1": -4.0, "2": -4.1, "12": -6.0, ".": -3.9, "'": -4.2, "中": -6.0, "文": -6.1,
                  "中文": -7.0, "é": -5.5, "▁▁": -6.5, "fo": -5.1, "foo": -6.4, "-": -4.0}
CHAR_MERGES = [("▁", "a"), ("▁", "▁"), ("a", "b"), ("t", "h"), ("th", "e"), ("▁", "the"), ("▁▁", "▁▁"), ("1", "2"), ("o", "o"),
               ("f", "oo"), ("中", "文"), ("e", "r"), ("'", "s")]


def char_model(byte_fallback=True, suffix=None, fuse=True):
    letters = [chr(c) for c in range(33, 127)] + list("▁é中文한국русий")
    tokens = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)] + letters
    tokens += [x + suffix for x in letters] if suffix else []
    merges = [(a, b + suffix) for a, b in CHAR_MERGES] + CHAR_MERGES if suffix else CHAR_MERGES
    vocab = {t: i for i, t in enumerate(dict.fromkeys(tokens))}
    merges = [m for m in merges if not suffix or (m[0] in vocab and m[1] in vocab)]
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    return typed("BPE", dropout=None, unk_token="<unk>", continuing_subword_prefix=None, end_of_word_suffix=suffix, fuse_unk=fuse,
                 byte_fallback=byte_fallback, ignore_merges=False, vocab=vocab, merges=[list(m) for m in merges])


def unigram_model():
    return typed("Unigram", unk_id=2, byte_fallback=False,
                 vocab=[["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0]] + [[t, x] for t, x in UNIGRAM_PIECES.items()])


def specials(*names):
    return [added(name, 0, special=True) for name in names]


def other_models():
    space = typed("Replace", pattern=string(" "), content="▁")
    prepend = typed("Sequence", normalizers=[typed("Prepend", prepend="▁"), space])
    control = specials("<unk>", "<s>", "</s>")
    bos = template(["<s>"], [], {"<s>": [1]})
    yield whole(None, prepend, bos, LLAMA2_DECODER, char_model(), control)  # Llama 2, Phi-3
    yield whole(metaspace(prepend_scheme="first", split=False), None, bos, LLAMA2_DECODER, char_model(), control)  # Mistral
    yield whole(split(string("<!x!>"), "MergedWithNext"), typed("Sequence", normalizers=[
        typed("Replace", pattern=string("<!x!>"), content="▁"), space]), template(["<s>", "</s>"], [], {"<s>": [1], "</s>": [2]}),
        chain(typed("ByteFallback"), metaspace(prepend_scheme="always")), char_model(), control)  # ChatGLM3
    yield whole(split(string(" "), "MergedWithPrevious"), space, bos, chain(REPLACE_META, typed("ByteFallback"), typed("Fuse")),
                char_model(), control)  # Gemma
    yield whole(metaspace(prepend_scheme="first", split=True), typed("Strip", strip_left=True, strip_right=True), bos, LLAMA2_DECODER,
                char_model(False), control + [added("foo", 0, lstrip=True), added("ab", 0, normalized=True)])
    yield whole(metaspace(add_prefix_space=True), typed("NFKC"), None, metaspace(add_prefix_space=True), char_model(False, fuse=False),
                control)
    precompiled = typed("Precompiled", precompiled_charsmap=charsmap(RULES))
    squeeze = typed("Replace", pattern=regex(" {2,}"), content=" ")
    eos = template([], ["</s>"], {"</s>": [1]})
    for pre in (metaspace(add_prefix_space=True), sequence(typed("WhitespaceSplit"), metaspace(add_prefix_space=True)),
                metaspace(prepend_scheme="first", split=True)):
        yield whole(pre, typed("Sequence", normalizers=[precompiled, squeeze]), eos, metaspace(add_prefix_space=True),
                    unigram_model(), [])  # T5, XLNet
    yield whole(sequence(split(regex(CLIP), "Removed", True), typed("Punctuation")), typed("Lowercase"), None,
                typed("BPEDecoder", suffix="</w>"), char_model(False, "</w>"), control)  # CLIP
    yield whole(typed("BertPreTokenizer"), typed("BertNormalizer", **BERT), typed("BertProcessing", sep=["</s>", 2], cls=["<s>", 1]),
                typed("BPEDecoder", suffix="</w>"), char_model(False, "</w>"), control)


def component_cases(texts, seed):
    for spec in NORMALIZERS:
        real = Tokenizer.from_str(json.dumps(whole(GPT2, spec, tokens=[]))).normalizer
        yield "normalizer", spec, [[t, real.normalize_str(t)] for t in texts]
    for spec in PRE_TOKENIZERS:
        real = Tokenizer.from_str(json.dumps(whole(spec))).pre_tokenizer
        yield "pre_tokenizer", spec, [[t, [p for p, _ in real.pre_tokenize_str(t) if p]] for t in texts]
    lists = make_token_lists(len(texts) // 2, seed)
    for spec in DECODERS:
        real = Tokenizer.from_str(json.dumps(whole(GPT2, decoder=spec))).decoder
        yield "decoder", spec, [[t, real.decode(list(t)) if real else " ".join(t)] for t in lists]


def tokenizer_cases(spec, texts):
    real = Tokenizer.from_str(json.dumps(spec))
    cases = []
    for text in texts:
        real.encode_special_tokens = False
        parsed = real.encode(text, add_special_tokens=False).ids
        full = real.encode(text, add_special_tokens=True).ids
        real.encode_special_tokens = True
        plain = real.encode(text, add_special_tokens=False).ids
        cases.append([text, parsed, plain, full, real.decode(full, skip_special_tokens=False),
                      real.decode(full, skip_special_tokens=True)])
    return cases


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 70
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20261130
    texts, lines = make_texts(count, seed), []
    for part, spec, cases in component_cases(texts, seed):
        lines.append({"part": part, "json": spec, "cases": cases})
    for spec in [*tokenizers_to_make(), *other_models()]:
        lines.append({"part": "tokenizer", "json": spec, "cases": tokenizer_cases(spec, texts)})
    data = "".join(json.dumps(x, ensure_ascii=False, separators=(",", ":")) + "\n" for x in lines).encode()
    with open(sys.argv[1], "wb") as out:
        out.write(zstandard.ZstdCompressor(level=19, write_content_size=True).compress(data))


if __name__ == "__main__":
    assert tokenizers.__version__ == "0.23.3", tokenizers.__version__
    main()
