# SPDX-License-Identifier: BSD-3-Clause
# Tokenizer files with one fault each: the fault is named, nothing is guessed, dropped or renumbered.
good=$DATA/token/hf_gpt2.json
echo '{"text":"Hello, world"}' > d.jsonl
try() {
    tok-shard -q "$@" -o out d.jsonl 2>&1 | sed 's/ is not supported (.*/ is not supported/' | cut -c1-200
    echo "exit ${PIPESTATUS[0]}"
    rm -rf out
}
# edit NAME SED-EXPRESSION: the good file with one change; it must be one
edit() {
    echo "-- $1"
    sed "$2" "$good" > t.json
    cmp -s "$good" t.json && echo "the change changes nothing"
    try -t t.json
}
echo "-- cut, empty, something else"
head -c 20000 "$good" > t.json; try -t t.json
: > t.json; try -t t.json
echo '[]' > t.json; try -t t.json
echo '{}' > t.json; try -t t.json
(cat "$good"; echo x) > t.json; try -t t.json
head -c 200000 /dev/zero | tr '\0' '[' > t.json; try -t t.json
edit 'a version of the future' 's/"version":"1.0"/"version":"2.0"/'
edit 'a model that is no object' 's/"padding":null,//; s/"model":{/"model":7,"padding":{/'
edit 'an unknown model' 's/"type":"BPE"/"type":"Magic"/'
edit 'random merges' 's/"dropout":null/"dropout":0.1/'
edit 'a flag that is a word' 's/"ignore_merges":false/"ignore_merges":"no"/'
edit 'no vocabulary' 's/"vocab":{/"v":{/'
edit 'no merges' 's/"merges":\[/"m":[/'
edit 'a negative id' 's/"!":1,/"!":-1,/'
edit 'a fraction as id' 's/"!":1,/"!":1.5,/'
edit 'an id as text' 's/"!":1,/"!":"1",/'
edit 'an id of 33 bits' 's/"!":1,/"!":4294967297,/'
edit 'an id of 65 bits' 's/"!":1,/"!":18446744073709551617,/'
edit 'two tokens with one id' 's/"!":1,/"!":2,/'
edit 'a token twice' 's/"!":1,/"!":1,"!":900,/'
edit 'a merge of unknown parts' 's/"merges":\[/"merges":["zzq a",/'
edit 'a merge to an unknown token' 's/"merges":\[/"merges":["q z",/'
edit 'a merge of one part' 's/"merges":\[/"merges":["ab",/'
edit 'a merge of three parts' 's/"merges":\[/"merges":[["a","b","c"],/'
edit 'a merge of numbers' 's/"merges":\[/"merges":[[1,2],/'
edit 'an added token with another id' 's/"added_tokens":\[/"added_tokens":[{"id":5,"content":"<x>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},/'
edit 'an added token without text' 's/"content":"<|endoftext|>"/"content":""/'
edit 'a flag that is missing' 's/"lstrip":false,//'
edit 'an unknown normalizer' 's/"normalizer":null/"normalizer":{"type":"Magic"}/'
edit 'a charsmap that is none' 's/"normalizer":null/"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"}/'
edit 'a pattern that is none' 's/"padding":null,//; s/"pre_tokenizer":{/"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a"},"behavior":"Isolated","invert":false},"padding":{/'
edit 'a template with an unknown token' 's/"padding":null,//; s/"post_processor":{/"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<x>","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{}},"padding":{/'
ranks() {
    echo "-- ranks: $1"
    cat > t.tiktoken
    try -t t.tiktoken --pattern gpt2 --eos none
}
r=$DATA/token/ranks.tiktoken
ranks empty < /dev/null
head -c 5000 "$good" | ranks 'something else'
(cat "$r"; echo 'enp6 5') | ranks 'a rank twice'
(cat "$r"; sed -n 300p "$r" | sed 's/ .*/ 950/') | ranks 'a token twice'
(cat "$r"; echo 'enp6 -1') | ranks 'a negative rank'
(cat "$r"; echo 'enp6 99999999999999999999') | ranks 'a large rank'
(cat "$r"; echo 'enp6') | ranks 'no rank'
sed 1d "$r" | ranks 'a byte is missing'
(cat "$r"; echo "$(head -c 1500000 /dev/zero | tr '\0' e) 899") | ranks 'a token of a megabyte is no fault' | tail -n 1
