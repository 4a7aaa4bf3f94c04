// basic_gnn_gcn, basic_gnn_gin, basic_gnn_sage, basic_gnn_edgecnn: the BasicGNN models of PyTorch Geometric: Kipf and
// Welling, Semi-Supervised Classification with Graph Convolutional Networks (2017); Xu et al., How Powerful are Graph
// Neural Networks? (2019); Hamilton et al., Inductive Representation Learning on Large Graphs (2017); Wang et al.,
// Dynamic Graph CNN for Learning on Point Clouds (2019). Each gathers the features of an edge's source, computes a
// message of it, and scatters the messages to the edge's target.
#include <functional>
#include <limits>

#include "suite/blocks/network_workload.hpp"

namespace tbci::suite::models::basic_gnn {
namespace {

namespace nn = torch::nn;

constexpr std::int64_t width = 64;
constexpr int layers = 3;

struct Edges {
  torch::Tensor from, to;
};

class Convolution : public nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& nodes, const torch::Tensor& edges) = 0;
};

Edges ends(const torch::Tensor& edges) {
  return {edges.select(0, 0), edges.select(0, 1)};
}

// One row for each node: what its edges brought, summed.
torch::Tensor sum_at(const torch::Tensor& targets, const torch::Tensor& messages, std::int64_t nodes) {
  const torch::Tensor index = messages.dim() == 1 ? targets.view({-1}) : targets.view({-1, 1});
  std::vector<std::int64_t> shape = messages.sizes().vec();
  shape[0] = nodes;
  return messages.new_zeros(shape).scatter_add_(0, index.expand_as(messages), messages);
}

// Graph convolution: the mean of the neighbours and the node itself, weighted by the square roots of both degrees.
class Gcn final : public Convolution {
 public:
  Gcn() {
    bias_ = register_parameter("bias", torch::zeros({width}));
    linear_ = register_module("lin", nn::Linear(nn::LinearOptions(width, width).bias(false)));
    nn::init::xavier_uniform_(linear_->weight);
  }

  torch::Tensor forward(const torch::Tensor& nodes, const torch::Tensor& edges) override {
    const torch::Tensor looped = with_loops(edges, nodes.size(0));
    const torch::Tensor weights = normalised(looped, nodes);
    const torch::Tensor x = linear_->forward(nodes);
    const Edges edge = ends(looped);
    const torch::Tensor messages = weights.view({-1, 1}) * x.index_select(0, edge.from);
    return sum_at(edge.to, messages, nodes.size(0)) + bias_;
  }

 private:
  // Each node gets one edge to itself, whether it had one or not.
  static torch::Tensor with_loops(const torch::Tensor& edges, std::int64_t nodes) {
    const torch::Tensor kept = edges.select(0, 0) != edges.select(0, 1);
    const torch::Tensor loops = torch::arange(0, nodes, edges.options()).view({1, -1}).repeat({2, 1});
    return torch::cat({edges.index({torch::indexing::Slice(), kept}), loops}, 1);
  }

  static torch::Tensor normalised(const torch::Tensor& edges, const torch::Tensor& nodes) {
    const torch::Tensor ones = torch::ones({edges.size(1)}, nodes.options());
    const Edges edge = ends(edges);
    torch::Tensor scale = sum_at(edge.to, ones, nodes.size(0)).pow_(-0.5);
    scale.masked_fill_(scale == std::numeric_limits<double>::infinity(), 0);
    return scale.index({edge.from}) * ones * scale.index({edge.to});
  }

  torch::Tensor bias_;
  nn::Linear linear_{nullptr};
};

// Two linear layers with a ReLU between them.
class Perceptron : public nn::Module {
 public:
  explicit Perceptron(std::int64_t in) {
    first_ = register_module("lin0", nn::Linear(in, width));
    second_ = register_module("lin1", nn::Linear(width, width));
  }

  torch::Tensor forward(const torch::Tensor& x) { return second_->forward(torch::relu(first_->forward(x))); }

 private:
  nn::Linear first_{nullptr}, second_{nullptr};
};

// Graph isomorphism: a perceptron on the sum of the neighbours and the node itself.
class Gin final : public Convolution {
 public:
  Gin() {
    epsilon_ = register_buffer("eps", torch::zeros({1}));
    perceptron_ = register_module("nn", std::make_shared<Perceptron>(width));
  }

  torch::Tensor forward(const torch::Tensor& nodes, const torch::Tensor& edges) override {
    const Edges edge = ends(edges);
    const torch::Tensor sum = sum_at(edge.to, nodes.index_select(0, edge.from), nodes.size(0));
    return perceptron_->forward(sum + (1 + epsilon_) * nodes);
  }

 private:
  torch::Tensor epsilon_;
  std::shared_ptr<Perceptron> perceptron_;
};

// GraphSAGE: the mean of the neighbours, and the node itself, each through its own linear layer.
class Sage final : public Convolution {
 public:
  Sage() {
    neighbours_ = register_module("lin_l", nn::Linear(width, width));
    self_ = register_module("lin_r", nn::Linear(nn::LinearOptions(width, width).bias(false)));
  }

  torch::Tensor forward(const torch::Tensor& nodes, const torch::Tensor& edges) override {
    const Edges edge = ends(edges);
    return neighbours_->forward(mean_at(edge.to, nodes.index_select(0, edge.from), nodes.size(0))) +
           self_->forward(nodes);
  }

 private:
  static torch::Tensor mean_at(const torch::Tensor& targets, const torch::Tensor& messages, std::int64_t nodes) {
    torch::Tensor count = messages.new_zeros({nodes});
    count.scatter_add_(0, targets, messages.new_ones({messages.size(0)}));
    count = count.clamp(1);
    const torch::Tensor sum = sum_at(targets, messages, nodes);
    return sum / count.view({-1, 1}).expand_as(sum);
  }

  nn::Linear neighbours_{nullptr}, self_{nullptr};
};

// Edge convolution: the largest of what a perceptron makes of the node and its difference to each neighbour.
class Edge final : public Convolution {
 public:
  Edge() { perceptron_ = register_module("nn", std::make_shared<Perceptron>(2 * width)); }

  torch::Tensor forward(const torch::Tensor& nodes, const torch::Tensor& edges) override {
    const Edges edge = ends(edges);
    const torch::Tensor target = nodes.index_select(0, edge.to);
    const torch::Tensor source = nodes.index_select(0, edge.from);
    const torch::Tensor messages = perceptron_->forward(torch::cat({target, source - target}, -1));
    const torch::Tensor index = edge.to.view({-1, 1}).expand_as(messages);
    return messages.new_zeros({nodes.size(0), width}).scatter_reduce_(0, index, messages, "amax", false);
  }

 private:
  std::shared_ptr<Perceptron> perceptron_;
};

template <class Kind>
class BasicGnn : public nn::Module {
 public:
  BasicGnn() {
    for (int i = 0; i < layers; ++i) {
      convolutions_.push_back(register_module("conv" + std::to_string(i), std::make_shared<Kind>()));
    }
  }

  torch::Tensor forward(torch::Tensor x, const torch::Tensor& edges) {
    for (int i = 0; i < layers; ++i) {
      x = convolutions_[static_cast<std::size_t>(i)]->forward(x, edges);
      if (i + 1 < layers) x = torch::relu(x);
    }
    return x;
  }

 private:
  std::vector<std::shared_ptr<Kind>> convolutions_;
};

struct Graph {
  std::int64_t nodes;
  std::int64_t edges;
};

// The original trains without a loss and without a step: the gradient of the outputs is random, and those of the
// parameters add up. A batch of graphs is one graph with one part per sample.
template <class Kind>
class GraphWorkload final : public NetworkWorkload<BasicGnn<Kind>> {
 public:
  GraphWorkload(const Setup& setup, const Graph& graph)
      : NetworkWorkload<BasicGnn<Kind>>(setup, std::make_shared<BasicGnn<Kind>>()) {
    nodes_ = torch::randn({setup.batch * graph.nodes, width}, torch::TensorOptions().device(setup.device));
    Tensors parts;
    for (std::int64_t i = 0; i < setup.batch; ++i) {
      parts.push_back(torch::randint(graph.nodes, {2, graph.edges}, torch::kLong) + i * graph.nodes);
    }
    edges_ = torch::cat(parts, 1).to(setup.device);
  }

  Tensors inputs() const override { return {nodes_, edges_}; }

 private:
  Tensors train() override {
    const torch::Tensor outputs = infer()[0];
    outputs.backward(torch::randn_like(outputs));
    return {outputs.detach()};
  }

  Tensors infer() override { return {this->network().forward(nodes_, edges_)}; }

  torch::Tensor nodes_, edges_;
};

template <class Kind>
Benchmark benchmark(const std::string& name, std::int64_t parameters, const BatchSizes& ci) {
  const auto make = [](const Setup& setup) {
    const Graph graph = by_size<Graph>(setup, {.nodes = 10000, .edges = 200000}, {.nodes = 500, .edges = 5000});
    return std::make_unique<GraphWorkload<Kind>>(setup, graph);
  };
  return {.name = name,
          .domain = "other",
          .task = "graph classification",
          .source = "PyTorch Geometric",
          .parameters = parameters,
          .paper_batch = {.train = 1, .infer = 1},
          .ci_batch = ci,
          .make = make,
          .listed = Listed::later};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {benchmark<Gcn>("basic_gnn_gcn", 12480, {.train = 12, .infer = 20}),
          benchmark<Gin>("basic_gnn_gin", 24960, {.train = 14, .infer = 32}),
          benchmark<Sage>("basic_gnn_sage", 24768, {.train = 16, .infer = 36}),
          benchmark<Edge>("basic_gnn_edgecnn", 37248, {.train = 2, .infer = 8})};
}

}  // namespace tbci::suite::models::basic_gnn
