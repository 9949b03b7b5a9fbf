// SPDX-License-Identifier: BSD-3-Clause
#include "lib/store/h5.h"
#include "lib/store/h5_handle.h"
#include "lib/store/h5_type.h"

namespace longhaul::store {
namespace {

void write_text(const H5File& file, const std::string& name, const std::string& value,
                const std::string& path) {
    const H5Type type(LH_H5(H5Tcopy(H5T_C_S1), path));
    LH_H5(H5Tset_size(type.get(), value.size() + 1), path);
    LH_H5(H5Tset_cset(type.get(), H5T_CSET_UTF8), path);
    const H5Space space(LH_H5(H5Screate(H5S_SCALAR), path));
    const H5Attribute attribute(LH_H5(
        H5Acreate2(file.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
        path));
    LH_H5(H5Awrite(attribute.get(), type.get(), value.c_str()), path);
}

void write_integer(const H5File& file, const std::string& name, int64_t value,
                   const std::string& path) {
    const H5Space space(LH_H5(H5Screate(H5S_SCALAR), path));
    const H5Attribute attribute(LH_H5(
        H5Acreate2(file.get(), name.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
        path));
    LH_H5(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value), path);
}

H5Properties dataset_properties(const std::string& path) {
    H5Properties properties(LH_H5(H5Pcreate(H5P_DATASET_CREATE), path));
    LH_H5(H5Pset_layout(properties.get(), H5D_CONTIGUOUS), path);
    LH_H5(H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_EARLY), path);
    LH_H5(H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER), path);
    // Times of creation would make equal contents unequal files.
    LH_H5(H5Pset_obj_track_times(properties.get(), false), path);
    return properties;
}

uint64_t create_dataset(const H5File& file, const DatasetSpec& spec, const H5Properties& create,
                        const H5Properties& link, const std::string& path) {
    const hsize_t count = spec.count;
    const H5Space space(LH_H5(H5Screate_simple(1, &count, nullptr), path));
    const H5Type type = h5_type(spec.dtype);
    const H5Dataset dataset(LH_H5(H5Dcreate2(file.get(), spec.path.c_str(), type.get(), space.get(),
                                             link.get(), create.get(), H5P_DEFAULT),
                                  path + ": dataset " + spec.path));
    if (spec.count == 0) return 0;
    const haddr_t offset = H5Dget_offset(dataset.get());
    if (offset == HADDR_UNDEF) h5_failed("H5Dget_offset", path + ": dataset " + spec.path);
    return offset;
}

H5File create_file(const std::filesystem::path& path) {
    const std::string name = path.string();
    const H5Properties access(LH_H5(H5Pcreate(H5P_FILE_ACCESS), name));
    LH_H5(H5Pset_alignment(access.get(), kAlignFrom, kAlignment), name);
    const H5Properties create(LH_H5(H5Pcreate(H5P_FILE_CREATE), name));
    LH_H5(H5Pset_obj_track_times(create.get(), false), name);
    return H5File(LH_H5(H5Fcreate(name.c_str(), H5F_ACC_EXCL, create.get(), access.get()), name));
}

}  // namespace

std::vector<uint64_t> create_contiguous(const std::filesystem::path& file,
                                        const std::vector<DatasetSpec>& datasets,
                                        const Attributes& attributes) {
    const H5Session session;
    const std::string name = file.string();
    H5File handle = create_file(file);
    for (const auto& [key, value] : attributes.text) write_text(handle, key, value, name);
    for (const auto& [key, value] : attributes.integers) write_integer(handle, key, value, name);
    const H5Properties create = dataset_properties(name);
    const H5Properties link(LH_H5(H5Pcreate(H5P_LINK_CREATE), name));
    LH_H5(H5Pset_create_intermediate_group(link.get(), 1), name);
    std::vector<uint64_t> offsets;
    offsets.reserve(datasets.size());
    for (const DatasetSpec& spec : datasets) {
        offsets.push_back(create_dataset(handle, spec, create, link, name));
    }
    LH_H5(H5Fclose(handle.release()), name);  // writes the metadata; failure would lose it
    return offsets;
}

}  // namespace longhaul::store
