// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Why a start of train-run ended, in the words of exit.json that job-guard acts on.

#include <exception>
#include <functional>
#include <string>

#include "lib/base/error.h"
#include "lib/comm/comm.h"

namespace longhaul::train {

/// An error of all ranks whose cause is known: "non-finite", "disk", "data", ...
class TrainError : public comm::AgreedError {
 public:
    TrainError(std::string cause_word, const std::string& text, ExitCode code)
        : AgreedError(text, code), cause_(std::move(cause_word)) {}
    const std::string& cause() const { return cause_; }

 private:
    std::string cause_;
};

/// The word for an exception: configuration, data, disk, memory, gpu, network, hang, code.
std::string cause_of(const std::exception& error);

/// Runs `body` on every rank; when it throws on any, every rank throws one TrainError with the
/// cause, exit code and text of the lowest such rank. For failures foreseen before a collective.
void run_agreed(comm::Comm& comm, const std::function<void()>& body);

}  // namespace longhaul::train
