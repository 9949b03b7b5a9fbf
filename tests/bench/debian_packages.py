# SPDX-License-Identifier: BSD-3-Clause
"""Files of Debian packages, for the scripts that make corpora."""
import os
import subprocess
import sys
import tarfile


def files_of(folder, package):
    """Yields (path, content) of each regular file of the package, which apt-get downloads into the folder."""
    have = [f for f in os.listdir(folder) if f.startswith(package + "_")]
    if not have:
        subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=False)
        have = [f for f in os.listdir(folder) if f.startswith(package + "_")]
    if not have:
        print(f"{package}: not to be had, left out", file=sys.stderr)
        return
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", os.path.join(folder, have[0])],
                          stdout=subprocess.PIPE) as process, \
            tarfile.open(fileobj=process.stdout, mode="r|") as tar:
        for member in tar:
            if member.isfile():
                yield member.name.lstrip("."), tar.extractfile(member).read()
