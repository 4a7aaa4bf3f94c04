#include "miniature/generate.hpp"

#include "miniature/plan.hpp"
#include "miniature/repository_writer.hpp"

namespace tbci::miniature {
namespace {

namespace fs = std::filesystem;

Status check_empty(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) {
    return fail(ErrorKind::usage, "{} is not a folder; name a folder that is empty or does not exist",
                directory.string());
  }
  const bool empty = fs::is_empty(directory, error);
  if (error) return fail(ErrorKind::machine, "{}: cannot be read: {}", directory.string(), error.message());
  if (!empty) return fail(ErrorKind::usage, "{} is not empty; name another folder or empty it", directory.string());
  return {};
}

std::string date(std::chrono::sys_seconds time) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

CommitTruth truth_of(const PlannedCommit& commit, const std::string& hash) {
  const std::string subject = commit.message.substr(0, commit.message.find('\n'));
  return {hash, date(commit.time), commit.position, commit.kind, commit.fault, commit.builds, subject};
}

Truth truth_of(const Plan& plan, const std::vector<std::string>& hashes) {
  Truth truth;
  truth.branch = kBranch;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    truth.commits.push_back(truth_of(plan.commits[i], hashes[i]));
    const bool last_of_day = i + 1 == hashes.size() || plan.commits[i + 1].day != plan.commits[i].day;
    if (last_of_day) truth.nightlies.push_back({truth.commits.back().day, hashes[i]});
  }
  for (const PlannedCulprit& culprit : plan.culprits) {
    const CommitTruth& commit = truth.commits[culprit.commit];
    CulpritTruth& added = truth.culprits.emplace_back();
    added.commit = commit.commit;
    added.fault = culprit.fault;
    added.day = commit.day;
    added.position = commit.position;
    added.strength = culprit.strength;
    added.benchmarks = culprit.benchmarks;
    for (const std::size_t index : culprit.indistinguishable) added.indistinguishable.push_back(hashes[index]);
  }
  return truth;
}

}  // namespace

Result<Truth> generate(const Options& options, const fs::path& directory) {
  TBCI_ASSIGN(const Plan plan, make_plan(options));
  TBCI_TRY(check_empty(directory));
  auto hashes = write_repository(plan, directory);
  if (!hashes) return fail(hashes.error(), fmt::format("generating a miniature in {}", directory.string()));
  Truth truth = truth_of(plan, *hashes);
  std::error_code ignored;
  truth.repository = fs::absolute(directory, ignored);
  return truth;
}

}  // namespace tbci::miniature
