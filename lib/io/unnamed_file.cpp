// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/unnamed_file.h"

#include <fcntl.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkostemp
#include <unistd.h>

#include "lib/base/error.h"

namespace longhaul::io {

namespace {

[[noreturn]] void fail(const std::filesystem::path& folder) {
    throw IoError(
        format("cannot create a temporary file in {} (see TMPDIR and --tmp-dir)", folder.string()));
}

}  // namespace

UniqueFd open_unnamed(const std::filesystem::path& folder) {
    UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (fd) return fd;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) fail(folder);
    // A file system without O_TMPFILE (NFS): a name, removed at once.
    std::string name = (folder / "longhaul-spill-XXXXXX").string();
    fd.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (!fd) fail(folder);
    ::unlink(name.c_str());
    return fd;
}

}  // namespace longhaul::io
