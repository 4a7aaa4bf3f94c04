// pyhpc_turbulent_kinetic_energy: one step of the ocean model Veros for the energy of turbulence: mixing upward and
// dissipation by an implicit step (a tridiagonal system for each column of water), diffusion and superbee advection by
// an explicit one, as in dionhaefner/pyhpc-benchmarks.
#include "suite/blocks/forward_only.hpp"
#include "suite/blocks/grid.hpp"

namespace tbci::suite::models::pyhpc_turbulent_kinetic_energy {
namespace {

const Range all, inside{2, -2}, face{1, -2}, before{1, -3}, low{0, -1}, high{1};

constexpr double step_tracer = 1.0, step_energy = 1.0;  // of time
constexpr double dissipation = 0.7, diffusion = 2000.0;
constexpr std::int64_t now = 0, next = 1, previous = 2;

struct Ocean {
  torch::Tensor u, v, w;                       // currents, at three times
  torch::Tensor mask_u, mask_v, mask_w;        // water at the faces of the cells
  torch::Tensor dxt, dxu, dyt, dyu, dzt, dzw;  // sizes of cells and distances between them
  torch::Tensor cost, cosu;                    // cosines of the latitudes
  torch::Tensor bottom;                        // the first cell of water of each column, from 1; 0 is land
  torch::Tensor kappa, mixing_length, forcing, forcing_at_surface;
  torch::Tensor tke, dtke;  // the energy and its tendency, at three times

  Tensors inputs() const {
    return {u,
            v,
            w,
            mask_u,
            mask_v,
            mask_w,
            dxt,
            dxu,
            dyt,
            dyu,
            dzt,
            dzw,
            cost,
            cosu,
            bottom,
            kappa,
            mixing_length,
            forcing,
            forcing_at_surface,
            tke,
            dtke};
  }
};

// a x[i-1] + b x[i] + c x[i+1] = d in the last dimension.
struct Tridiagonal {
  torch::Tensor a, b, c, d;
};

// Thomas's algorithm. It changes b and d.
torch::Tensor solve(const Tridiagonal& s) {
  const std::int64_t n = s.a.size(-1);
  for (std::int64_t i = 1; i < n; ++i) {
    const torch::Tensor w = s.a.select(-1, i) / s.b.select(-1, i - 1);
    s.b.select(-1, i) += -w * s.c.select(-1, i - 1);
    s.d.select(-1, i) += -w * s.d.select(-1, i - 1);
  }
  torch::Tensor x = torch::empty_like(s.a);
  x.select(-1, n - 1).copy_(s.d.select(-1, n - 1) / s.b.select(-1, n - 1));
  for (std::int64_t i = n - 2; i >= 0; --i) {
    x.select(-1, i).copy_((s.d.select(-1, i) - s.c.select(-1, i) * x.select(-1, i + 1)) / s.b.select(-1, i));
  }
  return x;
}

// Which cells of a column the system is about.
struct Water {
  torch::Tensor bottom, all;
};

Water water(const torch::Tensor& first, std::int64_t depth) {
  const torch::Tensor ocean = (first >= 0).unsqueeze(2);
  const torch::Tensor cell = torch::arange(depth, first.options()).unsqueeze(0).unsqueeze(1);
  const torch::Tensor from = first.unsqueeze(2);
  return {ocean & (cell == from), ocean & (cell >= from)};
}

torch::Tensor not_negative(const torch::Tensor& x) {
  return torch::maximum(torch::zeros({1}, x.options()), x);
}

// Mixing between the cells of a column, dissipation and what the wind brings in, all by one implicit step.
void mix_columns(const Ocean& o, const torch::Tensor& tke) {
  const torch::Tensor root = part(torch::sqrt(not_negative(tke.select(3, now))), inside, inside);
  const torch::Tensor kappa = part(o.kappa, inside, inside);
  const torch::Tensor length = part(o.mixing_length, inside, inside);
  const Range middle{1, -1}, below{0, -2};
  const auto blank = [&kappa] { return torch::zeros_like(kappa); };
  Tridiagonal s{blank(), blank(), blank(), blank()};

  torch::Tensor exchange = blank();
  part(exchange, all, all, low)
      .copy_(step_energy * upward(part(o.dzt, high)).reciprocal() * 0.5 *
             (part(kappa, all, all, low) + part(kappa, all, all, high)));
  const torch::Tensor under_top = exchange.select(2, -2);
  const torch::Tensor half_top = 0.5 * o.dzw.select(0, -1);
  const torch::Tensor dzw = upward(part(o.dzw, middle));

  part(s.a, all, all, middle).copy_(-part(exchange, all, all, below) / dzw);
  s.a.select(2, -1).copy_(-under_top / half_top);
  part(s.b, all, all, middle)
      .copy_(1 + (part(exchange, all, all, middle) + part(exchange, all, all, below)) / dzw +
             step_energy * dissipation * part(root, all, all, middle) / part(length, all, all, middle));
  s.b.select(2, -1).copy_(1 + under_top / half_top +
                          step_energy * dissipation * length.select(2, -1).reciprocal() * root.select(2, -1));
  const torch::Tensor at_bottom = 1 + exchange / upward(o.dzw) + step_energy * dissipation * length.reciprocal() * root;
  part(s.c, all, all, low).copy_(-part(exchange, all, all, low) / upward(part(o.dzw, low)));
  s.d.copy_(part(tke, inside, inside).select(3, now) + step_energy * part(o.forcing, inside, inside));
  s.d.select(2, -1) += step_energy * part(o.forcing_at_surface, inside, inside) / half_top;

  const Water is = water(part(o.bottom, inside, inside) - 1, kappa.size(2));
  const torch::Tensor one = torch::ones({}, s.b.options());
  const torch::Tensor diagonal = torch::where(is.bottom, at_bottom, torch::where(is.all, s.b, one));
  const torch::Tensor solved =
      solve({is.all * s.a * torch::logical_not(is.bottom), diagonal, is.all * s.c, is.all * s.d});
  const torch::Tensor energy = part(tke, inside, inside).select(3, next);
  energy.copy_(torch::where(is.all, solved, energy));
}

// Energy below zero in the uppermost cells is taken back from the surface. The correction is a result.
torch::Tensor correct_surface(const Ocean& o, const torch::Tensor& tke) {
  torch::Tensor correction = torch::zeros({o.mask_u.size(0), o.mask_u.size(1)}, o.mask_u.options());
  const torch::Tensor top = part(tke, inside, inside).select(3, next).select(2, -1);
  part(correction, inside, inside)
      .copy_(torch::where(top < 0.0, -top * 0.5 * o.dzw.select(0, -1) / step_energy, torch::zeros({}, top.options())));
  top.copy_(not_negative(top));
  return correction;
}

struct Fluxes {
  torch::Tensor east, north, up;
};

// What flows into each inner cell from east and from north, less what flows out.
torch::Tensor gain(const Ocean& o, const Fluxes& f, double sign) {
  const torch::Tensor cosine = northward(part(o.cost, inside));
  const torch::Tensor x = part(f.east, inside, inside) - part(f.east, before, inside);
  const torch::Tensor y = part(f.north, inside, inside) - part(f.north, inside, before);
  return sign * x / (cosine * eastward(part(o.dxt, inside))) + sign * y / (cosine * northward(part(o.dyt, inside)));
}

void diffuse(const Ocean& o, const torch::Tensor& tke, const Fluxes& f) {
  const torch::Tensor energy = tke.select(3, now);
  part(f.east, low)
      .copy_(diffusion * (part(energy, high) - part(energy, low)) / (northward(o.cost) * eastward(part(o.dxu, low))) *
             part(o.mask_u, low));
  f.east.select(0, -1).fill_(0.0);
  part(f.north, all, low)
      .copy_(diffusion * (part(energy, all, high) - part(energy, all, low)) / northward(part(o.dyu, low)) *
             part(o.mask_v, all, low) * northward(part(o.cosu, low)));
  f.north.select(1, -1).fill_(0.0);
  part(tke, inside, inside).select(3, next) += step_energy * part(o.mask_w, inside, inside) * gain(o, f, 1.0);
}

// How much of the second-order flux the superbee scheme takes, from the ratio of neighbouring differences.
torch::Tensor superbee(const torch::Tensor& ratio) {
  const auto constant = [&ratio](double value) { return torch::full({1}, value, ratio.options()); };
  return torch::maximum(constant(0.0),
                        torch::maximum(torch::minimum(constant(1.0), 2 * ratio), torch::minimum(constant(2.0), ratio)));
}

// One direction of the advection. `current` is that at the faces, `velocity` the same times the face's width where that
// changes; `size` fits both. `mask` is 1 between cells of water.
struct Advection {
  std::int64_t axis;
  torch::Tensor current, velocity, value, mask, size;
};

torch::Tensor advected(const Advection& d) {
  const auto at = [&d](const torch::Tensor& x, const Range& along) {
    return part(x, d.axis == 0 ? along : inside, d.axis == 1 ? along : inside, d.axis == 2 ? along : all);
  };
  const torch::Tensor& velocity = d.velocity;
  const torch::Tensor courant = torch::abs(velocity * step_tracer / d.size);
  const torch::Tensor here = at(d.value, {1, -2}), there = at(d.value, {2, -1});
  const torch::Tensor ahead = (at(d.value, {3}) - there) * at(d.mask, {2, -1});
  const torch::Tensor across = (there - here) * at(d.mask, {1, -2});
  const torch::Tensor behind = (here - at(d.value, {0, -3})) * at(d.mask, {0, -3});
  const torch::Tensor tiny = torch::full({}, 1e-20, across.options());
  const torch::Tensor ratio =
      torch::where(d.current > 0.0, behind, ahead) / torch::where(torch::abs(across) < 1e-20, tiny, across);
  const torch::Tensor limited = superbee(ratio);
  return velocity * (there + here) * 0.5 - torch::abs(velocity) * ((1.0 - limited) + courant * limited) * across * 0.5;
}

// A field with a layer of zeros below and above.
torch::Tensor padded(const torch::Tensor& field) {
  torch::Tensor wide = torch::zeros({field.size(0), field.size(1), field.size(2) + 2}, field.options());
  part(wide, all, all, {1, -1}).copy_(field);
  return wide;
}

void advect(const Ocean& o, const torch::Tensor& tke, const Fluxes& f) {
  const torch::Tensor energy = tke.select(3, now);
  const torch::Tensor u = o.u.select(3, now), v = o.v.select(3, now), w = o.w.select(3, now);

  torch::Tensor mask = torch::zeros_like(o.mask_w);
  part(mask, low).copy_(part(o.mask_w, high) * part(o.mask_w, low));
  const torch::Tensor eastern = part(u, face, inside);
  f.east.fill_(0.0);
  part(f.east, face, inside)
      .copy_(
          advected({0, eastern, eastern, energy, mask, northward(part(o.cost, inside)) * eastward(part(o.dxt, face))}));

  mask = torch::zeros_like(o.mask_w);
  part(mask, all, low).copy_(part(o.mask_w, all, high) * part(o.mask_w, all, low));
  f.north.fill_(0.0);
  const torch::Tensor northern = part(v, inside, face);
  part(f.north, inside, face)
      .copy_(advected({1, northern, northward(part(o.cosu, face)) * northern, energy, mask,
                       northward(part(o.cost * o.dyt, face))}));

  mask = torch::zeros_like(o.mask_w);
  part(mask, all, all, low).copy_(part(o.mask_w, all, all, high) * part(o.mask_w, all, all, low));
  const torch::Tensor upper = part(padded(w), inside, inside, face);
  f.up.fill_(0.0);
  part(f.up, inside, inside, low)
      .copy_(advected({2, upper, upper, padded(energy), padded(mask), upward(part(o.dzw, low))}));
}

// The tendency by advection, and the step by it (Adams and Bashforth's, of second order).
void integrate(const Ocean& o, const torch::Tensor& tke, const torch::Tensor& dtke, const Fluxes& f) {
  constexpr double damping = 0.1;
  const Range middle{1, -1}, below{0, -2};
  const torch::Tensor tendency = dtke.select(3, now);
  part(tendency, inside, inside).copy_(part(o.mask_w, inside, inside) * gain(o, f, -1.0));
  tendency.select(2, 0) += -f.up.select(2, 0) / o.dzw.select(0, 0);
  part(tendency, all, all, middle) +=
      -(part(f.up, all, all, middle) - part(f.up, all, all, below)) / part(o.dzw, middle);
  tendency.select(2, -1) += -(f.up.select(2, -1) - f.up.select(2, -2)) / (0.5 * o.dzw.select(0, -1));
  tke.select(3, next) += step_tracer * ((1.5 + damping) * tendency - (0.5 + damping) * dtke.select(3, previous));
}

Tensors step(const Ocean& o) {
  const torch::Tensor tke = o.tke.clone(), dtke = o.dtke.clone();
  const auto blank = [&o] { return torch::zeros_like(o.mask_u); };
  const Fluxes fluxes{blank(), blank(), blank()};
  mix_columns(o, tke);
  const torch::Tensor correction = correct_surface(o, tke);
  diffuse(o, tke, fluxes);
  advect(o, tke, fluxes);
  integrate(o, tke, dtke, fluxes);
  return {tke, dtke, correction};
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Grid grid(setup.batch, setup.device);
  const torch::Tensor bottom =
      torch::randint(grid.depth(), {grid.width(), grid.width()}, grid.options().dtype(torch::kLong));
  const auto three = [&grid] { return grid.at_three_times(); };
  const Ocean ocean{three(),        three(),       three(),       grid.mask(),   grid.mask(),  grid.mask(),
                    grid.across(),  grid.across(), grid.across(), grid.across(), grid.down(),  grid.down(),
                    grid.across(),  grid.across(), bottom,        grid.field(),  grid.field(), grid.field(),
                    grid.surface(), three(),       three()};
  return forward_only([ocean] { return step(ocean); }, ocean.inputs());
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "pyhpc_turbulent_kinetic_energy",
           .domain = "other",
           .task = "other",
           .source = "dionhaefner/pyhpc-benchmarks",
           .parameters = 0,
           .paper_batch = {.train = 1048576, .infer = 1048576},
           .ci_batch = {.train = 131072, .infer = 131072},
           .make = make,
           .modes = {.train = false}}};
}

}  // namespace tbci::suite::models::pyhpc_turbulent_kinetic_energy
