#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Documents of every script: copies go, near copies go, short and different ones stay.
set -eu
document() { printf '{"text": "%s"}\n' "$@"; }
repeat() { for ((i = 0; i < $1; ++i)); do document "$2"; done; }
kept() { dedup-minhash -q "$@" | wc -l; }

{
    repeat 1000 '今天的天气很好，我们一起去公园散步吧。'
    document '昨天的天气不好，我们没有去公园。' '完全不同的另外一个句子讲的是旅行的故事。'
} >chinese.jsonl
echo "1000 copies of a Chinese sentence and 2 other texts: $(kept chinese.jsonl) stay"
{
    repeat 100 'Page not found 404'
    document 'one two three four' 'four three two one' 'one two three five'
} >short.jsonl
echo "100 copies of 4 words and 3 distinct texts of 4 words: $(kept short.jsonl) stay"

# A long text, the same with one more word or character in the middle, and another of that script.
near() { document "$2$3" "$2$1$3" "$4" >"$5.jsonl" && echo "$5: $(kept "$5.jsonl") of 3 stay"; }
near '很' '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，' '并应以兄弟关系的精神相对待。任何人不得加以任意逮捕、拘禁或放逐。' \
    '所有的人都有权享有生命、自由和人身安全，而任何人都不得使为奴隶或奴役。' chinese-near
near 'の' 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。' '人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。' \
    '何人も、奴隷にされ、又は苦役に服することはない。奴隷制度及び奴隷売買は、いかなる形においても禁止する。' japanese
near 'ก' 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ' 'ต่างมีเหตุผลและมโนธรรมและควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ' \
    'บุคคลใดๆ จะตกเป็นทาสหรือสภาวะจำยอมใดๆ ไม่ได้ ความเป็นทาสและการค้าทาสเป็นสิ่งต้องห้ามในทุกรูปแบบ' thai
near 'ក' 'មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងសមភាពក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរ' 'និងសិទ្ធិមនុស្សមានវិចារណញ្ញាណនិងសតិសម្បជញ្ញៈជាប់ពីកំណើត' \
    'គ្មានបុគ្គលណាម្នាក់ត្រូវស្ថិតនៅក្នុងទាសភាពឬស្ថិតក្នុងចំណងជាខ្ញុំកញ្ជះដាច់ថ្លៃណាមួយឡើយ' khmer
near 'က' 'လူတိုင်းသည်တူညီလွတ်လပ်သောဂုဏ်သိက္ခာဖြင့်လည်းကောင်း' 'တူညီလွတ်လပ်သောအခွင့်အရေးများဖြင့်လည်းကောင်းမွေးဖွားလာသူများဖြစ်သည်' \
    'မည်သူ့ကိုမျှကျေးကျွန်အဖြစ်သော်လည်းကောင်းအခိုင်းအစေအဖြစ်သော်လည်းကောင်းမထားရှိရ' burmese
near ' 아주' '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다 인간은 천부적으로 이성과 양심을 부여받았으며' \
    ' 서로 형제애의 정신으로 행동하여야 한다 모든 사람은 인종 피부색 성 언어 종교 정치적 또는 기타의 견해 민족적 또는 사회적 출신 재산 출생 또는 기타의 신분과 같은 어떠한 종류의 차별이 없이 이 선언에 규정된 모든 권리와 자유를 향유할 자격이 있다' \
    '어느 누구도 노예상태 또는 예속상태에 놓여지지 아니한다 모든 형태의 노예제도와 노예매매는 금지된다' korean
near ' very' 'The word สวัสดีครับ is how people in Thailand greet each other and it comes from the Sanskrit word for' \
    ' well being while ขอบคุณ means thank you and both are used every day by nearly everyone in the country' \
    'The word こんにちは is a greeting of the Japanese that is heard in the afternoon and written in kana only' mixed
