#include "detect/predict/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "detect/predict/call_graph.hpp"
#include "detect/predict/call_units.hpp"
#include "detect/predict/critical_path.hpp"
#include "detect/predict/looped_calls.hpp"
#include "detect/predict/matched_calls.hpp"
#include "detect/predict/quiet_time.hpp"
#include "detect/predict/unit_costs.hpp"
#include "detect/timeline/categories.hpp"

namespace tbci::detect {

namespace {

using model::OverheadKind;

std::size_t nearest_batch(const std::vector<BatchRecording>& recordings, int batch) {
  const auto distance = [&](const BatchRecording& one) {
    return std::abs(std::log(static_cast<double>(one.batch) / batch));
  };
  return static_cast<std::size_t>(std::ranges::min_element(recordings, {}, distance) - recordings.begin());
}

double beyond_batches(const std::vector<BatchRecording>& recordings, int batch) {
  return std::max({1.0, static_cast<double>(recordings.front().batch) / batch,
                   static_cast<double>(batch) / recordings.back().batch});
}

// What the iterating thread did, with the gaps.
double recorded_length(const RecordedIteration& recorded) {
  double sum = recorded.last_gap + recorded.waited;
  for (const RecordedCall& call : recorded.calls) {
    if (call.lane == 0) sum += call.own + call.waited + call.gap;
  }
  return sum;
}

// Of the batch on the other side: what its own calls take that the reference does not make.
double only_on_other_side(const std::vector<BatchRecording>& recordings, std::size_t reference, int batch) {
  const bool upwards = recordings[reference].batch < batch;
  if (recordings[reference].batch == batch || (upwards ? reference + 1 == recordings.size() : reference == 0)) return 0;
  const RecordedIteration& other = recordings[upwards ? reference + 1 : reference - 1].recorded;
  const MatchedCalls matched = match_calls(other, recordings[reference].recorded);
  double sum = 0;
  for (std::size_t top = 0; top < other.calls.size(); top = other.calls[top].end) {
    if (matched.partner[top] >= 0) continue;
    for (std::size_t i = top; i < other.calls[top].end; ++i) sum += other.calls[i].own + other.calls[i].waited;
  }
  return sum;
}

// One batch from calibrated recordings.
class BatchPredictor {
 public:
  BatchPredictor(const std::vector<BatchRecording>& recordings, int batch)
      : reference_(nearest_batch(recordings, batch)),
        recorded_(recordings[reference_].recorded),
        units_(units_of(recordings, reference_)),
        costs_(recordings, reference_, units_, batch),
        graph_(graph_of(recorded_)) {
    for (const RecordedCall& call : recorded_.calls) prediction_.lanes = std::max(prediction_.lanes, call.lane + 1);
    for (const CallUnit& unit : units_) {
      predicted_.push_back(costs_.predict(unit));
      // What the iterating thread waits for is on the other lanes, and the path knows.
      if (prediction_.lanes > 1 && !is_collective(recorded_.calls[unit.call].name)) predicted_.back().waiting = 0;
    }
    prediction_.may_add = only_on_other_side(recordings, reference_, batch);
  }

  Result<Prediction> predict(double rest) && {
    const std::vector<double> lengths = lengths_of_nodes();
    TBCI_ASSIGN(const CriticalPath path, critical_path(lengths, path_edges()));
    std::set<std::size_t> on_path;
    double in_calls = 0;
    for (const std::size_t node : path.nodes) {
      in_calls += lengths[node];
      if (node > 0 && node <= graph_.nodes.size()) on_path.insert(graph_.nodes[node - 1]);
    }
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (on_path.contains(units_[i].top)) {
        add(units_[i], predicted_[i]);
      } else {
        prediction_.beside += predicted_[i].sum();
      }
    }
    prediction_.overheads[OverheadKind::between_operators] += path.length - in_calls;
    prediction_.rest = rest;
    prediction_.time = path.length + rest;
    for (const auto& [name, nanoseconds] : unknown_) prediction_.unknown_operators.push_back({name, nanoseconds});
    std::ranges::stable_sort(prediction_.unknown_operators, std::greater{}, &UnknownCalls::nanoseconds);
    return std::move(prediction_);
  }

 private:
  // The iteration's begin is a node before those of the graph, its end one after them.
  std::vector<double> lengths_of_nodes() const {
    std::map<std::size_t, double> of_top;
    for (std::size_t i = 0; i < units_.size(); ++i) of_top[units_[i].top] += predicted_[i].sum();
    std::vector<double> lengths(graph_.nodes.size() + 2);
    // A collective for which nothing in the iteration waits goes on in the next one.
    std::vector<bool> is_waited_for(graph_.nodes.size());
    for (const CallEdge& edge : graph_.edges) is_waited_for[edge.from] = true;
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
      if (is_waited_for[node] || !is_collective_at(node)) lengths[node + 1] = of_top[graph_.nodes[node]];
    }
    return lengths;
  }

  bool is_collective_at(std::size_t node) const { return is_collective(recorded_.calls[graph_.nodes[node]].name); }

  std::vector<PathEdge> path_edges() const {
    std::vector<PathEdge> edges;
    std::map<std::size_t, std::size_t> last;  // of each lane
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
      const RecordedCall& call = recorded_.calls[graph_.nodes[node]];
      if (is_collective_at(node)) continue;
      const auto before = last.find(call.lane);
      edges.push_back({.from = before == last.end() ? 0 : before->second + 1,
                       .to = node + 1,
                       .delay = call.lane == 0 ? costs_.gap(call.name) : 0});
      last[call.lane] = node;
    }
    for (const CallEdge& edge : graph_.edges) {
      if (edge.kind != CallEdgeKind::lane) edges.push_back({.from = edge.from + 1, .to = edge.to + 1});
    }
    for (const auto& [lane, node] : last)
      edges.push_back({.from = node + 1, .to = graph_.nodes.size() + 1, .delay = lane == 0 ? costs_.gap("") : 0});
    return edges;
  }

  void add(const CallUnit& unit, const PredictedUnit& predicted) {
    const std::string& name = recorded_.calls[unit.call].name;
    if (predicted.unknown > 0) {
      unknown_[name] += predicted.unknown;
    } else if (unit.kernel) {
      FamilyTime& family = prediction_.kernels[family_of(name)];
      family.nanoseconds += predicted.kernel;
      family.calls += 1;
    }
    prediction_.overheads[OverheadKind::launch] += predicted.launch;
    for (std::size_t type = 0; type < overheads_in_calls.size(); ++type)
      prediction_.overheads[overheads_in_calls[type]] += predicted.overheads[type];
    prediction_.page_faults += predicted.page_faults;
    prediction_.waiting += predicted.waiting;
    prediction_.unknown += predicted.unknown;
    prediction_.sizes_follow_data = prediction_.sizes_follow_data || predicted.sizes_follow_data;
  }

  std::size_t reference_;
  const RecordedIteration& recorded_;
  std::vector<CallUnit> units_;
  UnitCosts costs_;
  CallGraph graph_;
  std::vector<PredictedUnit> predicted_;
  std::map<std::string, double> unknown_;  // nanoseconds by operator
  Prediction prediction_;
};

}  // namespace

double Prediction::active() const {
  double sum = 0;
  for (const auto& [family, spent] : kernels) sum += spent.nanoseconds;
  return sum;
}

Result<Prediction> predict_batch(std::vector<CalibratedBatch> batches, int batch) {
  TBCI_ASSERT(batch > 0);
  if (batches.size() < 2)
    return fail(ErrorKind::usage, "a prediction takes recordings of two batches at least, there are {}",
                batches.size());
  std::ranges::sort(batches, {}, &CalibratedBatch::batch);
  TBCI_ASSERT(std::ranges::adjacent_find(batches, {}, &CalibratedBatch::batch) == batches.end());
  std::vector<BatchRecording> recordings;
  std::vector<CostPoint> rests;
  std::vector<int> numbers;
  for (CalibratedBatch& one : batches) {
    const double time = quiet_time(std::move(one.times));
    recordings.push_back({one.batch, quiet_recording(std::move(one.recordings))});
    rests.push_back({static_cast<double>(one.batch), time - recorded_length(recordings.back().recorded)});
    numbers.push_back(one.batch);
  }
  const double rest = value_between(rests, batch);
  Prediction prediction;
  if (calls_follow_batch(recordings)) {
    prediction = predict_loop(recordings, batch);
    prediction.rest = rest;
    prediction.time += rest;
  } else {
    TBCI_ASSIGN(prediction, BatchPredictor(recordings, batch).predict(rest));
  }
  prediction.batch = batch;
  prediction.calibrated = std::move(numbers);
  prediction.beyond = beyond_batches(recordings, batch);
  if (!std::isfinite(prediction.time) || prediction.time <= 0)
    return fail(
        ErrorKind::failed,
        "batch {} is predicted to take no time: without the recorder the calibrated batches take less than with "
        "it, by more than this batch takes; calibrate with batches nearer to it",
        batch);
  if (prediction.unknown <= most_unknown * prediction.time) return prediction;
  return fail(ErrorKind::failed,
              "the operators change with the batch: most of the time is in calls that batch {} alone makes, such as {}",
              recordings[nearest_batch(recordings, batch)].batch,
              one_line(prediction.unknown_operators.front().name, 80));
}

}  // namespace tbci::detect
