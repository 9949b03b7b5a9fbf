#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reference dumps for tests/unit/model: tiny models trained 10 steps by PyTorch in float64.

The models are transformers' own GPT2LMHeadModel, LlamaForCausalLM and Qwen2ForCausalLM; QK norm,
which that release lacks, is patched into Llama below. Needs torch,
transformers and safetensors (made with 1.13.0, 4.46.3); the tests need only the files.

Each NAME.safetensors holds: weight.<hf name> (f32, exact start), grad.<hf name> (f64, of the first
step), final.<hf name> (f32, after 10 AdamW steps), logits (f64, of the first batch), tokens and
targets (10, B, T; i32; -100 is not counted), losses (10, f64: mean over counted targets before each
step). The header's __metadata__ has config.json as transformers writes it, and the optimizer.
"""
import json
import math
import sys

import torch
import transformers
from safetensors.torch import save_file
from transformers.models.llama import modeling_llama

STEPS, BATCH, LENGTH, VOCAB = 10, 2, 13, 97
OPTIM = dict(lr=3e-3, beta1=0.9, beta2=0.95, eps=1e-8, weight_decay=0.1)


def batches(generator):
    tokens = torch.randint(0, VOCAB, (STEPS, BATCH, LENGTH), generator=generator)
    targets = torch.randint(0, VOCAB, (STEPS, BATCH, LENGTH), generator=generator)
    targets[torch.rand(targets.shape, generator=generator) < 0.2] = -100
    targets[:, :, 0] = tokens[:, :, 1]
    return tokens, targets


def randomise(model, generator):
    """Start values: float32 numbers, large enough that every part of the model matters."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            values = torch.randn(p.shape, generator=generator, dtype=torch.float32)
            norm = name.endswith("norm.weight") or "ln_" in name or "layernorm" in name
            scale = 0.3 if norm or p.dim() == 1 else 1.2 / math.sqrt(p.shape[-1])
            p.copy_((values * scale + (1.0 if norm and "bias" not in name else 0.0)).float())


def loss_of(model, tokens, targets):
    logits = model(tokens).logits
    counted = int((targets != -100).sum())
    total = torch.nn.functional.cross_entropy(
        logits.reshape(-1, VOCAB), targets.reshape(-1), ignore_index=-100, reduction="sum")
    return total / counted, logits


def make(name, model):
    generator = torch.Generator().manual_seed(1234)
    randomise(model, generator)
    model = model.double().eval()
    tokens, targets = batches(generator)
    out = {"tokens": tokens.int(), "targets": targets.int()}
    named = dict(model.named_parameters())
    for key, p in named.items():
        out["weight." + key] = p.detach().float().clone()
    groups = [
        dict(params=[p for p in named.values() if p.dim() >= 2], weight_decay=OPTIM["weight_decay"]),
        dict(params=[p for p in named.values() if p.dim() < 2], weight_decay=0.0),
    ]
    optim = torch.optim.AdamW(groups, lr=OPTIM["lr"], betas=(OPTIM["beta1"], OPTIM["beta2"]),
                              eps=OPTIM["eps"])
    losses = []
    for step in range(STEPS):
        optim.zero_grad()
        loss, logits = loss_of(model, tokens[step], targets[step])
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            out["logits"] = logits.detach().clone()
            for key, p in named.items():
                out["grad." + key] = p.grad.clone()
        optim.step()
    for key, p in named.items():
        out["final." + key] = p.detach().float().clone()
    out["losses"] = torch.tensor(losses, dtype=torch.float64)
    meta = {"config": json.dumps(model.config.to_dict()), "optim": json.dumps(OPTIM)}
    save_file(out, f"{sys.path[0]}/{name}.safetensors", metadata=meta)
    print(name, sum(p.numel() for p in named.values()), losses[0], losses[-1])


class ExactRotary(torch.nn.Module):
    """Rotary tables in float64: transformers' module computes the angles in float32."""

    def __init__(self, config):
        super().__init__()
        dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        frequency = config.rope_theta ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
        scaling = config.rope_scaling
        if scaling:
            context = scaling["original_max_position_embeddings"]
            low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
            wavelength = 2 * math.pi / frequency
            smooth = (context / wavelength - low) / (high - low)
            blended = (1 - smooth) * frequency / scaling["factor"] + smooth * frequency
            scaled = torch.where(wavelength > context / low, frequency / scaling["factor"], blended)
            frequency = torch.where(wavelength < context / high, frequency, scaled)
            # Against transformers' own formula, in its float32.
            theirs, _ = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS["llama3"](config, "cpu")
            assert torch.allclose(theirs.double(), frequency, rtol=1e-5), (theirs, frequency)
        self.frequency = frequency

    def forward(self, x, position_ids):
        angle = position_ids[0].double()[:, None] * self.frequency[None]
        angle = torch.cat((angle, angle), dim=-1)[None]
        return angle.cos(), angle.sin()


class ExactNorm(torch.nn.Module):
    """LlamaRMSNorm without its cast to float32."""

    def __init__(self, old):
        super().__init__()
        self.weight = old.weight
        self.eps = old.variance_epsilon

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class FloatSoftmaxOff:
    """transformers' eager attention casts the softmax to float32; keep float64."""

    def __enter__(self):
        self.old = torch.nn.functional.softmax

        def softmax(x, dim=-1, dtype=None, **rest):
            return self.old(x, dim=dim, **rest)

        torch.nn.functional.softmax = softmax

    def __exit__(self, *_):
        torch.nn.functional.softmax = self.old


def exact(model):
    """Swaps the float32 islands of a Llama or Qwen2 model for float64."""
    body = model.model
    rotary = ExactRotary(model.config)
    body.rotary_emb = rotary
    body.norm = ExactNorm(body.norm)
    for layer in body.layers:
        layer.self_attn.rotary_emb = rotary
        layer.input_layernorm = ExactNorm(layer.input_layernorm)
        layer.post_attention_layernorm = ExactNorm(layer.post_attention_layernorm)
    return model


def add_qk_norm(model):
    """Qwen3's RMSNorm over each head of q and k before the rotation, on a Llama model."""
    config = model.config
    head_dim = model.model.layers[0].self_attn.head_dim
    for layer in model.model.layers:
        for kind in ("q", "k"):
            norm = modeling_llama.LlamaRMSNorm(head_dim, eps=config.rms_norm_eps)
            setattr(layer.self_attn, kind + "_norm", ExactNorm(norm))
    plain = modeling_llama.apply_rotary_pos_emb
    order = [layer.self_attn for layer in model.model.layers]
    state = {"call": 0}

    def normalise_and_rotate(q, k, cos, sin, *args, **kwargs):
        attention = order[state["call"] % len(order)]
        state["call"] += 1
        return plain(attention.q_norm(q), attention.k_norm(k), cos, sin, *args, **kwargs)

    modeling_llama.apply_rotary_pos_emb = normalise_and_rotate
    return plain


def main():
    common = dict(vocab_size=VOCAB, use_cache=False, attn_implementation="eager")
    gpt2 = transformers.GPT2Config(n_layer=2, n_head=3, n_embd=18, n_positions=16, resid_pdrop=0.0,
                                   embd_pdrop=0.0, attn_pdrop=0.0, **common)
    make("gpt2", transformers.GPT2LMHeadModel(gpt2))
    shape = dict(hidden_size=20, intermediate_size=28, num_hidden_layers=2, num_attention_heads=4,
                 num_key_value_heads=2, max_position_embeddings=16, **common)
    with FloatSoftmaxOff():
        llama = transformers.LlamaConfig(
            rms_norm_eps=1e-5, rope_theta=100.0, head_dim=6, tie_word_embeddings=False,
            rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0,
                              high_freq_factor=4.0, original_max_position_embeddings=64), **shape)
        make("llama", exact(transformers.LlamaForCausalLM(llama)))
        qwen2 = transformers.Qwen2Config(rms_norm_eps=1e-6, rope_theta=1000.0,
                                         tie_word_embeddings=True,
                                         **{**shape, "hidden_size": 24})
        make("qwen2", exact(transformers.Qwen2ForCausalLM(qwen2)))
        qk = transformers.LlamaConfig(rms_norm_eps=1e-5, rope_theta=10000.0,
                                      tie_word_embeddings=True, **{**shape, "hidden_size": 24})
        model = exact(transformers.LlamaForCausalLM(qk))
        plain = add_qk_norm(model)
        make("qk_norm", model)
        modeling_llama.apply_rotary_pos_emb = plain


if __name__ == "__main__":
    main()
