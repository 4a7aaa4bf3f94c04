#include "suite/timeline/lines.hpp"

#include "suite/json.hpp"
#include "suite/timeline/edges.hpp"

namespace tbci::suite {
namespace {

constexpr std::size_t full_line = 32000;  // a reader accepts 65536 bytes

// Collects elements of one list, and hands over a line whenever one is full.
class ListLine {
 public:
  ListLine(const char* type, const std::function<void(const std::string&)>& write) : type_(type), write_(write) {}
  void add(const std::string& element) {
    if (!elements_.empty() && elements_.size() + element.size() > full_line) end();
    if (!elements_.empty()) elements_ += ',';
    elements_ += element;
  }
  void end() {
    if (elements_.empty()) return;
    write_("{\"type\":\"" + type_ + "\",\"" + type_ + "\":[" + elements_ + "]}");
    elements_.clear();
  }

 private:
  std::string type_;
  const std::function<void(const std::string&)>& write_;
  std::string elements_;
};

// `[1,2,3]`
class Numbers {
 public:
  template <class Number>
  Numbers& add(Number number) {
    if (!text_.empty()) text_ += ',';
    text_ += std::to_string(number);
    return *this;
  }
  std::string text() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

std::int64_t coded(const TensorUse& use) {
  return use.tensor < 0 ? -1 : use.tensor * 2 + (use.written ? 1 : 0);
}

std::string text_of(const TimelineCall& call) {
  constexpr std::size_t most_uses = 1000;  // keeps a line within its limit: a foreach may have thousands
  Numbers numbers;
  numbers.add(call.name).add(call.thread).add(call.begin).add(call.length).add(call.waited).add(call.faults);
  numbers.add(call.sequence).add(std::min(call.inputs.size(), most_uses));
  for (std::size_t i = 0; i < call.inputs.size() && i < most_uses; ++i) numbers.add(coded(call.inputs[i]));
  for (std::size_t i = 0; i < call.outputs.size() && i < most_uses; ++i) numbers.add(coded(call.outputs[i]));
  return numbers.text();
}

std::string text_of(const SeenTensor& tensor) {
  Numbers numbers;
  numbers.add(tensor.storage).add(tensor.type).add(tensor.on_gpu ? 1 : 0);
  for (const std::int64_t size : tensor.sizes) numbers.add(size);
  return numbers.text();
}

std::string text_of(const TimelineIteration& one) {
  return Numbers()
      .add(one.begin)
      .add(one.length)
      .add(one.unwatched)
      .add(one.watched)
      .add(one.waited)
      .add(one.faults)
      .text();
}

template <class Values, class Text>
void write_list(const char* type, const Values& values, Text text,
                const std::function<void(const std::string&)>& write) {
  ListLine line(type, write);
  for (const auto& value : values) line.add(text(value));
  line.end();
}

void write_lists(const Timeline& timeline, const std::function<void(const std::string&)>& write) {
  write_list(
      "names", timeline.names, [](const std::string& name) { return json_string(name.substr(0, 200)); }, write);
  write_list(
      "tensors", timeline.tensors, [](const SeenTensor& tensor) { return text_of(tensor); }, write);
  write_list(
      "iterations", timeline.iterations, [](const TimelineIteration& one) { return text_of(one); }, write);
  write_list(
      "calls", timeline.calls, [](const TimelineCall& call) { return text_of(call); }, write);
  write_list(
      "work", timeline.work,
      [](const TimelineWork& work) {
        return Numbers().add(work.movement ? 1 : 0).add(work.begin).add(work.length).add(work.call).text();
      },
      write);
  write_list(
      "inputs", timeline.inputs, [](std::int64_t storage) { return std::to_string(storage); }, write);
}

JsonObject sum_line(const char* type, const Timeline& timeline) {
  JsonObject sum;
  sum.add("type", type).add("calls", static_cast<std::int64_t>(timeline.calls.size()));
  sum.add("work", static_cast<std::int64_t>(timeline.work.size())).add("cut_off", timeline.cut_off ? 1 : 0);
  return sum;
}

}  // namespace

void write_timeline(const Timeline& timeline, const std::function<void(const std::string&)>& write) {
  write_lists(timeline, write);
  JsonObject last = sum_line("timeline", timeline);
  last.add("dispatch_nanoseconds", timeline.speed.dispatch_nanoseconds);
  last.add("fault_nanoseconds", timeline.speed.writing.fault_nanoseconds);
  last.add("write_nanoseconds", timeline.speed.writing.write_nanoseconds);
  last.add("computing_fault_nanoseconds", timeline.speed.computing.fault_nanoseconds);
  last.add("computing_write_nanoseconds", timeline.speed.computing.write_nanoseconds);
  last.add("bytes_per_second", timeline.speed.bytes_per_second);
  last.add("flops_per_second", timeline.speed.flops_per_second);
  write(last.text());
}

void write_graph(const Timeline& timeline, const std::function<void(const std::string&)>& write) {
  write_lists(timeline, write);
  write_list(
      "streams", timeline.work, [](const TimelineWork& work) { return std::to_string(work.stream); }, write);
  const CallEdges graph = edges_of(timeline);
  write_list(
      "nodes", graph.nodes, [](std::size_t call) { return std::to_string(call); }, write);
  write_list(
      "edges", graph.edges,
      [](const GraphEdge& edge) {
        return "[" + std::to_string(edge.from) + "," + std::to_string(edge.to) + ",\"" + to_string(edge.kind) + "\"]";
      },
      write);
  JsonObject last = sum_line("graph", timeline);
  last.add("nodes", static_cast<std::int64_t>(graph.nodes.size()));
  last.add("edges", static_cast<std::int64_t>(graph.edges.size()));
  write(last.text());
}

}  // namespace tbci::suite
