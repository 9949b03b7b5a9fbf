# SPDX-License-Identifier: BSD-3-Clause
# Several tokens before and behind each document, as templates have them: in every format, checked.
run() { "$@"; echo "exit $?"; }
base=$DATA/token/hf_llama3.json
# with_template SINGLE: the tokenizer with another template; "end" is two tokens.
with_template() {
    sed 's/"single":\[.*\],"pair"/"single":['"$1"'],"pair"/
         s/"special_tokens":{/&"end":{"id":"end","ids":[0,900],"tokens":["a","b"]},/' "$base"
}
token() { printf '{"SpecialToken":{"id":"%s","type_id":0}}' "$1"; }
text='{"Sequence":{"id":"A","type_id":0}}'
with_template "$(token end),$(token '<|im_start|>'),$text,$(token end)" >both.json
with_template "$text,$(token end)" >behind.json
printf '{"text":"one two"}\n{"text":""}\n{"text":"3"}\n{"text":"<|im_start|>"}\n' >in.jsonl
members() { tr -d ' \n' <"$1/manifest.json" | grep -o '"\(version\|bos_id\|eos_id\)":\(\[[0-9,]*\]\|[0-9]\+\|null\)'; }

for format in hdf5 megatron mds; do
    tok-shard -q -t both.json -o $format --format $format --empty keep in.jsonl
    run tok-shard verify $format
done
members hdf5
tok-shard cat hdf5
tok-shard decode hdf5
tok-shard decode hdf5 --keep-special --first 3
tok-shard stats hdf5 | grep documents
tok-shard stats --json hdf5 | grep -o '"[be]os_ids":\[[0-9,]*\]'
strings -n 5 hdf5/shard-00000-000.h5 | grep '^[0-9 ]*$'
for format in megatron mds; do
    tok-shard convert -q $format -o back_$format --format hdf5
    cmp back_$format/shard-00000-000.h5 hdf5/shard-00000-000.h5 && echo "$format: back to the same bytes"
done
tok-shard -q -t both.json -o packed --format mds --mds-sample 4 --empty keep in.jsonl
run tok-shard verify packed
tok-shard -q -t both.json -o bare --empty bare in.jsonl
run tok-shard verify bare
tok-shard cat bare

echo "-- which tokens"
ends() {
    rm -rf o
    tok-shard -q -t "$@" -o o in.jsonl && tok-shard cat o --count 1 && members o | tail -n 2
}
run ends behind.json
run ends behind.json --bos template --eos '<|im_start|>'
run ends "$base" --eos template
run ends "$base" --bos none --eos none
run ends "$base" --bos id:900 --bos '<|endoftext|>' --bos a --eos auto
run ends "$base" --eos none --eos '<|endoftext|>'
run ends "$base" --eos '<|none|>'
run ends "$base" --eos id:5000
run ends "$base" --eos id:x
run ends "$DATA/token/hf_gpt2.json" --eos template
many=()
for id in {1..17}; do many+=(--bos "id:$id"); done
run ends "$base" "${many[@]}"
rm -rf o
tok-shard -q -t "$base" --bos a --bos '<|im_start|>' -o o in.jsonl
tok-shard decode o --count 1

echo "-- what is recorded is checked"
edit() {
    rm -rf s
    cp -r hdf5 s
    tr -d ' \n' <hdf5/manifest.json | sed "$1" >s/manifest.json
    run tok-shard verify --sample 0 s
}
edit 's/"bos_id":\[0,900,900\]/"bos_id":[0,900,0]/g'
edit 's/"eos_id":\[0,900\]/"eos_id":[900,0]/g'
edit 's/"eos_id":\[0,900\]/"eos_id":[0,900,900]/g'
edit 's/"eos_id":\[0,900\]/"eos_id":[0,901]/g'
edit 's/"eos_id":\[0,900\]/"eos_id":[]/g'
edit 's/"eos_id":\[0,900\]/"eos_id":"0 900"/g'
edit 's/"eos_id":\[0,900\]/"eos_id":0/g; s/"bos_id":\[0,900,900\]/"bos_id":0/g'
edit 's/"eos_id":\[0,900\]/"eos_id":0/g; s/"bos_id":\[0,900,900\]/"bos_id":0/g; s/,"version":2//'
edit 's/"version":2/"version":3/'
edit 's/,"version":2//'
rm -rf s
cp -r megatron s
LC_ALL=C sed -i 's/0 900 900/900 0 900/' s/shard-00000-000.docs.h5
run tok-shard verify --skip-hashes s
