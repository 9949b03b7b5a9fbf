// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "lib/io/file.h"
#include "lib/store/h5.h"
#include "lib/store/h5_handle.h"
#include "lib/store/h5_type.h"

namespace longhaul::store {
namespace {

/// Collects while walking; exceptions must not cross the library, so they are kept as text.
struct Walk {
    std::string file;
    uint64_t file_bytes = 0;
    std::vector<DatasetInfo> datasets;
    std::exception_ptr failure;
};

[[noreturn]] void refuse(const Walk& walk, const std::string& path, const std::string& why) {
    throw H5Error(format("{}: dataset {}: {}", walk.file, path, why), 0);
}

DatasetInfo describe(const Walk& walk, hid_t dataset, const std::string& path) {
    DatasetInfo info;
    info.path = path;
    const H5Properties properties(LH_H5(H5Dget_create_plist(dataset), walk.file));
    if (H5Pget_layout(properties.get()) != H5D_CONTIGUOUS) {
        refuse(walk, path, "stored in chunks or compact; Longhaul reads contiguous datasets");
    }
    const H5Type type(LH_H5(H5Dget_type(dataset), walk.file));
    const auto dtype = dtype_of(type.get());
    if (!dtype) refuse(walk, path, "element type that Longhaul does not read");
    info.dtype = *dtype;
    const H5Space space(LH_H5(H5Dget_space(dataset), walk.file));
    const int rank = LH_H5(H5Sget_simple_extent_ndims(space.get()), walk.file);
    info.shape.resize(static_cast<size_t>(rank));
    LH_H5(H5Sget_simple_extent_dims(space.get(), reinterpret_cast<hsize_t*>(info.shape.data()),
                                    nullptr),
          walk.file);
    info.bytes = tensor::size_of(info.dtype);
    for (const uint64_t extent : info.shape) {
        if (extent != 0 && info.bytes > UINT64_MAX / extent) refuse(walk, path, "absurd shape");
        info.bytes *= extent;
    }
    if (info.bytes == 0) return info;
    info.byte_offset = H5Dget_offset(dataset);
    if (info.byte_offset == HADDR_UNDEF) refuse(walk, path, "no storage allocated");
    if (info.byte_offset > walk.file_bytes || info.bytes > walk.file_bytes - info.byte_offset) {
        refuse(walk, path,
               format("needs bytes {} to {}, but the file ends at {}: it was cut", info.byte_offset,
                      info.byte_offset + info.bytes, walk.file_bytes));
    }
    return info;
}

herr_t visit_object(hid_t root, const char* name, const H5O_info_t* info, void* data) {
    auto& walk = *static_cast<Walk*>(data);
    if (info->type != H5O_TYPE_DATASET) return 0;
    try {
        const std::string path = std::string("/") + name;
        const H5Dataset dataset(LH_H5(H5Dopen2(root, name, H5P_DEFAULT), walk.file + path));
        walk.datasets.push_back(describe(walk, dataset.get(), path));
    } catch (...) {
        walk.failure = std::current_exception();
        return -1;
    }
    return 0;
}

std::string read_text(const H5Attribute& attribute, const H5Type& type, const std::string& file) {
    std::string value(H5Tget_size(type.get()), '\0');
    LH_H5(H5Aread(attribute.get(), type.get(), value.data()), file);
    value.resize(std::min(value.size(), value.find('\0')));
    return value;
}

Attributes read_attributes(const H5File& file, const std::string& name) {
    Attributes attributes;
    H5O_info_t info;
    LH_H5(H5Oget_info2(file.get(), &info, H5O_INFO_NUM_ATTRS), name);
    for (hsize_t i = 0; i < info.num_attrs; ++i) {
        const H5Attribute attribute(LH_H5(H5Aopen_by_idx(file.get(), ".", H5_INDEX_NAME,
                                                         H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
                                          name));
        const ssize_t length = LH_H5(H5Aget_name(attribute.get(), 0, nullptr), name);
        std::string key(static_cast<size_t>(length), '\0');
        LH_H5(H5Aget_name(attribute.get(), key.size() + 1, key.data()), name);
        const H5Space space(LH_H5(H5Aget_space(attribute.get()), name));
        if (H5Sget_simple_extent_npoints(space.get()) != 1) continue;  // arrays are nobody's here
        const H5Type type(LH_H5(H5Aget_type(attribute.get()), name));
        if (H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0) {
            attributes.text[key] = read_text(attribute, type, name);
        } else if (H5Tget_class(type.get()) == H5T_INTEGER) {
            int64_t value = 0;
            LH_H5(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), name);
            attributes.integers[key] = value;
        }
    }
    return attributes;
}

}  // namespace

H5Reader::H5Reader(const std::filesystem::path& file) : file_(file) {
    const H5Session session;
    Walk walk{file.string(), io::file_size(file), {}, nullptr};
    const H5File handle(LH_H5(H5Fopen(walk.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), walk.file));
    const herr_t status =
        H5Ovisit2(handle.get(), H5_INDEX_NAME, H5_ITER_INC, visit_object, &walk, H5O_INFO_BASIC);
    if (walk.failure) std::rethrow_exception(walk.failure);
    LH_H5(status, walk.file);
    attributes_ = read_attributes(handle, walk.file);
    datasets_ = std::move(walk.datasets);
    std::sort(datasets_.begin(), datasets_.end(),
              [](const DatasetInfo& a, const DatasetInfo& b) { return a.path < b.path; });
}

const DatasetInfo* H5Reader::find(const std::string& path) const {
    const auto found = std::lower_bound(
        datasets_.begin(), datasets_.end(), path,
        [](const DatasetInfo& info, const std::string& wanted) { return info.path < wanted; });
    return found != datasets_.end() && found->path == path ? &*found : nullptr;
}

const DatasetInfo& H5Reader::require(const std::string& path) const {
    if (const DatasetInfo* info = find(path)) return *info;
    throw H5Error(format("{}: no dataset {}", file_.string(), path), 0);
}

}  // namespace longhaul::store
