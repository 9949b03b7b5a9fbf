// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Does a Hugging Face config.json describe the tensors that lie beside it?

#include <map>
#include <string>

#include "lib/ckpt/hf_model.h"
#include "lib/tensor/box.h"

namespace longhaul::ckpt {

using TensorShapes = std::map<std::string, tensor::Shape>;  // by canonical name

/// Checks the sizes that `config` gives (positive, heads that divide, not more layers than
/// tensors) and the shape of every known tensor that is there.
/// @throws DataError naming `source`, the key or the tensor.
void check_shapes(const io::Json& config, const HfModel& model, const TensorShapes& there,
                  const std::string& source);

}  // namespace longhaul::ckpt
