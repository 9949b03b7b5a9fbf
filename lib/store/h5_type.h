// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Private to lib/store: our element types as HDF5 file types (little-endian) and back.

#include <optional>

#include "lib/store/h5_handle.h"
#include "lib/tensor/dtype.h"

namespace longhaul::store {

/// A new file type. bf16 has no predefined one in HDF5 1.x: it is built from F32LE's fields.
H5Type h5_type(tensor::DType dtype);
/// @return nothing for a type that Longhaul does not read (big-endian, strings, compounds).
std::optional<tensor::DType> dtype_of(hid_t type);

}  // namespace longhaul::store
