#include "github/kept_answers.hpp"

#include <algorithm>

namespace tbci::github {

const HttpResponse* KeptAnswers::find(const std::string& url) {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.url == url; });
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return &kept_.front().answer;
}

void KeptAnswers::keep(const std::string& url, const HttpResponse& answer) {
  if (find(url) != nullptr) forget(kept_.begin());
  const auto tag = answer.headers.find("etag");
  if (tag == answer.headers.end() || tag->second.empty() || answer.body.size() > most_bytes_) return;
  kept_.push_front({url, answer});
  bytes_ += answer.body.size();
  while (kept_.size() > most_answers_ || bytes_ > most_bytes_) forget(std::prev(kept_.end()));
}

void KeptAnswers::forget(std::list<Kept>::iterator one) {
  bytes_ -= one->answer.body.size();
  kept_.erase(one);
}

}  // namespace tbci::github
