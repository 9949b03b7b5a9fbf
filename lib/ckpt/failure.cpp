// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/failure.h"

#include <system_error>

#include "lib/base/error.h"
#include "lib/ckpt/save.h"
#include "lib/store/h5.h"

namespace longhaul::ckpt {

Failure failure_of(const std::function<void()>& body) {
    try {
        body();
        return {};
    } catch (const IoError& error) {
        return {error.describe(), error.error_number()};
    } catch (const store::H5Error& error) {
        return {error.describe(), error.error_number()};
    } catch (const SaveError& error) {
        return {error.describe(), error.error_number()};
    } catch (const Error& error) {
        return {error.describe(), 0};
    } catch (const std::system_error& error) {
        return {error.what(), error.code().value()};
    } catch (const std::exception& error) {
        return {error.what(), 0};
    }
}

}  // namespace longhaul::ckpt
