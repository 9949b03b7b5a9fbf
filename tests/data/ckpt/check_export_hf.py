#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves with the real libraries what the C++ tests prove with committed files.

For each model under hf/: import-hf, reshard to other layouts, export-hf; transformers loads the
result and gives the same logits bit for bit; h5py reads every dataset of the containers and finds
the model's values. Run: check_export_hf.py CKPT_RESHARD HF_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy
import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM


def run(*args):
    subprocess.run([str(a) for a in args], check=True)


def logits(folder):
    model, info = AutoModelForCausalLM.from_pretrained(
        folder, torch_dtype="auto", output_loading_info=True)
    assert not any(info.values()), info
    tokens = (torch.arange(14).reshape(2, 7) * 37 + 5) % 101
    with torch.no_grad():
        return model.eval()(tokens).logits


def hf_tensors(folder):
    tensors = {}
    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(file, "pt") as reader:
            for name in reader.keys():
                tensors[name] = reader.get_tensor(name)
    return tensors


def check_h5(checkpoint, tensors):
    manifest = json.loads((checkpoint / "MANIFEST.json").read_text())
    files = [h5py.File(checkpoint / name, "r") for name, _ in manifest["files"]]
    found = {name: numpy.full(shape, numpy.nan, numpy.float32)
             for name, kind, _, shape, _ in manifest["tensors"]}
    for tensor, offset, extent, first, count, file, byte_offset, _ in manifest["slices"]:
        name, kind = manifest["tensors"][tensor][:2]
        group = files[file][f"/{kind}/{name}"]
        [dataset] = [d for d in group.values() if d.id.get_offset() == byte_offset]
        assert dataset.shape == (count,)
        box = numpy.full(extent, numpy.nan, numpy.float32).reshape(-1)
        box[first:first + count] = dataset[:]
        window = tuple(slice(o, o + e) for o, e in zip(offset, extent))
        old = found[name][window]
        found[name][window] = numpy.where(numpy.isnan(box), old.reshape(-1), box).reshape(extent)
    for name, values in tensors.items():
        assert numpy.array_equal(found[name], values.float().numpy()), name
    return len(manifest["slices"])


def main():
    tool, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for source in sorted(p for p in root.iterdir() if p.is_dir()):
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            last = work / "step-0"
            run(tool, "import-hf", "-q", source, last)
            for i, layout in enumerate(["tp=3", "tp=2,pp=2,dp_shard=3,zero=1", "dp_shard=5,zero=1"]):
                run(tool, "run", "-q", last, work / f"step-{i + 1}", "--to", layout)
                last = work / f"step-{i + 1}"
            run(tool, "export-hf", "-q", last, work / "hf", "--max-shard", "9000")
            slices = check_h5(last, hf_tensors(source))
            before, after = logits(source), logits(work / "hf")
            assert torch.equal(before, after), "logits differ"
            print(f"ok {source.name}: logits of {tuple(after.shape)} {after.dtype} equal bit for "
                  f"bit; {slices} HDF5 datasets read by h5py")


if __name__ == "__main__":
    main()
