// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// TensorBoard event files: scalars only.
// Source: tensorflow/core/lib/io/record_writer.h (record framing), util/event.proto and
// framework/summary.proto (field numbers).

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/io/file.h"

namespace longhaul::record {

/// CRC-32C (Castagnoli), as the record framing uses it.
uint32_t crc32c(std::string_view bytes);

/// Appends to DIRECTORY/events.out.tfevents.<seconds>.<host>.<pid>; each add() is one write.
class TensorboardWriter {
 public:
    /// Makes the folder. @throws IoError
    explicit TensorboardWriter(const std::filesystem::path& directory);
    void add(int64_t step, double wall_time_s,
             const std::vector<std::pair<std::string, double>>& scalars);
    const std::filesystem::path& path() const { return path_; }

 private:
    void write_record(const std::string& event);

    std::filesystem::path path_;
    io::UniqueFd fd_;
};

}  // namespace longhaul::record
