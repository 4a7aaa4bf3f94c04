#include "detect/threshold_table.hpp"

#include "tests/catch.hpp"

namespace tbci::threshold_table_test {

using tbci::detect::changed;
using tbci::detect::ThresholdChange;
using tbci::detect::Thresholds;
using tbci::detect::ThresholdTable;
using tbci::model::Configuration;
using tbci::model::Metric;
using tbci::model::Series;
using tbci::test::Approx;

namespace {

const Series dlrm_time{"dlrm", Configuration::cpu_train, Metric::time};
const Series dlrm_memory{"dlrm", Configuration::cpu_infer, Metric::cpu_memory};
const Series bert_time{"BERT_pytorch", Configuration::cpu_train, Metric::time};

ThresholdChange relative(double value) {
  ThresholdChange change;
  change.relative = value;
  return change;
}

}  // namespace

TEST_CASE("Threshold table: without overrides every series has the base", "[detect]") {
  ThresholdTable table;
  table.base.relative = 0.09;
  CHECK(table.for_series(dlrm_time).relative == 0.09);
  CHECK(table.for_series(dlrm_memory).relative == 0.09);
}

TEST_CASE("Threshold table: a pattern means the series that are alike in all that it gives", "[detect]") {
  ThresholdTable table;
  table.overrides.push_back({{"dlrm", std::nullopt, Metric::time}, relative(0.2)});
  table.overrides.push_back({{std::nullopt, Configuration::cpu_infer, std::nullopt}, relative(0.3)});
  CHECK(table.for_series(dlrm_time).relative == 0.2);
  CHECK(table.for_series(dlrm_memory).relative == 0.3);
  CHECK(table.for_series(bert_time).relative == Thresholds{}.relative);
  // The whole name, not its beginning.
  CHECK(table.for_series({"dlrm2", Configuration::cpu_train, Metric::time}).relative == Thresholds{}.relative);
}

TEST_CASE("Threshold table: what is written later wins, and what it leaves out stays", "[detect]") {
  ThresholdTable table;
  ThresholdChange first = relative(0.2);
  first.most_pairs = 12;
  table.overrides.push_back({{"dlrm", std::nullopt, std::nullopt}, first});
  table.overrides.push_back({{std::nullopt, std::nullopt, Metric::time}, relative(0.1)});
  CHECK(table.for_series(dlrm_time).relative == 0.1);
  CHECK(table.for_series(dlrm_time).most_pairs == 12);
  CHECK(table.for_series(dlrm_memory).relative == 0.2);
}

TEST_CASE("Threshold table: the screen moves with the threshold unless it is given", "[detect]") {
  Thresholds before;
  before.relative = 0.07;
  before.screen = 0.035;
  CHECK(changed(before, relative(0.14)).screen == Approx(0.07));
  ThresholdChange both = relative(0.14);
  both.screen = 0.05;
  CHECK(changed(before, both).screen == 0.05);
}

TEST_CASE("Threshold table: pairs that are asked for hold for whichever metric is meant", "[detect]") {
  ThresholdChange change;
  change.first_pairs = 5;
  change.most_pairs = 30;
  const Thresholds thresholds = changed({}, change);
  CHECK(thresholds.first_pairs == 5);
  CHECK(thresholds.memory_first_pairs == 5);
  CHECK(thresholds.most_pairs == 30);
  CHECK(thresholds.memory_most_pairs == 30);
}

TEST_CASE("Threshold table: overrides that contradict each other leave no nonsense", "[detect]") {
  ThresholdTable table;
  ThresholdChange loose, few;
  loose.screen = 0.07;
  few.most_pairs = 5;
  table.overrides.push_back({{"dlrm", std::nullopt, std::nullopt}, loose});
  table.overrides.push_back({{std::nullopt, std::nullopt, std::nullopt}, few});
  ThresholdChange strict = relative(0.02);
  strict.screen = 0.05;
  table.overrides.push_back({{std::nullopt, std::nullopt, Metric::cpu_memory}, strict});
  const Thresholds memory = table.for_series(dlrm_memory);
  CHECK(memory.screen <= memory.relative);
  CHECK(table.for_series(dlrm_time).first_pairs <= table.for_series(dlrm_time).most_pairs);
  CHECK(memory.memory_first_pairs <= memory.memory_most_pairs);
}

}  // namespace tbci::threshold_table_test
