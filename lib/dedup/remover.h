// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes the lines that stay and lists those that go; or writes all with a member that says so.

#include <functional>
#include <span>
#include <string>

#include "lib/dedup/cluster.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/output.h"
#include "lib/dedup/removal_list.h"
#include "lib/dedup/second_reading.h"

namespace longhaul::dedup {

/// Everything needed; all must outlive the Remover.
struct RemoverContext {
    const std::string& annotate;  // as Options::annotate
    const Inputs& inputs;         // those that are read
    std::span<Source> sources;    // of these; counts of removed and kept documents are added
    size_t first_input = 0;       // number of inputs[0] in `output`
    OutputWriter& output;
    RemovalList& removal_list;
    /// The final decision on a marked line.
    std::function<Decision(const Mark&)> decide;
    /// Told of every removed document (exact and near), in input order.
    std::function<void(const Decision&)> on_removed;
};

class Remover {
 public:
    explicit Remover(const RemoverContext& context) : context_(context) {}

    /// Batches in input order. @throws DataError when an input has changed since the first reading
    void take(MarkedBatch& item);

 private:
    void remove(const MarkedBatch& item);
    void annotate(const MarkedBatch& item);
    std::string fate_of(const Batch& batch, size_t line, const Decision& decision) const;
    Decision decide(const Batch& batch, const Mark& mark);
    void end_input(const Batch& batch);

    const RemoverContext& context_;
    std::string annotated_;  // lines of a batch
};

}  // namespace longhaul::dedup
