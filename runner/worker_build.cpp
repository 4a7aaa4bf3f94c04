#include "runner/worker_build.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/waiting_lock.hpp"
#include "runner/build_variables.hpp"
#include "runner/busy_directory.hpp"
#include "runner/environment.hpp"
#include "runner/environment/facts.hpp"
#include "runner/libtorch.hpp"
#include "runner/source/recipe.hpp"
#include "runner/worker_reuse.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// Hashes the names and contents of all files below a folder, sorted by name.
Result<std::string> hash_of_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) files.push_back(at->path());
  }
  if (error) return fail(ErrorKind::machine, "cannot read {}: {}", folder.string(), error.message());
  std::ranges::sort(files);
  std::string text;
  for (const fs::path& file : files) {
    TBCI_ASSIGN(const std::string contents, read_file(file));
    text += fmt::format("{} {}\n", fs::relative(file, folder).string(), sha256_hex(contents));
  }
  return sha256_hex(text);
}

Result<std::string> hash_of_sources(const WorkerBuildSettings& settings) {
  std::error_code ignored;
  if (!fs::exists(settings.source / "CMakeLists.txt", ignored))
    return fail(ErrorKind::machine,
                "{} contains no sources of the worker: set worker_source to the folder of the suite",
                settings.source.string());
  TBCI_ASSIGN(std::string hash, hash_of_files(settings.source));
  if (settings.models.empty()) return hash;
  if (!fs::is_directory(settings.models, ignored))
    return fail(ErrorKind::machine, "there is no folder {}: set worker_models to a folder of models",
                settings.models.string());
  TBCI_ASSIGN(const std::string models, hash_of_files(settings.models));
  return hash + " " + models;
}

// The size and time of the library identify a LibTorch that was reinstalled under the same prefix. With the worker of
// an older compiler on one side, a night would show what the compilers differ by.
Result<std::string> torch_key(const fs::path& prefix) {
  const auto torch = read_torch_version(prefix);
  if (!torch) return fail(ErrorKind::failed, "{}", torch.error().message);
  const fs::path library = prefix / "lib/libtorch_cpu.so";
  std::error_code error;
  const auto size = fs::file_size(library, error);
  const auto time = fs::last_write_time(library, error).time_since_epoch().count();
  if (error)
    return fail(ErrorKind::failed, "cannot read {}: {}; reinstall LibTorch", library.string(), error.message());
  return fmt::format("{}\n{}\n{}\n{} {}", torch->version, torch->git_version, prefix.string(), size, time);
}

// Of what a worker is made of, but for LibTorch.
Result<std::string> ingredients(ProcessRunner& processes, const WorkerBuildSettings& settings, std::stop_token stop) {
  TBCI_ASSIGN(const std::string sources, hash_of_sources(settings));
  TBCI_ASSIGN(const std::string compiler, compiler_version(processes, std::move(stop)));
  return fmt::format("{}\n{}\n{}", sources, join(settings.families, ";"),
                     settings.optimized ? compiler : compiler + " -O0") +
         build_variables(own_variables());
}

// Compilers of a killed build end soon. A user's shell in the folder must not block the build forever.
Status wait_for_orphans(const fs::path& folder, const Clock& clock, std::stop_token stop) {
  for (int round = 0; round < 300 && is_busy_directory(folder); ++round) {
    if (!clock.sleep_for(std::chrono::milliseconds(200), stop))
      return fail(ErrorKind::interrupted, "waiting for an earlier build of the worker: stopped");
  }
  return {};
}

// How often a build of this worker was killed: at its time limit, or by SIGKILL. It counts for a day, as a build goes
// on where it stopped and may end then.
class KilledBuilds {
 public:
  explicit KilledBuilds(const fs::path& folder) : mark_(folder / ".killed") {
    std::error_code error;
    const auto marked = fs::last_write_time(mark_, error);
    if (!error && fs::file_time_type::clock::now() - marked > std::chrono::hours(24)) fs::remove(mark_, error);
  }
  bool twice() const { return read_file(mark_).value_or("") == "twice\n"; }
  // Once the machine may be at fault; twice it is what is built.
  Error add(Error error) const {
    std::error_code ignored;
    const bool again = fs::exists(mark_, ignored);
    if (const Status kept = write_file_atomically(mark_, again ? "twice\n" : "once\n"); !kept) return kept.error();
    if (!again) return error;
    return {.kind = ErrorKind::failed, .message = error.message + " (for the second time)"};
  }

 private:
  fs::path mark_;
};

// What is wrong with a build's own LibTorch is the build's fault; with the one that all builds share, the machine's.
bool is_shared(const WorkerBuildSettings& settings, const fs::path& prefix) {
  return !settings.shared_libtorch.empty() && fs::absolute(settings.shared_libtorch) == prefix;
}
Error blamed(Error error, bool shared) {
  if (shared && error.kind == ErrorKind::failed) error.kind = ErrorKind::machine;
  return error;
}

// Builds it in the folder. Continues an interrupted build: the build tool knows what is done.
Status build_worker(ProcessRunner& processes, const WorkerBuildSettings& settings, const model::Product& product,
                    const fs::path& folder, const LineSink& progress, std::stop_token stop) {
  const fs::path prefix = fs::absolute(product.libtorch);
  const int jobs =
      settings.jobs > 0 ? settings.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<std::string> configure = {"cmake",
                                        "-S",
                                        "{source}",
                                        "-B",
                                        "{prefix}",
                                        "-G",
                                        "Ninja",
                                        "-DCMAKE_PREFIX_PATH={torch}",
                                        "-DTBCI_SUITE_FAMILIES={families}",
                                        "-DCMAKE_BUILD_TYPE={type}"};
  if (!settings.models.empty()) configure.emplace_back("-DTBCI_SUITE_MODELS={models}");
  const Recipe recipe{
      .commands = {configure, {"cmake", "--build", "{prefix}", "--target", "tbci-worker", "--parallel", "{jobs}"}},
      .environment = {},
      .time_limit = settings.time_limit};
  const Placeholders placeholders = {{"source", fs::absolute(settings.source).string()},
                                     {"prefix", folder.string()},
                                     {"torch", prefix.string()},
                                     {"models", settings.models.empty() ? "" : fs::absolute(settings.models).string()},
                                     {"families", join(settings.families, ";")},
                                     {"type", settings.optimized ? "Release" : "Quick"},
                                     {"jobs", std::to_string(jobs)}};
  const fs::path log = folder.string() + ".log";
  send_line(progress, "building the worker against " + prefix.string());
  const RecipePlace place{.directory = folder, .log = log, .confinement = settings.confinement, .writable = {folder}};
  const auto outcome = run_recipe(processes, recipe, placeholders, place, progress, std::move(stop));
  if (!outcome && outcome.error().kind == ErrorKind::killed && !is_shared(settings, prefix))
    return pass_on(KilledBuilds(folder).add(outcome.error()));
  if (!outcome) return pass_on(outcome.error());
  if (outcome->succeeded) return {};
  return fail(ErrorKind::failed, "the worker does not build against {} {}: {}; see {}", prefix.string(),
              product.version, outcome->telling_line, log.string());
}

// The worker of another LibTorch with the same headers, or else one that is built. `place.kind` is without the headers.
Status put_worker(ProcessRunner& processes, const WorkerBuildSettings& settings, const model::Product& product,
                  WorkerFolder place, const LineSink& progress, std::stop_token stop) {
  const auto headers = header_key(place.prefix);
  if (headers) {
    place.kind = sha256_hex(place.kind + "\n" + *headers);
    TBCI_ASSIGN(const bool reused, reuse_worker(processes, place, stop));
    if (reused) send_line(progress, "the headers of " + product.version + " are known: it gets their worker");
    if (reused) return remember_kind(place);
  }
  TBCI_TRY(build_worker(processes, settings, product, place.folder, progress, std::move(stop)));
  return headers ? remember_kind(place) : Status{};
}

}  // namespace

Result<fs::path> ensure_worker(ProcessRunner& processes, const Clock& clock, const WorkerBuildSettings& settings,
                               const model::Product& product, const LineSink& progress, std::stop_token stop) {
  const fs::path prefix = fs::absolute(product.libtorch);
  const bool shared = is_shared(settings, prefix);
  const auto torch = torch_key(prefix);
  if (!torch) return pass_on(blamed(torch.error(), shared));
  TBCI_ASSIGN(const std::string made_of, ingredients(processes, settings, stop));
  const fs::path folder = fs::absolute(settings.cache) / sha256_hex(made_of + "\n" + *torch).substr(0, 24);
  const fs::path marker = folder / ".complete", worker = folder / "tbci-worker";
  std::error_code ignored;
  if (fs::exists(marker, ignored) && fs::exists(worker, ignored)) {
    fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);  // used now: the longest unused go first
    return worker;
  }
  TBCI_ASSIGN(const FileLock lock,
              wait_for_lock(folder.string() + ".lock", "another build of the worker", clock, stop));
  if (fs::exists(marker, ignored) && fs::exists(worker, ignored)) return worker;
  if (KilledBuilds(folder).twice()) {
    return fail(
        ErrorKind::failed,
        "the worker does not build against {} {}: its build was killed twice (see {}.log); tbci tries again after "
        "a day, or when {} is removed",
        prefix.string(), product.version, folder.string(), (folder / ".killed").string());
  }
  if (const Status fits = check_libtorch(processes, prefix, stop); !fits) return pass_on(blamed(fits.error(), shared));
  TBCI_TRY(make_directories(folder));
  TBCI_TRY(wait_for_orphans(folder, clock, stop));
  TBCI_TRY(put_worker(processes, settings, product, {.folder = folder, .prefix = prefix, .kind = made_of}, progress,
                      std::move(stop)));
  if (!fs::exists(worker, ignored))
    return fail(ErrorKind::failed,
                "the sources in {} do not build a tbci-worker: set worker_source to the folder of the suite",
                settings.source.string());
  TBCI_TRY(write_file_atomically(marker, "complete\n"));
  return worker;
}

}  // namespace tbci::runner
