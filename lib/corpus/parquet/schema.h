// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From the schema's nodes, listed depth first, to its leaves: the columns.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/corpus/parquet/footer.h"
#include "lib/corpus/parquet/thrift.h"

namespace longhaul::corpus::parquet {

class SchemaReader {
 public:
    /// Reads the next node (SchemaElement).
    void read_element(ThriftReader& reader);
    /// The leaves in file order. @throws DataError when nodes are missing
    std::vector<Leaf> finish(const ThriftReader& reader);

 private:
    /// An inner node whose children are still to come.
    struct Open {
        uint64_t children_left = 0;
        std::string path;  // with a dot at its end; empty for the root
        unsigned max_definition = 0;
        bool is_repeated = false;
    };
    struct Element;
    void add(const ThriftReader& reader, const Element& element);

    std::vector<Open> open_;
    std::vector<Leaf> leaves_;
    uint64_t num_elements_ = 0;
};

}  // namespace longhaul::corpus::parquet
