#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tiny Hugging Face models under hf/ with the real transformers library.

Odd sizes on purpose: vocabulary 101, 6 heads in 3 groups, head size 4. All values are random, norms
and biases too, so that a mistaken map can not hide. Run: make_hf.py OUTPUT_FOLDER
"""
import json
import pathlib
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM


def randomize(model, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for _, parameter in sorted(model.named_parameters()):
            noise = torch.randn(parameter.shape, generator=generator) * 0.3
            parameter.copy_(noise + (1.0 if parameter.dim() == 1 else 0.0))


def save(model, folder, **options):
    model.save_pretrained(folder, safe_serialization=True, **options)
    for extra in ("generation_config.json",):
        (folder / extra).unlink(missing_ok=True)


def reference(model):
    """Logits of a fixed input, as text that any reader can compare exactly."""
    tokens = (torch.arange(14).reshape(2, 7) * 37 + 5) % 101
    with torch.no_grad():
        logits = model(tokens).logits.float()
    return {"tokens": tokens.tolist(), "logits": [[[float(x) for x in row] for row in batch[-2:]]
                                                  for batch in logits]}


def main():
    root = pathlib.Path(sys.argv[1])
    gpt2 = GPT2LMHeadModel(GPT2Config(vocab_size=101, n_positions=16, n_embd=12, n_layer=2, n_head=3,
                                      resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)).eval()
    randomize(gpt2, 1)
    save(gpt2, root / "gpt2")
    llama_sizes = dict(vocab_size=101, hidden_size=24, intermediate_size=20, num_hidden_layers=2,
                       num_attention_heads=6, num_key_value_heads=3, max_position_embeddings=16)
    llama = LlamaForCausalLM(LlamaConfig(**llama_sizes)).eval()
    randomize(llama, 2)
    save(llama, root / "llama")
    tied = LlamaForCausalLM(LlamaConfig(tie_word_embeddings=True, **llama_sizes)).eval()
    randomize(tied, 3)
    tied = tied.to(torch.bfloat16)
    save(tied, root / "llama-tied-bf16-sharded", max_shard_size="8KB")
    answers = {"gpt2": reference(gpt2), "llama": reference(llama)}
    (root / "logits.json").write_text(json.dumps(answers) + "\n")


if __name__ == "__main__":
    main()
