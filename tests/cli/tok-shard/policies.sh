# SPDX-License-Identifier: BSD-3-Clause
# Every policy that a manifest records is told from what it left: verify finds a changed one.
t=$DATA/token/hf_gpt2.json
printf '{"text":"one two"}\n{"text":""}\n{"text":"plain <|endoftext|> text"}\n' >in.jsonl
printf '{"text":"lone \\ud800"}\n{"text":"three"}\n' >>in.jsonl
cp in.jsonl bad.jsonl
printf '{"text":"bad \xff"}\n' >>bad.jsonl
make() { tok-shard -q -t "$t" -o "$@" 2>/dev/null; }
# changed FOLDER SED: verify with another manifest.
changed() {
    rm -rf s
    cp -r "$1" s
    tr -d ' \n' <"$1/manifest.json" | sed "$2" >s/manifest.json
    cmp -s s/manifest.json <(tr -d ' \n' <"$1/manifest.json") && echo "nothing changed by $2"
    echo "$1: $2"
    tok-shard verify s | sed 's/ -> .*//; s/^\(....\) *shards\.\([a-z]*\) */  \1 \2: /'
}
good() { tok-shard verify "$1" | grep -c '^ok'; }

make skip in.jsonl
good skip
changed skip 's/"empty_documents":"skip"/"empty_documents":"keep"/'
changed skip 's/"empty_documents":"skip"/"empty_documents":"bare"/'
changed skip 's/"special_text":"plain"/"special_text":"parse"/'
changed skip 's/"special_text":"plain"/"special_text":"refuse"/'
changed skip 's/"special_text":"plain"/"special_text":"maybe"/'
changed skip 's/"special_text":"plain"/&,"lone_surrogates":"bad"/'
changed skip 's/"special_text":"plain"/&,"lone_surrogates":"any"/'
changed skip 's/"text_field":"text"/"text_field":"body"/'
changed skip 's/"max_line_bytes":[0-9]*/"max_line_bytes":20/'
changed skip 's/"eos_id":0/"eos_id":1/'     # of the options
changed skip 's/"eos_id":0/"eos_id":1/2'    # of the details
changed skip 's/"eos_id":0/"eos_id":null/g'
changed skip 's/"bos_id":null/"bos_id":0/g'
changed skip 's/"tokenizer":"./"tokenizer":"z/'
make keep --empty keep in.jsonl
good keep
changed keep 's/"empty_documents":"keep"/"empty_documents":"skip"/'
changed keep 's/"empty_documents":"keep"/"empty_documents":"bare"/'
make bare --empty bare in.jsonl
good bare
changed bare 's/"empty_documents":"bare"/"empty_documents":"keep"/'
changed bare 's/,"bare_documents":true//'
make refuse --special-text refuse --max-bad-records 1 in.jsonl
good refuse
changed refuse 's/"special_text":"refuse"/"special_text":"plain"/'
make parse --special-text parse in.jsonl
good parse
changed parse 's/"special_text":"parse"/"special_text":"plain"/'
make bad --max-bad-records 1 bad.jsonl
good bad
changed bad 's/"special_text":"plain"/&,"invalid_utf8":"replace"/'
changed bad 's/"special_text":"plain"/&,"invalid_utf8":"bytes"/'
make replace --invalid-utf8 replace bad.jsonl
good replace
changed replace 's/"invalid_utf8":"replace"/"invalid_utf8":"bytes"/'
changed replace 's/,"invalid_utf8":"replace"//'
make bytes --invalid-utf8 bytes bad.jsonl
good bytes
changed bytes 's/"invalid_utf8":"bytes"/"invalid_utf8":"replace"/'
changed bytes 's/,"invalid_utf8":"bytes"//'
make lone --lone-surrogates bad --max-bad-records 1 in.jsonl
good lone
changed lone 's/,"lone_surrogates":"bad"//'

echo "-- documents longer than a shard"
seq -s ' ' 1 60 | sed 's/.*/{"text":"&"}/' >long.jsonl
cat in.jsonl long.jsonl in.jsonl long.jsonl >longs.jsonl
make long --shard-tokens 50 longs.jsonl
good long
tok-shard cat long | awk '{ print NF }' | tr '\n' ' '
changed long 's/"shard_tokens":50/"shard_tokens":20/'
changed long 's/"shard_tokens":50/"shard_tokens":5000/'
changed long 's/"shard_tokens":50/"shard_tokens":"many"/'
make mds --format mds --mds-size-limit 700 longs.jsonl
good mds
changed mds 's/"mds_size_limit":700/"mds_size_limit":900/'
changed mds 's/"mds_type":"i32"/"mds_type":"u16"/'
make packed --format mds --mds-sample 16 --mds-size-limit 500 longs.jsonl
good packed
changed packed 's/"mds_size_limit":500/"mds_size_limit":600/'
changed packed 's/"mds_sample":16/"mds_sample":8/'

echo "-- the type of ids"
changed skip 's/"token_type":"u16"/"token_type":"u32"/'
changed skip 's/"vocab_size":900/"vocab_size":901/'
make megatron --format megatron in.jsonl
good megatron
changed megatron 's/"vocab_size":900/"vocab_size":901/'
changed megatron 's/"format":"megatron"/"format":"mds"/'
# 65536 ids fit 16 bits, 65537 do not; Megatron turns at 65500, as its programs do.
for id in 65498 65499 65500 65535 65536; do
    rm -rf type_*
    for format in hdf5 megatron; do
        tok-shard -q -t "$DATA/token/ranks.tiktoken" --pattern cl100k --special "<|end|>=$id" --eos '<|end|>' \
            --format $format -o type_$format in.jsonl
        tr -d ' \n' <type_$format/manifest.json | grep -o '"token_type":"[a-z0-9]*","vocab_size":[0-9]*' | sed "s/^/$format /"
        good type_$format
    done
done
tok-shard -q -t "$DATA/token/ranks.tiktoken" --pattern cl100k --special '<|end|>=65536' --eos '<|end|>' \
    --format mds --mds-type uint16 -o narrow in.jsonl
echo "exit $?"
