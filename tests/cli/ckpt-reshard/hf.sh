# SPDX-License-Identifier: BSD-3-Clause
# Hugging Face folders in and out, and refused.
set -e
for model in gpt2 llama; do
    ckpt-reshard import-hf -q "$DATA/ckpt/hf/$model" $model
    ckpt-reshard export-hf -q $model $model.out --json
    cmp "$DATA/ckpt/hf/$model/model.safetensors" $model.out/model.safetensors
    cmp "$DATA/ckpt/hf/$model/config.json" $model.out/config.json
done
mkdir tokenizer
echo '{"added_tokens":[{"id":7,"content":"<eot>","special":true}]}' >tokenizer/tokenizer.json
ckpt-reshard export-hf -q gpt2 sharded --max-shard 8KB --tokenizer tokenizer --dtype bf16
ls sharded
cat sharded/tokenizer_config.json
ckpt-reshard export-hf -q gpt2 sharded || echo "exit $?"
cp -r "$DATA/ckpt/hf/llama" bad
chmod -R u+w bad
truncate -s -8 bad/model.safetensors
ckpt-reshard import-hf bad x || echo "exit $?"
sed -i 's/"llama"/"opt"/' bad/config.json
ckpt-reshard import-hf bad x || echo "exit $?"
rm bad/model.safetensors
ckpt-reshard import-hf bad x || echo "exit $?"
cp -r "$DATA/ckpt/v1/step-00000020" toy
ckpt-reshard export-hf toy x || echo "exit $?"
ls -A | tr '\n' ' '
