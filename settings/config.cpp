#include "settings/config.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "base/process.hpp"
#include "base/text.hpp"
#include "runner/gpu_choice.hpp"
#include "runner/source/mirror_refs.hpp"
#include "settings/build_sources.hpp"
#include "settings/command_suites.hpp"
#include "settings/laid_over.hpp"
#include "settings/read_channels.hpp"
#include "settings/read_report.hpp"
#include "settings/read_runner.hpp"
#include "settings/thresholds.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

namespace {

constexpr std::uint64_t mebibyte_bytes = std::uint64_t{1024} * 1024;

// The folder of the workers' sources: installed with the program, or else in the checkout that it was built from.
std::filesystem::path data_folder() {
  const std::filesystem::path data(TBCI_DATA_DIR);
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const bool installed = program.parent_path() == data.parent_path().parent_path() / "bin";
  return installed ? data : std::filesystem::path(TBCI_SOURCE_DIR);
}

// The last of the CPUs that this process may use. The first CPU is left to the machine's own work.
std::vector<int> last_cpus(int count) {
  std::vector<int> cpus = allowed_cpus();
  if (static_cast<int>(cpus.size()) > count) cpus.erase(cpus.begin(), cpus.end() - count);
  return cpus;
}

void read_service(TomlReader reader, ServiceConfig& service) {
  service.state = reader.text("state", service.state.string());
  service.address = reader.text("address", service.address);
  service.port = static_cast<unsigned short>(reader.integer("port", service.port, 0, 65535));
  service.page_for_others = reader.flag("page_for_others", service.page_for_others);
  if (reader.has("page_names")) service.page_names = reader.texts("page_names");
  service.tries = static_cast<int>(reader.integer("tries", service.tries, 1, 1000));
  service.nightly_wait = reader.seconds("nightly_wait", service.nightly_wait);
}

std::uint64_t read_gibibytes(TomlReader& reader, const char* key, std::uint64_t otherwise) {
  return static_cast<std::uint64_t>(reader.integer(key, static_cast<std::int64_t>(otherwise >> 30), 1, 1 << 20)) << 30;
}

void read_disk(TomlReader reader, DiskConfig& disk) {
  disk.environments_bytes = read_gibibytes(reader, "environments_gib", disk.environments_bytes);
  disk.workers_bytes = read_gibibytes(reader, "workers_gib", disk.workers_bytes);
  disk.logs_bytes = read_gibibytes(reader, "logs_gib", disk.logs_bytes);
  disk.downloads_bytes = read_gibibytes(reader, "downloads_gib", disk.downloads_bytes);
  disk.mirror_bytes = read_gibibytes(reader, "mirror_gib", disk.mirror_bytes);
  disk.repack_after = static_cast<int>(reader.integer("repack_after", disk.repack_after, 0, 1'000'000));
  disk.kept_nights = static_cast<int>(reader.integer("kept_nights", disk.kept_nights, 1, 10'000));
}

void read_sampling(TomlReader& reader, detect::Sampling& sampling) {
  sampling.least = static_cast<int>(reader.integer("processes", sampling.least, 1, 1000));
  sampling.most =
      static_cast<int>(reader.integer("processes_at_most", std::max(sampling.most, sampling.least), 1, 1000));
  sampling.half_width = reader.number("interval", sampling.half_width, 0.0001, 10);
  if (sampling.most < sampling.least)
    reader.refuse("processes_at_most", fmt::format("must not be below `processes`, which is {}", sampling.least));
}

}  // namespace

std::string_view to_string(Alternate alternate) {
  if (alternate == Alternate::none) return "none";
  return alternate == Alternate::judged ? "judged" : "all";
}

namespace {

void read_alternate(TomlReader& reader, Alternate& alternate) {
  const std::string wanted = reader.text("alternate", std::string(to_string(alternate)));
  for (const Alternate each : {Alternate::none, Alternate::judged, Alternate::all}) {
    if (wanted == to_string(each)) {
      alternate = each;
      return;
    }
  }
  reader.refuse("alternate", R"(must be "none", "judged" or "all")");
}

// `gpu = 1`, `gpu = "GPU-..."`
void read_gpu(TomlReader& reader, std::string& gpu) {
  gpu = reader.text_or_integer("gpu");
  const std::string why = runner::why_not_a_gpu(gpu);
  if (reader.has("gpu") && !why.empty()) reader.refuse("gpu", why);
}

void read_measure(TomlReader reader, MeasureConfig& measure) {
  read_sampling(reader, measure.sampling);
  runner::MeasureSettings& worker = measure.worker;
  const auto read_size = [&](const char* key, std::string& size) {
    size = reader.text(key, size);
    if (size != "ci" && size != "paper") reader.refuse(key, R"(must be "ci" or "paper")");
  };
  read_size("size", worker.size);
  read_size("gpu_size", worker.gpu_size);
  const auto precision = runner::precision_from(reader.text("precision", worker.precision));
  if (precision) worker.precision = *precision;
  if (!precision) reader.refuse("precision", precision.error().message);
  read_alternate(reader, measure.alternate);
  measure.batch_sizes = reader.text("batch_sizes", "");
  if (const auto batch = reader.integer("batch", 0, 1, 1 << 20); batch > 0) worker.batch = static_cast<int>(batch);
  worker.warmup = static_cast<int>(reader.integer("warmup", worker.warmup, 0, 100000));
  worker.gpu_warmup_time = reader.seconds("gpu_warmup_time", worker.gpu_warmup_time);
  worker.iterations = static_cast<int>(reader.integer("iterations", worker.iterations, 1, 100000));
  measure.leak_iterations = static_cast<int>(reader.integer("leak_iterations", measure.leak_iterations, 0, 100000));
  worker.leak_time = reader.seconds("leak_time", worker.leak_time);
  measure.anchor_cases = static_cast<int>(reader.integer("anchor_cases", measure.anchor_cases, 0, 100000));
  measure.confirm_limit = reader.seconds("confirm_limit", measure.confirm_limit);
  worker.threads = static_cast<int>(reader.integer("threads", worker.threads, 1, 4096));
  read_gpu(reader, worker.gpu);
  worker.time_limit = reader.seconds("time_limit", worker.time_limit);
  if (const auto limit = reader.integer("memory_limit_mib", 0, 0, 1 << 30); limit > 0) {
    worker.memory_limit_bytes = static_cast<std::uint64_t>(limit) * mebibyte_bytes;
  }
  measure.benchmarks = reader.texts("benchmarks");
  const auto configurations = reader.texts("configurations");
  if (!configurations.empty()) measure.configurations.clear();
  for (const std::string& text : configurations) {
    const auto configuration = model::eager_configuration_from(text);
    if (configuration) measure.configurations.push_back(*configuration);
    if (!configuration) reader.refuse("configurations", configuration.error().message);
  }
  const auto backends = reader.texts("backends");
  if (!backends.empty()) measure.backends.clear();
  for (const std::string& text : backends) {
    const auto backend = model::backend_from(text);
    if (!backend) reader.refuse("backends", backend.error().message);
    const bool fresh = backend && std::ranges::find(measure.backends, *backend) == measure.backends.end();
    if (fresh) measure.backends.push_back(*backend);
  }
}

void read_detect(TomlReader reader, DetectConfig& detect) {
  detect.improvements = reader.flag("improvements", detect.improvements);
}

void read_bisect(TomlReader reader, BisectConfig& bisect) {
  const std::string priors = reader.text("priors", "operators");
  if (priors == "none") bisect.priors = Priors::none;
  if (priors == "paths") bisect.priors = Priors::paths;
  if (priors != "none" && priors != "paths" && priors != "operators")
    reader.refuse("priors", R"(must be "operators", "paths" or "none")");
}

// Paths that are likelier than others to hold a culprit.
void read_likely(TomlReader& reader, std::vector<model::LikelyPath>& likely) {
  for (TomlReader& one : reader.tables("likely")) {
    model::LikelyPath path;
    path.prefix = one.required_text("path");
    path.factor = one.number("factor", 1, 0.01, 50);
    if (!one.has("factor")) one.refuse("factor", "is missing: write how many times as likely these paths are");
    likely.push_back(std::move(path));
  }
}

runner::WheelUnpacker read_installer(TomlReader& reader) {
  const std::string installer = reader.text("installer", "auto");
  if (installer == "pip") return runner::WheelUnpacker::pip;
  if (installer == "uv") return runner::WheelUnpacker::uv;
  if (installer != "auto") reader.refuse("installer", R"(must be "auto", "pip" or "uv")");
  return runner::WheelUnpacker::fastest;
}

void read_nightlies(TomlReader reader, runner::NightlySettings& nightly, std::string& branch) {
  const std::string kind = reader.text("kind", "git-days");
  if (kind != "git-days" && kind != "pip") reader.refuse("kind", R"(must be "git-days" or "pip")");
  nightly.kind = kind == "pip" ? runner::NightlyKind::pip : runner::NightlyKind::git_days;
  nightly.listed =
      static_cast<std::size_t>(reader.integer("listed", static_cast<std::int64_t>(nightly.listed), 2, 10000));
  branch = reader.text("branch", branch);
  if (nightly.kind == runner::NightlyKind::pip && reader.has("branch"))
    reader.refuse("branch", "has no effect with kind = \"pip\": leave it out");
  nightly.package = reader.text("package", nightly.package);
  nightly.index_url = reader.text("index", nightly.index_url);
  nightly.pip_arguments = reader.texts("pip_arguments");
  nightly.pre_releases = reader.flag("pre_release", nightly.pre_releases);
  nightly.label = reader.text("label", "");
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.'; };
  if (!std::all_of(nightly.label.begin(), nightly.label.end(), plain))
    reader.refuse("label", "is what a version has after its plus: \"cpu\" for 2.13.0+cpu");
  nightly.python = reader.text("python", nightly.python);
  nightly.allow_cuda = reader.flag("allow_cuda", nightly.allow_cuda);
  nightly.unpacker = read_installer(reader);
}

void read_source(TomlReader reader, SubjectConfig& config) {
  runner::SourceSettings& source = config.source;
  source.repository = reader.text("repository", "");
  source.branch = reader.text("branch", source.branch);
  source.refs = read_refs(reader);
  config.web = reader.text("web", "");
  config.torch_base = reader.text("torch", "");
  source.compiled = reader.texts("compiled");
  read_likely(reader, source.likely);
  source.recipe = reader.text_lists("recipe");
  source.product.preload = reader.texts("preload");
  source.product.libtorch = reader.text("libtorch", "");
  source.product.folder = reader.text("folder", "");
  read_laid_over(reader, source);
  read_requirements(reader.table("requirements"), source.requirements);
  if (reader.has("ready")) read_ready(reader.table("ready"), source.ready);
  source.blobless = reader.flag("blobless", false);
  source.submodules = reader.flag("submodules", false);
  source.keep_build_tree = reader.flag("keep_build_tree", false);
  source.time_limit = std::chrono::duration_cast<std::chrono::seconds>(reader.seconds("time_limit", source.time_limit));
  for (auto& [name, value] : reader.text_map("environment")) source.environment[name] = value;
  source.cache_budget_bytes = read_gibibytes(reader, "cache_gib", source.cache_budget_bytes);
  source.needed_free_bytes = read_gibibytes(reader, "needed_free_gib", source.needed_free_bytes);
  config.jobs = static_cast<int>(reader.integer("jobs", 0, 0, 4096));
  if (!source.repository.empty() && source.recipe.empty())
    reader.refuse("recipe", "is missing: write the commands that build a commit");
  const int kinds = (source.product.preload.empty() ? 0 : 1) + (source.product.libtorch.empty() ? 0 : 1) +
                    (source.product.folder.empty() ? 0 : 1);
  if (!source.repository.empty() && kinds != 1) {
    reader.refuse("preload",
                  "set one of `preload` (libraries that are loaded on top of `torch`), `libtorch` (a prefix) and "
                  "`folder` (anything else, for [[subject.suites]])");
  }
}

void read_torchbench(TomlReader reader, runner::TorchBenchSettings& torchbench) {
  torchbench.checkout = reader.text("checkout", "");
  torchbench.python = reader.text("python", "");
  torchbench.models = reader.texts("models");
  torchbench.worker = data_folder() / "runner/torchbench/worker.py";
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  for (const std::string& name : torchbench.models) {
    if (name.empty() || name.front() == '-' || !std::all_of(name.begin(), name.end(), plain))
      reader.refuse("models", fmt::format("'{}' cannot be a folder in torchbenchmark/models", one_line(name, 40)));
  }
  if (torchbench.checkout.empty() && (!torchbench.python.empty() || !torchbench.models.empty()))
    reader.refuse("checkout", "is missing: write the folder with a checkout of pytorch/benchmark");
}

void read_aoti(TomlReader reader, runner::AotiSettings& aoti) {
  aoti.python = reader.text("python", "");
  aoti.time_limit = reader.seconds("time_limit", aoti.time_limit);
  aoti.program = data_folder() / "runner/aoti/make_package.py";
}

void read_exported(TomlReader reader, runner::Subject& subject) {
  const std::string folder = reader.required_text("folder");
  if (!folder.empty()) subject.exported_models = std::filesystem::absolute(folder);
}

SubjectConfig read_subject(TomlReader reader) {
  SubjectConfig config;
  config.name = reader.required_text("name");
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  if (!std::all_of(config.name.begin(), config.name.end(), plain)) {
    reader.refuse("name", "may only have letters, digits, '-' and '_'");
  }
  config.worker_source = reader.text("worker_source", own_worker_source().string());
  config.worker_families = reader.texts("worker_families");
  for (const std::string& family : config.worker_families) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (family.empty() || !std::all_of(family.begin(), family.end(), fits))
      reader.refuse("worker_families", fmt::format("'{}' cannot be a file in suite/models/", one_line(family, 40)));
  }
  const std::string models = reader.text("worker_models", "");
  if (!models.empty()) config.worker_models = std::filesystem::absolute(models);
  config.worker_optimized = reader.flag("worker_optimized", true);
  for (const std::string& folder : reader.texts("writable")) {
    if (!folder.starts_with('/')) reader.refuse("writable", fmt::format("'{}' is not absolute", one_line(folder, 80)));
    config.writable.emplace_back(folder);
  }
  if (reader.has("exported")) read_exported(reader.table("exported"), config);
  config.schedule = read_time_of_day(reader, "schedule");
  config.poll = reader.seconds("poll", {});
  if (config.schedule && reader.has("poll"))
    reader.refuse("poll", "has no effect beside `schedule`: leave out one of the two");
  read_source(reader.table("source"), config);
  read_torchbench(reader.table("torchbench"), config.torchbench);
  read_aoti(reader.table("aoti"), config.aoti);
  read_nightlies(reader.table("nightlies"), config.nightly, config.source.branch);
  if (!config.source.refs.empty() && !runner::has_branch(config.source.refs, config.source.branch))
    reader.refuse("source", fmt::format("`refs` lacks the branch of the commits: add \"refs/heads/{}\"",
                                        one_line(config.source.branch, 80)));
  config.python_worker = data_folder() / "runner/python/worker.py";
  read_command_suites(reader, config);
  return config;
}

Result<Config> read_sections(TomlReader reader) {
  Config config;
  read_service(reader.table("service"), config.service);
  read_disk(reader.table("disk"), config.disk);
  TomlReader machine = reader.table("runner");
  read_runner(machine, config.runner);
  config.measure.worker.cpus = machine.integers("cpus");
  const bool pin = machine.flag("pin", true);
  if (!pin && !config.measure.worker.cpus.empty())
    machine.refuse("pin", "is false, and cpus names CPUs: leave out one of them");
  read_measure(reader.table("measure"), config.measure);
  if (pin && config.measure.worker.cpus.empty()) config.measure.worker.cpus = last_cpus(config.measure.worker.threads);
  config.thresholds = read_thresholds(reader.table("thresholds"));
  read_detect(reader.table("detect"), config.detect);
  read_bisect(reader.table("bisect"), config.bisect);
  read_report(reader.table("report"), config.report);
  for (TomlReader& subject : reader.tables("subject")) config.subjects.push_back(read_subject(std::move(subject)));
  for (std::size_t i = 0; i < config.subjects.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (config.subjects[i].name == config.subjects[j].name) {
        reader.refuse("subject", fmt::format("two subjects are named '{}': rename one", config.subjects[i].name));
      }
    }
  }
  for (SubjectConfig& subject : config.subjects) subject.source.repack_after = config.disk.repack_after;
  TBCI_TRY(reader.finish());
  return config;
}

}  // namespace

Result<const SubjectConfig*> Config::subject(const std::string& name) const {
  if (subjects.empty()) return fail(ErrorKind::usage, "the configuration file names no subject: add a [[subject]]");
  if (name.empty() && subjects.size() == 1) return &subjects.front();
  std::vector<std::string> names;
  for (const SubjectConfig& candidate : subjects) {
    if (candidate.name == name) return &candidate;
    names.push_back(candidate.name);
  }
  if (name.empty())
    return fail(ErrorKind::usage, "more than one subject is configured: choose one with --subject ({})",
                join(names, ", "));
  return fail(ErrorKind::usage, "no subject '{}'{}: the configuration file has {}", one_line(name, 60),
              did_you_mean(name, names), join(names, ", "));
}

std::filesystem::path own_worker_source() {
  return data_folder() / "suite";
}

std::filesystem::path own_configs() {
  return data_folder() / "configs";
}

Result<Config> read_config(const std::string& path) {
  TBCI_ASSIGN(TomlReader reader, TomlReader::from_file(path));
  return read_sections(std::move(reader));
}

Result<Config> parse_config(const std::string& text, const std::string& name) {
  TBCI_ASSIGN(TomlReader reader, TomlReader::from_text(text, name));
  return read_sections(std::move(reader));
}

}  // namespace tbci::settings
