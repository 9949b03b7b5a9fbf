#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Paragraphs of plain text with mixed line ends, and a document a line.
licence='This program comes with ABSOLUTELY NO WARRANTY;
for details see the file COPYING that was shipped with it.'
printf '%s\n\nFirst text.\n' "$licence" >a.txt
printf '\n\nSecond text,\r\nits title above.\r\n \t\r\n%s\r\n\r\n' "${licence/;/;$'\r'}" >b.txt
printf 'Third text.\n\n%s' "$licence" >c.txt
printf '\xEF\xBB\xBF%s' "$licence" >d.txt
dedup-minhash spans -q --unit paragraph -o out --removal-list list a.txt b.txt c.txt d.txt
for file in out/*.txt; do
    echo "--- $file"
    cat -A "$file"
    echo
done
sed 's/"file":"[0-9a-f]*"/FILE/' list
echo "--- a document a line"
printf 'the same line of text, long enough to be removed when it comes again\r\nanother\n' >x.lines
printf 'The same line of text, long enough to be removed when it comes again\nlast' >>x.lines
dedup-minhash spans -q --input-format lines --unit paragraph x.lines | cat -A
echo
dedup-minhash spans -q --input-format lines --exact x.lines | cmp - x.lines
