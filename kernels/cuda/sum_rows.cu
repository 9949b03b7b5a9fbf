// SPDX-License-Identifier: BSD-3-Clause
// Sum over the rows of a matrix; the contract is SumRowsArgs in kernels/reduce.h.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sum_columns.cuh"
#include "kernels/reduce.h"

namespace longhaul::kernels::cuda {

void sum_rows(Stream& stream, const SumRowsArgs& args) {
    constexpr const char* kOp = "sum_rows";
    require(args.rows >= 0 && args.columns > 0, kOp, "rows must be >= 0 and columns > 0");
    require(args.row_stride >= args.columns, kOp, "row_stride is shorter than a row");
    if (args.rows == 0) return;
    require_buffer(args.x, tensor::size_of(args.dtype), kOp, "x");
    require_buffer(args.out, sizeof(float), kOp, "out");
    with_float_type(args.dtype, kOp, [&](auto tag) {
        using T = typename decltype(tag)::Type;
        const MatrixTerm<T> term{static_cast<const T*>(args.x), args.row_stride};
        launch_sum_columns(kOp, stream, term, args.rows, args.columns,
                           static_cast<Accumulator<T>*>(args.out));
    });
}

}  // namespace longhaul::kernels::cuda
