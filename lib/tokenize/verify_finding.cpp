// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/verify_finding.h"

#include <cerrno>

namespace longhaul::tokenize {

using record::Finding;
using record::Status;

Finding make_finding(Status status, const char* code, const std::string& subject,
                     std::string evidence, const char* remedy) {
    if (evidence.starts_with(subject + ": ")) evidence.erase(0, subject.size() + 2);
    return {status, code, subject, std::move(evidence), remedy};
}

Finding finding_of(const Error& error, const char* code, const std::string& subject,
                   const char* remedy) {
    const auto* const io_error = dynamic_cast<const IoError*>(&error);
    if (io_error == nullptr || io_error->error_number() == ENOENT) {
        return make_finding(Status::kFail, code, subject, error.describe(), remedy);
    }
    return make_finding(Status::kUnknown, code, subject, error.describe(),
                        "see why it can not be read, and verify again");
}

}  // namespace longhaul::tokenize
