#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/data/token/models with the real libraries: sentencepiece 0.2.3, tokenizers 0.23.3,
zstandard. Trains small models on documents.zst of this folder, and writes the ids that the library
gives for each document. Usage: make_models.py OUT_DIR

NAME.model.zst or NAME.json.zst   the model
NAME.ids.zst                      one line a document
NAME.text.zst                     text of the ids of text_ids() in hexadecimal digits, a line each
"""
import json
import pathlib
import random
import struct
import sys
import tempfile

import sentencepiece
import zstandard
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = pathlib.Path(__file__).parent
OUT = pathlib.Path(sys.argv[1])
DOCUMENTS = zstandard.ZstdDecompressor().decompress(
    (HERE / "documents.zst").read_bytes()).decode().split("\0")[:-1]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
RULES = "".join(f"{a}\t{b}\n" for a, b in [
    ("FF21", "41"), ("FF22", "42"), ("3000", "20"), ("A0", "20"), ("9", "20"), ("A", "20"),
    ("41 300", "C0"), ("2126", "3A9"), ("2026", "2E 2E 2E"), ("200B", ""), ("61 62 63", "78")])


def write(name, data):
    compressor = zstandard.ZstdCompressor(level=19, write_content_size=True)
    (OUT / name).write_bytes(compressor.compress(data))


def write_ids(name, lists):
    write(name + ".ids.zst", "".join(" ".join(map(str, ids)) + "\n" for ids in lists).encode())


def text_ids(size):
    return [[(first * 7919 + i * i * 104729) % size for i in range(first % 12 + 1)]
            for first in range(150)]


def varint(number):
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def edit_pieces(model, edit):
    """Calls edit(id, text, score, type) for each piece; what it returns replaces them."""
    out, at, index = b"", 0, 0

    def read_varint(data, at):
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                return value, at

    while at < len(model):
        key, at = read_varint(model, at)
        size, at = read_varint(model, at)
        body = model[at:at + size]
        at += size
        if key == 10:  # field 1, bytes: a piece
            length, start = read_varint(body, 1)
            text, rest = body[start:start + length], body[start + length:]
            kind = rest[6] if len(rest) > 5 else 1
            text, score, kind = edit(index, text.decode(), struct.unpack("<f", rest[1:5])[0], kind)
            text = text.encode()
            body = (b"\x0a" + varint(len(text)) + text + b"\x15" + struct.pack("<f", score) +
                    b"\x18" + varint(kind))
            index += 1
        out += varint(key) + varint(len(body)) + body
    return out


def sentencepiece_models(folder):
    corpus = folder / "corpus.txt"
    lines = [line for document in DOCUMENTS for line in document.split("\n") if line.strip()]
    corpus.write_text("\n".join(lines) + "\n")
    rules = folder / "rules.tsv"
    rules.write_text(RULES)
    base = dict(input=str(corpus), num_threads=1, minloglevel=2, character_coverage=0.98,
                hard_vocab_limit=False, max_sentence_length=100000, shuffle_input_sentence=False)

    def train(name, **options):
        prefix = folder / name
        sentencepiece.SentencePieceTrainer.train(model_prefix=str(prefix), **{**base, **options})
        return prefix.with_suffix(".model").read_bytes()

    identity = dict(normalization_rule_name="identity", remove_extra_whitespaces=False)
    llama = train("a", model_type="bpe", vocab_size=1100, byte_fallback=True,
                  allow_whitespace_only_pieces=True, **identity)
    yield "sp_bpe_llama", llama
    yield "sp_bpe_rules", train("b", model_type="bpe", vocab_size=900,
                                normalization_rule_tsv=str(rules),
                                user_defined_symbols=["<tag>", "foo", "fo", "x_", "中", "\u2581the"],
                                control_symbols=["<|im_start|>"])
    yield "sp_bpe_suffix", train("c", model_type="bpe", vocab_size=1100, byte_fallback=True,
                                 treat_whitespace_as_suffix=True, split_digits=True, **identity)
    bpe = train("d", model_type="bpe", vocab_size=900, add_dummy_prefix=False,
                split_by_whitespace=False, **identity)
    rng = random.Random(1)

    def unuse(index, text, score, kind):
        return text, float(int(score / 8)), 5 if kind == 1 and rng.random() < 0.2 else kind

    # Unused pieces are taken apart again; equal scores are decided by position.
    yield "sp_bpe_unused", edit_pieces(bpe, unuse)
    yield "sp_bpe_unused_bytes", edit_pieces(llama, unuse)
    yield "sp_unigram_nfkc", train("e", model_type="unigram", vocab_size=900)
    unigram = train("f", model_type="unigram", vocab_size=1100, byte_fallback=True,
                    user_defined_symbols=["<tag>", "foo", "fo", "中文"], split_digits=True,
                    normalization_rule_tsv=str(rules), remove_extra_whitespaces=False)
    yield "sp_unigram_fallback", unigram
    # Coarse scores: nearly everything is a tie.
    yield "sp_unigram_ties", edit_pieces(unigram, lambda i, text, score, kind: (
        text, -1.1 * len(text), 5 if kind == 1 and len(text) > 1 and i % 7 == 0 else kind))


def metaspace_llama(tokenizer):
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(),
         decoders.Strip(" ", 1, 0)])


def train_bpe(model, configure, special, alphabet=150, vocab_size=700, **options):
    tokenizer = Tokenizer(model)
    configure(tokenizer)
    tokenizer.train_from_iterator(DOCUMENTS, trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=special, limit_alphabet=alphabet, show_progress=False,
        **options))
    return tokenizer


def with_pre_tokenizer(pre_tokenizer, normalizer=None):
    def configure(tokenizer):
        tokenizer.pre_tokenizer = pre_tokenizer
        if normalizer:
            tokenizer.normalizer = normalizer
    return configure


def changed(tokenizer, **options):
    data = json.loads(tokenizer.to_str())
    data["model"].update(options)
    return Tokenizer.from_str(json.dumps(data))


def hf_models():
    metaspace = with_pre_tokenizer(pre_tokenizers.Metaspace(prepend_scheme="first", split=False))
    special = ["<unk>", "<s>", "</s>"]
    bpe = models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    llama = train_bpe(bpe, metaspace_llama, special + BYTES)
    yield "hf_char_llama", llama
    # Half of the bytes are missing; each unknown character counts.
    yield "hf_char_partial", changed(train_bpe(bpe, metaspace, special + BYTES[::2] + BYTES[0xE1:]),
                                     fuse_unk=False)
    yield "hf_char_fused", train_bpe(models.BPE(unk_token="<unk>", fuse_unk=True), metaspace, special)
    yield "hf_char_dropped", train_bpe(models.BPE(), metaspace, ["<s>"])
    yield "hf_char_whole", changed(train_bpe(models.BPE(unk_token="<unk>"), with_pre_tokenizer(
        pre_tokenizers.Metaspace()), special), ignore_merges=True)
    yield "hf_char_affixes", train_bpe(
        models.BPE(unk_token="<unk>", continuing_subword_prefix="##", end_of_word_suffix="</w>"),
        with_pre_tokenizer(pre_tokenizers.WhitespaceSplit()), special,
        continuing_subword_prefix="##", end_of_word_suffix="</w>")
    yield "hf_clip", train_bpe(
        models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>"),
        with_pre_tokenizer(pre_tokenizers.ByteLevel(add_prefix_space=False),
                           normalizers.Lowercase()), ["<|endoftext|>"],
        end_of_word_suffix="</w>", initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    for name, split in (("hf_unigram", True), ("hf_unigram_whole", False)):
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=split)
        few = [document for document in DOCUMENTS if document.isascii()] + DOCUMENTS[14:22]
        tokenizer.train_from_iterator(few, trainers.UnigramTrainer(
            vocab_size=700, special_tokens=["<unk>", "<s>"] + ([] if split else BYTES),
            unk_token="<unk>", show_progress=False))
        if not split:
            tokenizer = changed(tokenizer, byte_fallback=True)
        yield name, tokenizer


    word_piece = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20))
    word_piece.normalizer = normalizers.BertNormalizer()
    word_piece.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    word_piece.train_from_iterator(DOCUMENTS, trainers.WordPieceTrainer(
        vocab_size=600, special_tokens=["[UNK]"], limit_alphabet=150, show_progress=False))
    yield "hf_word_piece", word_piece
    word_level = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    word_level.pre_tokenizer = pre_tokenizers.Whitespace()
    word_level.train_from_iterator(DOCUMENTS, trainers.WordLevelTrainer(
        vocab_size=300, special_tokens=["[UNK]"], show_progress=False))
    yield "hf_word_level", word_level


def main():
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, model in sentencepiece_models(pathlib.Path(folder)):
            write(name + ".model.zst", model)
            processor = sentencepiece.SentencePieceProcessor()
            processor.load_from_serialized_proto(model)
            write_ids(name, [processor.encode(document) for document in DOCUMENTS])
            write(name + ".text.zst", "".join(
                processor.decode(ids).encode().hex() + "\n"
                for ids in text_ids(len(processor))).encode())
    for name, tokenizer in hf_models():
        tokenizer.add_special_tokens([AddedToken("<|im_start|>", normalized=False)])
        tokenizer.encode_special_tokens = True
        write(name + ".json.zst", tokenizer.to_str().encode())
        write_ids(name, [tokenizer.encode(document, add_special_tokens=False).ids
                         for document in DOCUMENTS])


main()
