#include "runner/source/mirror_refs.hpp"

#include <algorithm>

namespace tbci::runner {

std::string trouble_of_ref(std::string_view ref) {
  if (!ref.starts_with("refs/heads/") && !ref.starts_with("refs/tags/"))
    return "is not a branch or a tag: write refs/heads/NAME or refs/tags/NAME";
  if (std::ranges::count(ref, '*') > 1) return "has more than one star";
  const bool odd = std::ranges::any_of(ref, [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f ||
           std::string_view("~^:?[\\").find(c) != std::string_view::npos;
  });
  if (odd || ref.ends_with('/') || ref.ends_with('.') || ref.find("..") != ref.npos || ref.find("//") != ref.npos ||
      ref.find("/.") != ref.npos || ref.find("@{") != ref.npos || ref.ends_with(".lock"))
    return "cannot be the name of a branch or tag";
  return {};
}

bool has_branch(std::span<const std::string> refs, std::string_view branch) {
  const std::string wanted = "refs/heads/" + std::string(branch);
  return std::ranges::any_of(refs, [&](std::string_view ref) {
    const std::size_t star = ref.find('*');
    if (star == ref.npos) return ref == wanted;
    return wanted.size() + 1 >= ref.size() && wanted.starts_with(ref.substr(0, star)) &&
           wanted.ends_with(ref.substr(star + 1));
  });
}

std::vector<std::string> refspecs_of(std::span<const std::string> refs) {
  if (refs.empty()) return {"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"};
  std::vector<std::string> all;
  for (const std::string& ref : refs) all.push_back("+" + ref + ":" + ref);
  return all;
}

}  // namespace tbci::runner
