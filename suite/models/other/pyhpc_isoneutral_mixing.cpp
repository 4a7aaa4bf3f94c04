// pyhpc_isoneutral_mixing: the slopes along which tracers mix in the ocean, and the mixing they give (Griffies,
// The Gent-McWilliams skew flux, 1998, as in MOM 2.1), as in dionhaefner/pyhpc-benchmarks.
#include "suite/blocks/forward_only.hpp"
#include "suite/blocks/grid.hpp"

namespace tbci::suite::models::pyhpc_isoneutral_mixing {
namespace {

const Range inside{2, -2};
const Range face{1, -2};  // the faces between those cells and their neighbours

struct Ocean {
  torch::Tensor mask_t, mask_u, mask_v, mask_w;          // water in the cells and at their faces
  torch::Tensor dxt, dxu, dyt, dyu, dzt, dzw;            // sizes of cells and distances between them
  torch::Tensor cost, cosu;                              // cosines of the latitudes
  torch::Tensor salt, temp;                              // at three times
  torch::Tensor zt;                                      // depths
  torch::Tensor k_iso;                                   // mixing along the slopes
  torch::Tensor k_11, k_22, k_33;                        // mixing along the axes: a result
  torch::Tensor slope_ez, slope_nz, slope_bx, slope_by;  // slopes at the faces, with each neighbour: results

  Tensors inputs() const {
    return {mask_t, mask_u, mask_v, mask_w, dxt,  dxu,  dyt,  dyu,      dzt,      dzw,      cost,    cosu,
            salt,   temp,   zt,     k_iso,  k_11, k_22, k_33, slope_ez, slope_nz, slope_bx, slope_by};
  }
};

// How the density changes with temperature and salinity, and how both change towards each neighbour.
struct Gradients {
  torch::Tensor by_temp, by_salt;
  torch::Tensor temp_x, temp_y, temp_z;
  torch::Tensor salt_x, salt_y, salt_z;
};

torch::Tensor density_by_temperature(const torch::Tensor& temp, const torch::Tensor& pressure) {
  constexpr double rho = 1024.0, linear = 1.67e-4, quadratic = 1e-5, with_depth = 1.1e-8, gravity = 9.81;
  const torch::Tensor warmth = temp - (283.0 - 273.15);
  return -(quadratic * warmth + linear * (1 - with_depth * gravity * -pressure * rho)) * rho;
}

torch::Tensor density_by_salinity(const torch::Tensor& temp) {
  return 0.78e-3 * 1024.0 * torch::ones_like(temp);
}

Gradients gradients(const Ocean& o) {
  const torch::Tensor temp = o.temp.select(3, 0);
  const torch::Tensor salt = o.salt.select(3, 0);
  const torch::Tensor pressure = torch::abs(o.zt);
  const Range all, low{0, -1}, high{1};
  Gradients g;
  g.by_temp = o.mask_t * density_by_temperature(temp, pressure);
  g.by_salt = o.mask_t * density_by_salinity(temp);
  for (torch::Tensor* change : {&g.temp_x, &g.temp_y, &g.temp_z, &g.salt_x, &g.salt_y, &g.salt_z}) {
    *change = torch::zeros_like(o.k_11);
  }
  const auto differences = [&](const torch::Tensor& of, torch::Tensor& x, torch::Tensor& y, torch::Tensor& z) {
    part(z, all, all, low)
        .copy_(part(o.mask_w, all, all, low) * (part(of, all, all, high) - part(of, all, all, low)) /
               upward(part(o.dzw, low)));
    part(x, low).copy_(part(o.mask_u, low) * (part(of, high) - part(of, low)) /
                       (eastward(part(o.dxu, low)) * northward(o.cost)));
    part(y, all, low)
        .copy_(part(o.mask_v, all, low) * (part(of, all, high) - part(of, all, low)) / northward(part(o.dyu, low)));
  };
  differences(temp, g.temp_x, g.temp_y, g.temp_z);
  differences(salt, g.salt_x, g.salt_y, g.salt_z);
  return g;
}

// The slope of a surface of equal density: how much the density changes along it over how much it falls upward.
torch::Tensor slope(const torch::Tensor& along, const torch::Tensor& up) {
  constexpr double never_zero = 1e-20;
  return -along / (torch::minimum(up, torch::zeros({1}, up.options())) - never_zero);
}

// 1 for gentle slopes, 0 for steep ones.
torch::Tensor taper(const torch::Tensor& s) {
  constexpr double steepest = 1e-3, over = 1e-3;
  return 0.5 * (1.0 + torch::tanh((-torch::abs(s) + steepest) / over));
}

// The two horizontal directions are treated alike: what differs are names and where the faces are.
struct Direction {
  Range x, y;                    // the faces between which and around which it mixes
  std::int64_t axis;             // 0 is eastward, 1 is northward
  torch::Tensor mask;            // of the faces
  torch::Tensor temp, salt;      // changes across the faces
  torch::Tensor mixing, slopes;  // results
};

// A range moved along one axis towards the neighbour.
Range moved(const Range& range, std::int64_t by) {
  return {range.first + by, range.last + by};
}

// Mixing and slopes at the eastern or northern faces of the cells.
void at_side_faces(const Ocean& o, const Gradients& g, const Direction& d) {
  constexpr double least = 50.0;
  const auto beside = [&d](std::int64_t by) {
    return d.axis == 0 ? std::make_pair(moved(d.x, by), d.y) : std::make_pair(d.x, moved(d.y, by));
  };
  const auto [next_x, next_y] = beside(1);
  const Range upper{1}, lower{0, -1};
  torch::Tensor local = torch::zeros_like(o.k_11);
  part(local, d.x, d.y, upper)
      .copy_(0.25 * (part(o.k_iso, d.x, d.y, upper) + part(o.k_iso, d.x, d.y, lower) +
                     part(o.k_iso, next_x, next_y, upper) + part(o.k_iso, next_x, next_y, lower)));
  part(local, d.x, d.y)
      .select(2, 0)
      .copy_(0.5 * (part(o.k_iso, d.x, d.y).select(2, 0) + part(o.k_iso, next_x, next_y).select(2, 0)));

  torch::Tensor sum = torch::zeros_like(part(o.k_11, d.x, d.y));
  for (const std::int64_t above : {0, 1}) {
    const Range z = above == 1 ? Range{} : upper;  // the cells that have such a neighbour
    const Range faces_z = above == 1 ? Range{} : lower;
    for (const std::int64_t by : {0, 1}) {
      const auto [x, y] = beside(by);
      const torch::Tensor by_temp = part(g.by_temp, x, y, z), by_salt = part(g.by_salt, x, y, z);
      const torch::Tensor along = by_temp * part(d.temp, d.x, d.y, z) + by_salt * part(d.salt, d.x, d.y, z);
      const torch::Tensor up = by_temp * part(g.temp_z, x, y, faces_z) + by_salt * part(g.salt_z, x, y, faces_z);
      const torch::Tensor s = slope(along, up);
      const torch::Tensor gentle = taper(s);
      const torch::Tensor mask = part(d.mask, d.x, d.y, z);
      part(sum, {}, {}, z) += upward(part(o.dzw, faces_z)) * mask *
                              torch::maximum(torch::full({1}, least, s.options()), part(local, d.x, d.y, z) * gentle);
      part(d.slopes, d.x, d.y, z).select(4, above).select(3, by).copy_(gentle * s * mask);
    }
  }
  part(d.mixing, d.x, d.y).copy_(sum / (4.0 * upward(o.dzt)));
}

// Mixing and slopes at the upper faces of the cells.
void at_upper_faces(const Ocean& o, const Gradients& g) {
  const Range lower{0, -1}, upper{1};
  const torch::Tensor mask = part(o.mask_w, inside, inside, lower);
  const torch::Tensor k_iso = part(o.k_iso, inside, inside, lower);
  torch::Tensor sum_x = torch::zeros_like(part(o.k_11, inside, inside, lower));
  torch::Tensor sum_y = torch::zeros_like(sum_x);
  for (const std::int64_t above : {0, 1}) {
    const Range z = above == 1 ? upper : lower;
    const torch::Tensor by_temp = part(g.by_temp, inside, inside, z), by_salt = part(g.by_salt, inside, inside, z);
    const torch::Tensor up =
        by_temp * part(g.temp_z, inside, inside, lower) + by_salt * part(g.salt_z, inside, inside, lower);
    const auto towards = [&](const torch::Tensor& along, const torch::Tensor& distance, torch::Tensor& sum,
                             const torch::Tensor& slopes) {
      const torch::Tensor s = slope(along, up);
      const torch::Tensor gentle = taper(s);
      sum += distance * k_iso * gentle * torch::pow(s, 2) * mask;
      part(slopes, inside, inside, lower).copy_(gentle * s * mask);
    };
    for (const std::int64_t by : {0, 1}) {
      const Range faces = moved({1, -3}, by);
      towards(by_temp * part(g.temp_x, faces, inside, z) + by_salt * part(g.salt_x, faces, inside, z),
              eastward(part(o.dxu, faces)), sum_x, o.slope_bx.select(4, above).select(3, by));
    }
    for (const std::int64_t by : {0, 1}) {
      const Range faces = moved({1, -3}, by);
      towards(by_temp * part(g.temp_y, inside, faces, z) + by_salt * part(g.salt_y, inside, faces, z),
              northward(part(o.cosu, faces) * part(o.dyu, faces)), sum_y, o.slope_by.select(4, above).select(3, by));
    }
  }
  part(o.k_33, inside, inside, lower)
      .copy_(sum_x / (4 * eastward(part(o.dxt, inside))) +
             sum_y / (4 * northward(part(o.dyt, inside)) * northward(part(o.cost, inside))));
  part(o.k_33, inside, inside).select(2, -1).fill_(0.0);
}

Tensors mix(const Ocean& o) {
  const Gradients g = gradients(o);
  at_side_faces(o, g, {face, inside, 0, o.mask_u, g.temp_x, g.salt_x, o.k_11, o.slope_ez});
  at_side_faces(o, g, {inside, face, 1, o.mask_v, g.temp_y, g.salt_y, o.k_22, o.slope_nz});
  at_upper_faces(o, g);
  return {o.k_11, o.k_22, o.k_33, o.slope_ez, o.slope_nz, o.slope_bx, o.slope_by};
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Grid grid(setup.batch, setup.device);
  const auto slopes = [&grid] {
    return torch::zeros({grid.width(), grid.width(), grid.depth(), 2, 2}, grid.options());
  };
  const Ocean ocean{grid.mask(),
                    grid.mask(),
                    grid.mask(),
                    grid.mask(),
                    grid.across(),
                    grid.across(),
                    grid.across(),
                    grid.across(),
                    grid.down(),
                    grid.down(),
                    grid.across(),
                    grid.across(),
                    grid.at_three_times(),
                    grid.at_three_times(),
                    grid.down(),
                    grid.field(),
                    grid.field(),
                    grid.field(),
                    grid.field(),
                    slopes(),
                    slopes(),
                    slopes(),
                    slopes()};
  return forward_only([ocean] { return mix(ocean); }, ocean.inputs());
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "pyhpc_isoneutral_mixing",
           .domain = "other",
           .task = "other",
           .source = "dionhaefner/pyhpc-benchmarks",
           .parameters = 0,
           .paper_batch = {.train = 1048576, .infer = 1048576},
           .ci_batch = {.train = 65536, .infer = 65536},
           .make = make,
           .modes = {.train = false}}};
}

}  // namespace tbci::suite::models::pyhpc_isoneutral_mixing
