// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/run_watch.h"

#include <charconv>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::guard {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxFileBytes = 1 << 20;

/// 1000 of "step-00001000".
std::optional<uint64_t> step_of(const std::string& name) {
    constexpr std::string_view kPrefix = "step-";
    if (name.rfind(kPrefix, 0) != 0) return std::nullopt;
    uint64_t step = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
    if (error != std::errc() || stop != end) return std::nullopt;
    return step;
}

}  // namespace

std::optional<uint64_t> newest_committed_step(const std::filesystem::path& run) {
    std::optional<uint64_t> newest;
    std::error_code error;
    for (fs::directory_iterator entry(run / "ckpt", error), end; !error && entry != end;
         entry.increment(error)) {
        const auto step = step_of(entry->path().filename().string());
        std::error_code ignored;
        if (!step || !fs::exists(entry->path() / "MANIFEST.json", ignored)) continue;
        if (!newest || *step > *newest) newest = step;
    }
    return newest;
}

std::optional<ExitRecord> read_exit_record(const std::filesystem::path& run, uint64_t restart) {
    const fs::path path = run / "exit.json";
    std::error_code ignored;
    if (run.empty() || !fs::exists(path, ignored)) return std::nullopt;
    try {
        const io::Json json = io::read_json_file(path, kMaxFileBytes);
        ExitRecord record;
        record.code = io::require<int>(json, "code", path.string());
        record.cause = io::require<std::string>(json, "cause", path.string());
        record.restart = io::require<uint64_t>(json, "restart", path.string());
        record.step = json.value("step", uint64_t{0});
        record.host = json.value("host", "");
        record.detail = json.value("detail", "");
        if (record.restart != restart) return std::nullopt;
        return record;
    } catch (const Error& error) {
        log::warn("exit.json is not used: {}", error.describe());
    } catch (const io::Json::exception& error) {
        log::warn("exit.json is not used: {}: {}", path.string(), error.what());
    }
    return std::nullopt;
}

ProgressWatch::ProgressWatch(std::filesystem::path file, double start_timeout_s, double timeout_s)
    : file_(std::move(file)), start_timeout_s_(start_timeout_s), timeout_s_(timeout_s) {}

/// What counts as progress: the step of a JSON object that has one, else the bytes (or, of a large
/// file, its size and time).
std::string ProgressWatch::content() const {
    std::error_code error;
    const auto size = fs::file_size(file_, error);
    if (error) return "";
    if (size > kMaxFileBytes) {
        return format("{} {}", size, fs::last_write_time(file_, error).time_since_epoch().count());
    }
    try {
        std::string text = io::read_text_file(file_, kMaxFileBytes);
        const io::Json json = io::Json::parse(text, nullptr, false);
        if (json.is_object() && json.contains("step")) return json["step"].dump();
        return text;
    } catch (const Error&) {
        return "";  // between unlink and rename, or a file system that is away for a moment
    }
}

void ProgressWatch::start(double now_s) {
    if (!file_.empty()) last_content_ = content();
    last_change_s_ = now_s;
    has_moved_ = false;
}

void ProgressWatch::poll(double now_s) {
    if (file_.empty()) return;
    std::string now = content();
    if (now.empty() || now == last_content_) return;
    last_content_ = std::move(now);
    last_change_s_ = now_s;
    has_moved_ = true;
}

std::optional<double> ProgressWatch::stalled_for_s(double now_s) const {
    const double limit_s = has_moved_ ? timeout_s_ : start_timeout_s_;
    const double idle_s = now_s - last_change_s_;
    if (file_.empty() || limit_s <= 0 || idle_s < limit_s) return std::nullopt;
    return idle_s;
}

}  // namespace longhaul::guard
