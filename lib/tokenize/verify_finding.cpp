// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/verify_finding.h"

#include <cerrno>

#include "lib/store/h5.h"

namespace longhaul::tokenize {

using record::Finding;
using record::Status;

Finding make_finding(Status status, const char* code, const std::string& subject,
                     std::string evidence, const char* remedy) {
    if (evidence.starts_with(subject + ": ")) evidence.erase(0, subject.size() + 2);
    return {status, code, subject, std::move(evidence), remedy};
}

namespace {

/// The machine's lack, not the file's: rights, limits, other files such as temporary ones.
bool is_of_machine(const Error& error, const std::string& text) {
    if (dynamic_cast<const UsageError*>(&error) != nullptr) return true;
    int number = 0;
    if (const auto* io_error = dynamic_cast<const IoError*>(&error)) {
        number = io_error->error_number();
        return number != ENOENT || text.find("a temporary file") != std::string::npos;
    }
    if (const auto* h5_error = dynamic_cast<const store::H5Error*>(&error)) {
        number = h5_error->error_number();
    }
    return number == EACCES || number == EPERM || number == EMFILE || number == ENFILE ||
           number == ENOMEM || number == EIO || number == ESTALE;
}

}  // namespace

Finding finding_of(const Error& error, const char* code, const std::string& subject,
                   const char* remedy) {
    const std::string text = error.describe();
    if (!is_of_machine(error, text)) {
        return make_finding(Status::kFail, code, subject, text, remedy);
    }
    return make_finding(Status::kUnknown, code, subject, text,
                        "see why it can not be read, and verify again");
}

}  // namespace longhaul::tokenize
