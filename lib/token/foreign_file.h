// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files that are no tokenizer, though a tokenizer may be in them or behind them: what they are is
// told, since a parser's complaint about their first byte helps nobody.

#include <string>
#include <string_view>

namespace longhaul::token {

/// @param name of the file, for the message @throws DataError naming what the file is and what to
/// do when it is empty, compressed, an archive, in UTF-16 or -32, begins with a byte order mark, or
/// is a pointer of Git LFS, a web page, a GGUF model, or a JSON text that is no object
void refuse_foreign_file(std::string_view text, const std::string& name);
/// The same without a look at the text, for files that may begin with any character.
void refuse_foreign_bytes(std::string_view bytes, const std::string& name);

}  // namespace longhaul::token
