#include "bisect/prior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

constexpr double file_factor = most_prior_ratio;
constexpr double folder_factor = 8;

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

bool is_folder(std::string_view source) {
  return !source.empty() && source.back() == '/';
}

enum class Nearness { elsewhere, same_folder, same_file };

Nearness nearness(std::string_view path, std::string_view source) {
  if (is_folder(source)) return path.starts_with(source) ? Nearness::same_file : Nearness::elsewhere;
  if (path == source) return Nearness::same_file;
  const std::string_view folder = folder_of(source);
  return !folder.empty() && folder_of(path) == folder ? Nearness::same_folder : Nearness::elsewhere;
}

/// The path of a commit that is nearest to the sources of an operator.
struct Nearest {
  Nearness nearness = Nearness::elsewhere;
  std::string_view path;
};

Nearest nearest(const Touched& touched, const std::vector<std::string>& sources) {
  Nearest found;
  for (const std::string& path : touched.paths) {
    for (const std::string& source : sources) {
      const Nearness near = nearness(path, source);
      if (near > found.nearness) found = {near, path};
    }
  }
  return found;
}

/// The prior by the likeliest path; 1 if the paths are unknown.
CommitPrior by_path(const Touched& touched, std::span<const LikelyPath> likely) {
  if (touched.paths.empty()) return {1, "the paths that it touches are not known"};
  CommitPrior best{0, ""};
  for (const std::string& path : touched.paths) {
    CommitPrior one{1, "touches no likely path"};
    std::size_t longest = 0;
    for (const LikelyPath& rule : likely) {
      if (!path.starts_with(rule.prefix) || rule.prefix.size() < longest) continue;
      longest = rule.prefix.size();
      one = {rule.factor, "touches " + path};
    }
    if (one.weight > best.weight) best = std::move(one);
  }
  return best;
}

CommitPrior one_prior(const Touched& touched, const PriorInput& input, double total_slowdown) {
  CommitPrior prior = by_path(touched, input.likely);
  for (const SlowerOperator& slower : input.slower) {
    const auto sources = input.sources->find(slower.name);
    if (sources == input.sources->end() || slower.slowdown <= 0) continue;
    const Nearest near = nearest(touched, sources->second);
    if (near.nearness == Nearness::elsewhere) continue;
    const bool is_file = near.nearness == Nearness::same_file;
    const double share = slower.slowdown / total_slowdown;
    const double weight = 1 + share * ((is_file ? file_factor : folder_factor) - 1);
    if (weight <= prior.weight) continue;
    prior.weight = weight;
    prior.reason = fmt::format("touches {}, {} {}, which brings {:.0f}% of the slowdown", near.path,
                               is_file ? "a source of" : "in the folder of", slower.name, 100 * share);
  }
  return prior;
}

}  // namespace

std::vector<CommitPrior> prior_of(const PriorInput& input) {
  TBCI_ASSERT(input.sources != nullptr);
  double total_slowdown = 0;
  for (const SlowerOperator& slower : input.slower) total_slowdown += std::max(0.0, slower.slowdown);
  std::vector<CommitPrior> priors;
  for (const Touched& touched : input.commits) priors.push_back(one_prior(touched, input, total_slowdown));
  double most = 0;
  for (const CommitPrior& prior : priors) most = std::max(most, prior.weight);
  for (CommitPrior& prior : priors) prior.weight = std::max(prior.weight, most / most_prior_ratio);
  return priors;
}

}  // namespace tbci::bisect
