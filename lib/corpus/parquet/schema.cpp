// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet/schema.h"

#include <optional>

namespace longhaul::corpus::parquet {

namespace {

constexpr uint64_t kMaxElements = 100000;
constexpr size_t kMaxDepth = 64, kMaxPathBytes = 4096;

/// By ConvertedType: UTF8, ENUM and JSON are text, UINT_8 to UINT_64 unsigned, INT_8 to INT_64
/// plain; dates and times are shown as the numbers they are stored as.
Meaning meaning_of_converted(int32_t number) {
    switch (number) {
        case 0:
        case 4:
        case 19:
            return Meaning::kText;
        case 11:
        case 12:
        case 13:
        case 14:
            return Meaning::kUnsigned;
        case 6:
        case 7:
        case 8:
        case 9:
        case 10:
        case 15:
        case 16:
        case 17:
        case 18:
            return Meaning::kPlain;
        default:
            return Meaning::kOther;
    }
}

/// The LogicalType union: its only field says which one it is.
std::optional<Meaning> read_logical_type(ThriftReader& reader) {
    std::optional<Meaning> meaning;
    reader.read_struct([&](int id, ThriftType type) {
        switch (id) {
            case 1:   // STRING
            case 4:   // ENUM
            case 12:  // JSON
                meaning = Meaning::kText;
                break;
            case 6:  // DATE
            case 7:  // TIME
            case 8:  // TIMESTAMP
                meaning = Meaning::kPlain;
                break;
            case 10:  // INTEGER
                meaning = Meaning::kPlain;
                reader.expect_struct(type);
                reader.read_struct([&](int field, ThriftType field_type) {
                    if (field != 2) return reader.skip(field_type);
                    if (!reader.read_bool(field_type)) meaning = Meaning::kUnsigned;
                });
                return;
            default:
                meaning = Meaning::kOther;
        }
        reader.skip(type);
    });
    return meaning;
}

}  // namespace

struct SchemaReader::Element {
    std::optional<int32_t> type;
    int32_t repetition = 0;  // 0 required, 1 optional, 2 repeated
    std::string_view name;
    uint64_t num_children = 0;
    std::optional<Meaning> converted, logical;
};

void SchemaReader::read_element(ThriftReader& reader) {
    if (++num_elements_ > kMaxElements) {
        reader.fail(format("more than {} nodes in the schema", kMaxElements));
    }
    Element element;
    reader.read_struct([&](int id, ThriftType type) {
        if (id == 1) {
            element.type = reader.read_int32(type);
        } else if (id == 3) {
            element.repetition = reader.read_int32(type);
        } else if (id == 4) {
            element.name = reader.read_text(type);
        } else if (id == 5) {
            element.num_children = reader.read_size(type);
        } else if (id == 6) {
            element.converted = meaning_of_converted(reader.read_int32(type));
        } else if (id == 10) {
            reader.expect_struct(type);
            element.logical = read_logical_type(reader);
        } else {
            reader.skip(type);
        }
    });
    add(reader, element);
}

void SchemaReader::add(const ThriftReader& reader, const Element& element) {
    if (num_elements_ == 1) {  // the root: neither its name nor its repetition counts
        open_.push_back({element.num_children, "", 0, false});
        return;
    }
    while (!open_.empty() && open_.back().children_left == 0) open_.pop_back();
    if (open_.empty()) reader.fail("the schema has more nodes than its tree");
    if (open_.size() > kMaxDepth) reader.fail("the schema is nested too deeply");
    if (element.repetition < 0 || element.repetition > 2) reader.fail("a bad repetition type");
    --open_.back().children_left;
    const Open& parent = open_.back();
    const std::string path = parent.path + std::string(element.name);
    if (path.size() > kMaxPathBytes) reader.fail("a column's name is too long");
    const unsigned max_definition = parent.max_definition + (element.repetition == 0 ? 0U : 1U);
    const bool is_repeated = parent.is_repeated || element.repetition == 2;
    if (!element.type) {  // an inner node
        open_.push_back({element.num_children, path + ".", max_definition, is_repeated});
        return;
    }
    if (*element.type < 0 || *element.type > 7) {
        reader.fail(format("column {} has type {}, which does not exist", path, *element.type));
    }
    const Meaning meaning = element.logical.value_or(element.converted.value_or(Meaning::kPlain));
    leaves_.push_back({path, static_cast<Physical>(*element.type), meaning, max_definition,
                       is_repeated, open_.size() > 1});
}

std::vector<Leaf> SchemaReader::finish(const ThriftReader& reader) {
    if (num_elements_ == 0) reader.fail("the footer has no schema");
    for (const Open& open : open_) {
        if (open.children_left > 0) reader.fail("the schema is cut: nodes are missing");
    }
    return std::move(leaves_);
}

}  // namespace longhaul::corpus::parquet
