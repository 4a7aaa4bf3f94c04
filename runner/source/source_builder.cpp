#include "runner/source/source_builder.hpp"

#include <algorithm>
#include <thread>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/build_variables.hpp"
#include "runner/environment.hpp"
#include "runner/environment/facts.hpp"
#include "runner/libtorch.hpp"
#include "runner/preload.hpp"
#include "runner/source/build_environment.hpp"
#include "runner/source/build_origin.hpp"
#include "runner/source/built_files.hpp"
#include "runner/source/requirements.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

int jobs_of(const Subject& subject) {
  return subject.jobs > 0 ? subject.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

WorktreeSettings worktree_settings(const Subject& subject, const fs::path& state) {
  return {.repository = subject.source.repository,
          .folder = state / "checkouts",
          .submodules = subject.source.submodules,
          .keep_untracked = subject.source.keep_build_tree,
          .repack_after = subject.source.repack_after,
          .refs = subject.source.refs,
          .blobless = subject.source.blobless};
}

void add_fact(std::string& text, std::string_view name, std::string_view value) {
  text += fmt::format("\n{}={}:{}", name, value.size(), value);
}

int kinds_of(const BuiltProduct& product) {
  return (product.preload.empty() ? 0 : 1) + (product.libtorch.empty() ? 0 : 1) + (product.folder.empty() ? 0 : 1);
}

}  // namespace

SourceBuilder::SourceBuilder(Subject subject, const fs::path& state, ProcessRunner& processes, const Clock& clock,
                             LineSink progress, Confinement confinement, HttpClient* http)
    : subject_(std::move(subject)),
      state_(fs::absolute(state)),
      processes_(processes),
      clock_(clock),
      progress_(progress),
      confinement_(std::move(confinement)),
      http_(http),
      worktree_(worktree_settings(subject_, state_), processes, clock, std::move(progress)),
      cache_(state_ / "products") {}

Result<std::string> SourceBuilder::recipe_text() const {
  const SourceSettings& source = subject_.source;
  std::string text;
  for (const auto& command : source.recipe) {
    add_fact(text, "command", std::to_string(command.size()));
    for (const std::string& argument : command) add_fact(text, "argument", argument);
  }
  for (const auto& [name, value] : source.environment) add_fact(text, "variable", name + "=" + value);
  if (const std::string inherited = build_variables(own_variables()); !inherited.empty())
    add_fact(text, "inherited", inherited);
  for (const std::string& library : source.product.preload) add_fact(text, "preload", library);
  add_fact(text, "libtorch", source.product.libtorch);
  if (!source.product.folder.empty()) add_fact(text, "folder", source.product.folder);
  if (!subject_.torch_base.empty()) {
    TBCI_ASSIGN(const TorchVersion base, read_torch_version(subject_.torch_base));
    add_fact(text, "torch", base.version + " " + base.git_version);
  }
  return text;
}

Status SourceBuilder::add_compilers(std::string& text, std::stop_token stop) const {
  TBCI_ASSIGN(const std::string compiler, compiler_version(processes_, stop));
  add_fact(text, "compiler", compiler);
  TBCI_ASSIGN(const std::string cuda, cuda_compiler_version(processes_, std::move(stop)));
  if (!cuda.empty()) add_fact(text, "CUDA compiler", cuda);
  return {};
}

Result<std::string> SourceBuilder::way_of_building(const Placeholders& placeholders, std::stop_token stop) {
  TBCI_ASSIGN(std::string text, recipe_text());
  // The folder of its environment says which requirements that Python has.
  if (const auto python = placeholders.find("python"); python != placeholders.end())
    add_fact(text, "python", python->second);
  TBCI_TRY(add_compilers(text, std::move(stop)));
  return sha256_hex(text);
}

Result<std::string> SourceBuilder::compiled_key(const std::string& commit, std::stop_token stop) {
  const SourceSettings& source = subject_.source;
  TBCI_ASSIGN(const GitCommit wanted, worktree_.commit(commit, stop));
  TBCI_ASSIGN(const GitRepository repository, worktree_.mirror(stop));
  TBCI_ASSIGN(std::string text, repository.compiled_inputs(wanted.id, source.compiled));
  TBCI_ASSIGN(const std::string recipe, recipe_text());
  text += recipe;
  if (source.requirements.wanted()) {
    TBCI_TRY(worktree_.bring_files(wanted.id, stop));
    TBCI_ASSIGN(const auto lines, requirements_of(repository, wanted.id, source.requirements));
    for (const std::string& line : lines) add_fact(text, "requirement", line);
    add_fact(text, "python", source.requirements.python);
  }
  TBCI_TRY(add_compilers(text, std::move(stop)));
  return sha256_hex(text);
}

Result<model::Product> SourceBuilder::product_in(const fs::path& entry, const std::string& commit) const {
  model::Product product;
  product.commit = commit;
  product.libtorch = subject_.source.product.libtorch.empty() ? subject_.torch_base : entry / "libtorch";
  if (!product.libtorch.empty()) {
    TBCI_ASSIGN(const TorchVersion torch, read_torch_version(product.libtorch));
    product.version = torch.version;
  }
  if (!subject_.source.product.folder.empty()) product.folder = entry / "folder";
  for (const std::string& library : subject_.source.product.preload) {
    TBCI_ASSIGN(fs::path path, path_inside(entry / "preload", library));
    product.preload.push_back(std::move(path));
  }
  return product;
}

Result<bool> SourceBuilder::is_current(const model::Product& product, std::stop_token stop) {
  TBCI_ASSIGN(const auto current, find(product.commit, std::move(stop)));
  return current && current->libtorch == product.libtorch && current->folder == product.folder &&
         current->preload == product.preload;
}

Result<std::string> SourceBuilder::recipe_digest() const {
  TBCI_ASSIGN(const std::string text, recipe_text());
  return sha256_hex(text).substr(0, 16);
}

Result<std::optional<model::Product>> SourceBuilder::find(const std::string& commit, std::stop_token stop) {
  TBCI_ASSIGN(const GitCommit wanted, worktree_.commit(commit, stop));
  const auto key = input_key(wanted.id, stop);
  if (!key && key.error().kind == ErrorKind::failed) return std::optional<model::Product>();
  if (!key) return pass_on(key.error());
  const auto entry = cache_.find(*key);
  if (!entry) return std::optional<model::Product>();
  TBCI_ASSIGN(model::Product product, product_in(*entry, wanted.id));
  return std::optional(std::move(product));
}

Result<BuildOutcome> SourceBuilder::build(const std::string& commit, std::stop_token stop) {
  TBCI_ASSIGN(const GitCommit wanted, worktree_.commit(commit, stop));
  const auto key = input_key(wanted.id, stop);
  // A tree too large to read is the commit's fault.
  if (!key && key.error().kind == ErrorKind::failed)
    return BuildOutcome(CompileFailure{.telling_line = key.error().message, .log = {}});
  if (!key) return pass_on(key.error());
  if (const auto entry = cache_.find(*key)) {
    TBCI_ASSIGN(model::Product product, product_in(*entry, wanted.id));
    return BuildOutcome(std::move(product));
  }
  TBCI_ASSIGN(auto laid_over, lay_over_a_build(wanted.id, *key, stop));
  if (laid_over) return BuildOutcome(*std::move(laid_over));
  TBCI_TRY(ready_to_build());
  TBCI_ASSIGN(ReadyOutcome ready, take_ready(wanted.id, *key, stop));
  if (auto* product = std::get_if<model::Product>(&ready)) return BuildOutcome(std::move(*product));
  return build_now(wanted.id, *key, std::get<NoReadyBuild>(ready).why, stop);
}

Result<ReadyOutcome> SourceBuilder::take_ready(const std::string& commit, const std::string& key,
                                               const std::stop_token& stop) {
  if (http_ == nullptr || !subject_.source.ready.wanted()) return ReadyOutcome(NoReadyBuild{});
  const ReadyBuilds builds(subject_.source, state_ / "ready",
                           {.http = *http_, .clock = clock_, .processes = processes_, .progress = progress_});
  return builds.take(
      commit,
      [&](const ReadyBuild& ready) -> Result<model::Product> {
        TBCI_TRY(write_file_atomically(log_of(commit), ready.origin + "\n"));
        return keep({.source = ready.folder, .prefix = ready.folder, .origin = ready.origin}, commit, key);
      },
      stop);
}

fs::path SourceBuilder::log_of(const std::string& commit) const {
  return state_ / "logs" / (commit + ".log");
}

Status SourceBuilder::ready_to_build() const {
  const BuiltProduct& product = subject_.source.product;
  if (kinds_of(product) != 1) {
    return fail(ErrorKind::usage, "subject {}: set one of preload, libtorch and folder in [subject.source]",
                subject_.name);
  }
  if (!is_preloadable(state_) && std::ranges::any_of(product.preload, replaces_libtorch)) {
    return fail(
        ErrorKind::machine,
        "the state folder {} has a space or a colon in its name, so the dynamic linker cannot preload libraries from "
        "it: choose another state folder",
        state_.string());
  }
  TBCI_ASSIGN(const std::uint64_t free, free_bytes(state_));
  if (free < subject_.source.needed_free_bytes) {
    return fail(ErrorKind::machine, "{} has {} free, but a build needs {}: free space, or choose another state folder",
                state_.string(), human_bytes(static_cast<double>(free)),
                human_bytes(static_cast<double>(subject_.source.needed_free_bytes)));
  }
  return {};
}

Result<BuildOutcome> SourceBuilder::build_now(const std::string& commit, const std::string& key,
                                              const std::string& not_ready, std::stop_token stop) {
  Recipe recipe{.commands = subject_.source.recipe,
                .environment = subject_.source.environment,
                .time_limit = subject_.source.time_limit};
  Placeholders placeholders = {{"torch", subject_.torch_base.string()}, {"jobs", std::to_string(jobs_of(subject_))}};
  if (const Status prepared = prepare_python(commit, recipe, placeholders, stop); !prepared) {
    if (prepared.error().kind != ErrorKind::failed) return pass_on(prepared.error());
    return BuildOutcome(CompileFailure{.telling_line = prepared.error().message, .log = {}});
  }
  send_line(progress_, fmt::format("checking out {}", commit.substr(0, 12)));
  TBCI_ASSIGN(const std::string made_by, way_of_building(placeholders, stop));
  TBCI_ASSIGN(const Slot slot, worktree_.check_out(commit, stop, made_by));
  // Always the same path next to the checkout, so that ccache sees equal paths.
  const fs::path prefix = slot.source.string() + ".prefix";
  TBCI_TRY(remove_tree(prefix));
  TBCI_TRY(make_directories(prefix));
  placeholders["source"] = slot.source.string();
  placeholders["prefix"] = prefix.string();
  const fs::path log = log_of(commit);
  const RecipePlace place{.directory = slot.source,
                          .log = log,
                          .heading = not_ready.empty() ? built_here : fmt::format("{}: {}", built_here, not_ready),
                          .confinement = confinement_,
                          .writable = {slot.source, prefix}};
  TBCI_ASSIGN(const RecipeOutcome outcome, run_recipe(processes_, recipe, placeholders, place, progress_, stop));
  if (!outcome.succeeded) return BuildOutcome(CompileFailure{.telling_line = outcome.telling_line, .log = log});
  auto product = keep({.source = slot.source, .prefix = prefix, .origin = built_here}, commit, key);
  TBCI_TRY(remove_tree(prefix));
  // What the build made cannot be kept: a fact about the commit, as where it does not compile.
  if (!product && product.error().kind == ErrorKind::failed)
    return BuildOutcome(CompileFailure{.telling_line = product.error().message, .log = log});
  if (!product) return pass_on(std::move(product).error());
  return BuildOutcome(*std::move(product));
}

// What the commit requires of a package index, so that its build needs no network.
Status SourceBuilder::prepare_python(const std::string& commit, Recipe& recipe, Placeholders& placeholders,
                                     const std::stop_token& stop) {
  const RequirementSettings& settings = subject_.source.requirements;
  if (!settings.wanted()) return {};
  TBCI_ASSIGN(const GitRepository repository, worktree_.mirror(stop));
  TBCI_ASSIGN(const auto lines, requirements_of(repository, commit, settings));
  const BuildEnvironments environments(settings, state_ / "requirements", state_ / "pip-cache", processes_, clock_,
                                       progress_, confinement_);
  TBCI_ASSIGN(const BuildEnvironment environment, environments.with(lines, stop));
  placeholders["python"] = environment.venv.python().string();
  placeholders["wheels"] = environment.wheels.string();
  auto ours = own_variables();
  // A brace in our PATH must not be read as a placeholder. What the configuration sets takes precedence.
  for (const auto& [name, value] : variables_of(environment, ours["PATH"]))
    recipe.environment.try_emplace(name, without_placeholders(value));
  return {};
}

Result<model::Product> SourceBuilder::keep(const BuiltPlace& place, const std::string& commit, const std::string& key) {
  TBCI_ASSIGN(const fs::path filling, cache_.begin(key));
  const auto kept = [&]() -> Result<fs::path> {
    TBCI_TRY(gather(place, commit, filling));
    TBCI_TRY(keep_origin(filling, {.commit = commit, .made = place.origin}));
    return cache_.commit(key, filling);
  }();
  if (kept) return product_in(*kept, commit);
  TBCI_TRY(remove_tree(filling));
  return pass_on(Error(kept.error()));
}

Status SourceBuilder::gather(const BuiltPlace& place, const std::string& commit, const fs::path& filling) const {
  const BuiltProduct& built = subject_.source.product;
  const CopyLimits limits{.bytes = subject_.source.cache_budget_bytes};
  for (const std::string& library : built.preload) {
    TBCI_ASSIGN(const fs::path from, path_inside(place.source, library));
    TBCI_ASSIGN(const fs::path to, path_inside(filling / "preload", library));
    std::error_code ignored;
    if (!fs::is_regular_file(from, ignored)) {
      return fail(
          ErrorKind::usage,
          "subject {}: the build of {} succeeded but did not create {}: correct recipe or preload in [subject.source]",
          subject_.name, commit.substr(0, 12), library);
    }
    TBCI_ASSIGN(const fs::path file, real_place(from, place.source, place.prefix));
    TBCI_TRY(copy_built(file, to, limits));
  }
  if (!built.libtorch.empty()) {
    TBCI_ASSIGN(const fs::path named, built_place(built.libtorch, place.source, place.prefix));
    TBCI_ASSIGN(const fs::path from, real_place(named, place.source, place.prefix));
    for (const char* part : {"version.py", "build-version", "build-hash"}) {  // tbci reads these and shows them
      std::error_code ignored;
      if (fs::is_symlink(from / part, ignored))
        return fail(ErrorKind::failed, "the build of {} succeeded, but {} is a link in it", commit.substr(0, 12), part);
    }
    if (const auto version = read_torch_version(from); !version)
      return fail(ErrorKind::failed, "the build of {} succeeded, but {}", commit.substr(0, 12),
                  version.error().message);
    TBCI_TRY(copy_built(from, filling / "libtorch", limits));
  }
  if (!built.folder.empty()) {
    TBCI_ASSIGN(const fs::path named, built_place(built.folder, place.source, place.prefix));
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(named, ignored)) || fs::is_empty(named, ignored))
      return fail(ErrorKind::failed, "the build of {} succeeded but left nothing in {}, which `folder` names",
                  commit.substr(0, 12), built.folder);
    TBCI_ASSIGN(const fs::path from, real_place(named, place.source, place.prefix));
    TBCI_TRY(copy_built(from, filling / "folder", limits));
  }
  return {};
}

}  // namespace tbci::runner
