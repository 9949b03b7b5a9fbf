// SPDX-License-Identifier: BSD-3-Clause
// nccl-probe diagnose on any bytes: no crash, and a report that can be printed.
#include <algorithm>
#include <cstring>

#include "lib/io/json.h"
#include "lib/probe/diagnose.h"

namespace {

class BytesInput : public longhaul::io::InputStream {
 public:
    BytesInput(const uint8_t* data, size_t size) : data_(data), size_(size) {}
    size_t read(std::span<std::byte> buffer) override {
        const size_t n = std::min(buffer.size(), size_ - at_);
        if (n > 0) std::memcpy(buffer.data(), data_ + at_, n);
        at_ += n;
        return n;
    }
    const std::string& name() const override { return name_; }
    uint64_t stored_bytes() const override { return at_; }
    longhaul::Hash128 stored_hash() const override { return {}; }

 private:
    const uint8_t* data_;
    size_t size_, at_ = 0;
    std::string name_ = "fuzz";
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    probe::LogDiagnoser diagnoser;
    BytesInput input(data, size);
    diagnoser.read(input);
    const probe::DiagnosisReport report = diagnoser.report();
    if (report.diagnoses.empty() || probe::to_text(report).empty()) __builtin_trap();
    io::parse_json(io::to_line(probe::to_json(report)), "report");
    return 0;
}
