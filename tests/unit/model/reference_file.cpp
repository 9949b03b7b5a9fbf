// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/model/reference_file.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/model/hf_config.h"

namespace longhaul::test {
namespace {

template <class T>
std::vector<double> to_doubles(std::string_view bytes) {
    std::vector<double> values(bytes.size() / sizeof(T));
    for (size_t i = 0; i < values.size(); ++i) {
        T value;
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        values[i] = static_cast<double>(value);
    }
    return values;
}

std::vector<double> decode(const std::string& dtype, std::string_view bytes) {
    if (dtype == "F64") return to_doubles<double>(bytes);
    if (dtype == "F32") return to_doubles<float>(bytes);
    if (dtype == "I32") return to_doubles<int32_t>(bytes);
    throw Error("reference file: dtype " + dtype);
}

std::string read_all(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error("cannot open " + path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

ReferenceFile::ReferenceFile(const std::string& name) {
    const char* folder = std::getenv("LONGHAUL_TEST_DATA");
    const std::string path =
        std::string(folder == nullptr ? "tests/data" : folder) + "/model/" + name + ".safetensors";
    const std::string bytes = read_all(path);
    uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    const io::Json header = io::parse_json(std::string_view(bytes).substr(8, length), path);
    const std::string_view data = std::string_view(bytes).substr(8 + length);
    for (const auto& [key, entry] : header.items()) {
        if (key == "__metadata__") continue;
        const auto first = entry["data_offsets"][0].get<size_t>();
        const auto last = entry["data_offsets"][1].get<size_t>();
        tensors_[key] = decode(entry["dtype"], data.substr(first, last - first));
        if (key != "tokens") continue;
        num_steps_ = entry["shape"][0];
        batch_ = entry["shape"][1];
        seq_len_ = entry["shape"][2];
    }
    const io::Json& metadata = header["__metadata__"];
    config_ = model::from_hf_config_json(metadata["config"].get<std::string>(), path);
    config_.qk_norm = has("weight.model.layers.0.self_attn.q_norm.weight");
    const io::Json optimizer = io::parse_json(metadata["optim"].get<std::string>(), path);
    optimizer_ = {optimizer["lr"], optimizer["beta1"], optimizer["beta2"], optimizer["eps"],
                  optimizer["weight_decay"]};
}

std::vector<int32_t> ReferenceFile::ids(const std::string& name, int64_t step) const {
    const std::vector<double>& all = at(name);
    const int64_t count = batch_ * seq_len_;
    std::vector<int32_t> result;
    for (int64_t i = step * count; i < (step + 1) * count; ++i) {
        result.push_back(static_cast<int32_t>(all[static_cast<size_t>(i)]));
    }
    return result;
}

}  // namespace longhaul::test
