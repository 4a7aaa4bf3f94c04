// Answers that need not be sent again.
#pragma once

#include <cstddef>
#include <list>
#include <string>

#include "base/http.hpp"

namespace tbci::github {

/// The last answers with an ETag, by address: few, and few bytes altogether. Not thread-safe.
class KeptAnswers {
 public:
  explicit KeptAnswers(std::size_t most_answers = 64, std::size_t most_bytes = std::size_t{16} << 20)
      : most_answers_(most_answers), most_bytes_(most_bytes) {}

  /// Valid until the next call; null if there is none.
  const HttpResponse* find(const std::string& url);
  /// Keeps an answer with an ETag; of one that is too large, or has none, nothing. Forgets those not used for longest.
  void keep(const std::string& url, const HttpResponse& answer);

 private:
  struct Kept {
    std::string url;
    HttpResponse answer;
  };
  void forget(std::list<Kept>::iterator one);

  std::size_t most_answers_, most_bytes_;
  std::size_t bytes_ = 0;
  std::list<Kept> kept_;  // the one used last first
};

}  // namespace tbci::github
