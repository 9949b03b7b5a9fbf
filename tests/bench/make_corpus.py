#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A corpus for measuring dedup-minhash: more than 1 GB of JSON lines from Debian's documentation packages.

    python3 make_corpus.py FOLDER [MEGABYTES]

Downloads the packages below with apt-get into FOLDER/deb (420 MB), takes the text out of their HTML, XML, man and
plain files, and writes FOLDER/corpus-NN.jsonl.zst, 12 files of {"text", "source"}, until MEGABYTES (default 1100) of
text are there. A page goes to a file by the hash of its path, so that all files look alike and a package's pages are
spread. The duplicates are real: two to four releases of the same manuals (kernel, Boost, LLVM, BioJava, Singular,
Rust), translations that leave pages in English, British and American help, javadoc and doxygen boilerplate. English
first of all, with Russian, Ukrainian and Greek, and Chinese, Japanese, Korean and Thai. Needs apt-get, dpkg-deb, zstd.
"""
import argparse
import gzip
import html
import json
import os
import re
import subprocess
import zlib

from debian_packages import files_of

# In this order: those of other scripts first, so that a smaller corpus has them too.
PACKAGES = """
libreoffice-help-ja libreoffice-help-zh-cn libreoffice-help-zh-tw libreoffice-help-ko libreoffice-help-ru
libreoffice-help-uk libreoffice-help-el libreoffice-help-th gnome-user-docs debian-handbook manpages-ja manpages-zh
manpages-ru manpages-uk debian-reference-ja debian-reference-zh-cn debian-reference-zh-tw aptitude-doc-ja
aptitude-doc-ru installation-guide-amd64 developers-reference-ja developers-reference-ru debian-faq-ja debian-faq-ru
debian-faq-zh-cn maint-guide-ja maint-guide-ru maint-guide-zh-cn lilypond-doc-html-ja libreoffice-help-en-us
libreoffice-help-en-gb libreoffice-help-fr manpages-de manpages-fr linux-doc-6.1 linux-doc-6.12 libboost1.74-doc
libboost1.81-doc llvm-14-doc llvm-15-doc llvm-16-doc llvm-19-doc rust-doc rust-web-doc libbiojava4-java-doc
libbiojava5-java-doc libbiojava6-java-doc postgresql-doc-15 erlang-doc python3.11-doc lilypond-doc-html doc-debian
cppreference-doc-en-html wx3.2-doc openjdk-17-doc libgtk-4-doc python-pandas-doc singular-doc singular-dev-doc
lazarus-doc-2.2 ghc-doc libfastutil-java-doc
""".split()
NUM_FILES = 12
SHORTEST, LONGEST = 200, 2_000_000  # bytes of text

DROPPED = re.compile(r"(?is)<(script|style|head)\b.*?</\1>|<!--.*?-->|<[?!][^>]*>")
BLOCK = re.compile(r"(?i)</?(?:p|div|br|tr|li|h\d|table|ul|ol|dl|dt|dd|pre|section|title|item|para|media)\b[^>]*>")
TAG = re.compile(r"<[^>]{0,2000}>")
SPACES = re.compile(r"[ \t\r\f\v]+")
LINES = re.compile(r" ?\n(?: ?\n)+")
ROFF = re.compile(r"(?m)^[.'][A-Za-z\\\"]{1,3} ?|\\f.|\\[&|^%]|\\\((?:..)|\\\".*$")


def text_of(name, data):
    """The text of a file, or nothing when it is not a document."""
    if name.endswith(".gz"):
        name, data = name[:-3], gzip.decompress(data)
    text = data.decode("utf-8", "ignore").replace("\0", "")
    if name.endswith((".html", ".htm", ".xhtml", ".page", ".xml", ".xhp", ".docbook")):
        text = html.unescape(TAG.sub("", BLOCK.sub("\n", DROPPED.sub("", text))))
    elif "/man/" in name:
        text = ROFF.sub("", text).replace("\\-", "-")
    elif not name.endswith((".txt", ".rst", ".md", ".org")):
        return ""
    return LINES.sub("\n\n", SPACES.sub(" ", text)).strip()


def documents(folder):
    for package in PACKAGES:
        for name, data in files_of(folder, package):
            text = text_of(name, data)
            if SHORTEST <= len(text.encode()) <= LONGEST:
                yield package + name, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where to; made when it is missing")
    parser.add_argument("megabytes", nargs="?", type=float, default=1100, help="of text")
    options = parser.parse_args()
    folder, limit = options.folder, options.megabytes * 1e6
    os.makedirs(os.path.join(folder, "deb"), exist_ok=True)
    outputs = [subprocess.Popen(["zstd", "-q", "-f", "-3", "-o", os.path.join(folder, f"corpus-{i:02d}.jsonl.zst")],
                                stdin=subprocess.PIPE) for i in range(NUM_FILES)]
    total, count, by_package = 0, 0, {}
    for source, text in documents(os.path.join(folder, "deb")):
        line = json.dumps({"text": text, "source": source}, ensure_ascii=False) + "\n"
        outputs[zlib.crc32(source.encode()) % NUM_FILES].stdin.write(line.encode())
        size = len(text.encode())
        total, count = total + size, count + 1
        package = source.split("/")[0]
        by_package[package] = by_package.get(package, 0) + size
        if total >= limit:
            break
    for output in outputs:
        output.stdin.close()
        output.wait()
    for package, size in by_package.items():
        print(f"{size / 1e6:8.1f} MB  {package}")
    print(f"{total / 1e6:8.1f} MB of text in {count} documents")


main()
