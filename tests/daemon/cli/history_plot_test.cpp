#include "daemon/cli/history_plot.hpp"

#include "base/text.hpp"
#include "tests/catch.hpp"

namespace tbci::history_plot_test {

using daemon::plot_of;
namespace view = tbci::web::queries;

namespace {

view::HistoryView history(const std::vector<double>& values) {
  view::HistoryView history;
  history.series = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
  for (std::size_t i = 0; i < values.size(); ++i) {
    view::HistoryNight night;
    night.name = "n" + std::to_string(i);
    night.value = night.lowest = night.highest = values[i] * 1e6;
    night.processes = 1;
    history.nights.push_back(night);
  }
  history.levels = {{0, values.size() - 1, history.nights.front().value}};
  return history;
}

std::vector<std::string> lines(const std::string& text) {
  auto lines = split(text, '\n');
  CHECK(lines.back().empty());
  lines.pop_back();
  return lines;
}

}  // namespace

TEST_CASE("Plot: the highest value is on the top row, the lowest on the last, each at its night", "[history]") {
  auto two = history({10, 10, 12, 12});
  two.levels = {{0, 1, 10e6}, {2, 3, 12e6}};
  two.change_points = {{2, 10e6, 12e6, 0.2, 1e-5}};
  two.nights[2].regression.emplace();
  two.nights[1].environment_change = "the governor changed";
  CHECK(plot_of(two, {.columns = 42, .rows = 3}) ==
        "               12 ms |             o-----o\n"
        "               11 ms |\n"
        "               10 ms |o-----o\n"
        "                     +--------------------\n"
        "                      n0                n3\n"
        "       change points               ^\n"
        "         regressions               R\n"
        "     machine changed        M\n");
}

TEST_CASE("Plot: equal values lie in the middle, and no marks are drawn where there are none", "[history]") {
  const auto text = lines(plot_of(history({5, 5, 5}), {.columns = 42, .rows = 5}));
  REQUIRE(text.size() == 7);
  CHECK(text[2].find("5 ms |o---------o--------o") != std::string::npos);
  CHECK(text[0].find('o') == std::string::npos);
}

TEST_CASE("Plot: one night is drawn", "[history]") {
  const auto text = plot_of(history({5}), {.columns = 42, .rows = 5});
  CHECK(std::count(text.begin(), text.end(), 'o') == 1);
}

TEST_CASE("Plot: more nights than columns share them, and a spike among them is still there", "[history]") {
  std::vector<double> values(4000, 10);
  values[1234] = 20;
  const auto text = lines(plot_of(history(values), {.columns = 80, .rows = 12}));
  CHECK(std::count(text[0].begin(), text[0].end(), 'o') == 1);
  CHECK(text[11].find(std::string(58, 'o')) != std::string::npos);
  for (const std::string& line : text) CHECK(line.size() <= 80);
}

TEST_CASE("Plot: names of nights cannot break the drawing", "[history]") {
  auto hostile = history({1, 2});
  hostile.nights[0].name = std::string("a\x1b[31m\n") + std::string(500, 'x');
  for (const std::string& line : lines(plot_of(hostile))) {
    CHECK(line.find('\x1b') == std::string::npos);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("Tables of a history: what is marked, and every night", "[history]") {
  auto two = history({10, 12});
  CHECK(daemon::marks_table(two).empty());
  two.change_points = {{1, 10e6, 12e6, 0.2, 1e-5}};
  two.nights[1].regression.emplace();
  two.nights[1].regression->finding.change = 0.2;
  two.nights[1].regression->suspects = {"0123456789abcdef"};
  two.nights[1].environment_change = "the governor changed";
  const auto marks = lines(daemon::marks_table(two));
  REQUIRE(marks.size() == 4);
  CHECK(marks[1].find("n1     change point      10 ms  12 ms  +20.0%  p = 1e-05") == 0);
  CHECK(marks[2].find("confirmed: 0123456789ab") != std::string::npos);
  CHECK(marks[3].find("the governor changed") != std::string::npos);
  CHECK(lines(daemon::nights_table(two)).size() == 3);
}

}  // namespace tbci::history_plot_test
