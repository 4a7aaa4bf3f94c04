#include "suite/blocks/text_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace tbci::suite {
namespace {

constexpr float likely = 0.3F;  // that a pixel is text
constexpr float least_score = 0.1F;
constexpr double enlarged = 1.5;  // by this times area / circumference
constexpr int shortest = 2;       // side of a box in pixels

// One byte for each pixel, with a frame of one pixel of background.
class Bitmap {
 public:
  Bitmap(int height, int width)
      : height_(height), width_(width), bytes_(static_cast<std::size_t>((height + 2) * (width + 2)), 0) {}

  int height() const { return height_; }
  int width() const { return width_; }
  bool inside(int y, int x) const { return y >= 0 && x >= 0 && y < height_ && x < width_; }
  bool in_frame(int y, int x) const { return y >= -1 && x >= -1 && y <= height_ && x <= width_; }

  std::uint8_t& at(int y, int x) { return bytes_[static_cast<std::size_t>((y + 1) * (width_ + 2) + x + 1)]; }
  std::uint8_t at(int y, int x) const { return bytes_[static_cast<std::size_t>((y + 1) * (width_ + 2) + x + 1)]; }

 private:
  int height_;
  int width_;
  std::vector<std::uint8_t> bytes_;
};

Bitmap binarised(const torch::Tensor& probabilities) {
  Bitmap bitmap(static_cast<int>(probabilities.size(0)), static_cast<int>(probabilities.size(1)));
  const auto map = probabilities.accessor<float, 2>();
  for (int y = 0; y < bitmap.height(); ++y) {
    for (int x = 0; x < bitmap.width(); ++x) bitmap.at(y, x) = map[y][x] >= likely ? 1 : 0;
  }
  return bitmap;
}

// Each pixel becomes `value` if it or one of its eight neighbours in the image is `value`.
Bitmap spread(const Bitmap& bitmap, const std::uint8_t value) {
  Bitmap result = bitmap;
  for (int y = 0; y < bitmap.height(); ++y) {
    for (int x = 0; x < bitmap.width(); ++x) {
      if (bitmap.at(y, x) != value) continue;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (bitmap.inside(y + dy, x + dx)) result.at(y + dy, x + dx) = value;
        }
      }
    }
  }
  return result;
}

// Without spots and lines thinner than three pixels.
Bitmap opened(const Bitmap& bitmap) {
  return spread(spread(bitmap, 0), 1);
}

constexpr std::uint8_t outside = 2;  // background that reaches the frame
constexpr std::uint8_t visited = 3;

using Pixel = std::pair<int, int>;  // y, x

struct Corners {
  int x1, y1, x2, y2;
  bool outermost;
};

void mark_outside(Bitmap& bitmap) {
  std::vector<Pixel> open{{-1, -1}};
  bitmap.at(-1, -1) = outside;
  while (!open.empty()) {
    const auto [y, x] = open.back();
    open.pop_back();
    for (const auto& [dy, dx] : {Pixel{-1, 0}, Pixel{1, 0}, Pixel{0, -1}, Pixel{0, 1}}) {
      if (!bitmap.in_frame(y + dy, x + dx) || bitmap.at(y + dy, x + dx) != 0) continue;
      bitmap.at(y + dy, x + dx) = outside;
      open.push_back({y + dy, x + dx});
    }
  }
}

// The part of the text that is connected with this pixel. It is outermost if it touches the outer background.
Corners take_component(Bitmap& bitmap, const Pixel& start) {
  Corners corners{start.second, start.first, start.second, start.first, false};
  std::vector<Pixel> open{start};
  bitmap.at(start.first, start.second) = visited;
  while (!open.empty()) {
    const auto [y, x] = open.back();
    open.pop_back();
    corners = {std::min(corners.x1, x), std::min(corners.y1, y), std::max(corners.x2, x), std::max(corners.y2, y),
               corners.outermost};
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        std::uint8_t& neighbour = bitmap.at(y + dy, x + dx);
        if (neighbour == outside && (dy == 0 || dx == 0)) corners.outermost = true;
        if (neighbour != 1) continue;
        neighbour = visited;
        open.push_back({y + dy, x + dx});
      }
    }
  }
  return corners;
}

float mean_within(const torch::Tensor& probabilities, const Corners& c) {
  const auto map = probabilities.accessor<float, 2>();
  // The original's box ends a pixel behind the text.
  const int x2 = std::min(c.x2 + 1, static_cast<int>(map.size(1)) - 1);
  const int y2 = std::min(c.y2 + 1, static_cast<int>(map.size(0)) - 1);
  double sum = 0.0;
  for (int y = c.y1; y <= y2; ++y) {
    for (int x = c.x1; x <= x2; ++x) sum += static_cast<double>(map[y][x]);
  }
  return static_cast<float>(sum / ((y2 - c.y1 + 1) * (x2 - c.x1 + 1)));
}

TextBox enlarge(const Corners& c, const Bitmap& bitmap, float score) {
  const double width = c.x2 - c.x1 + 1, height = c.y2 - c.y1 + 1;
  const double distance = enlarged * width * height / (2.0 * (width + height));
  const auto part = [](double pixels, int whole) {
    return static_cast<float>(std::clamp(std::round(pixels) / whole, 0.0, 1.0));
  };
  return {part(c.x1 - distance, bitmap.width()), part(c.y1 - distance, bitmap.height()),
          part(c.x1 + width + distance + 1.0, bitmap.width()), part(c.y1 + height + distance + 1.0, bitmap.height()),
          score};
}

}  // namespace

std::vector<TextBox> text_boxes(const torch::Tensor& probabilities) {
  Bitmap bitmap = opened(binarised(probabilities));
  mark_outside(bitmap);
  std::vector<TextBox> boxes;
  for (int y = 0; y < bitmap.height(); ++y) {
    for (int x = 0; x < bitmap.width(); ++x) {
      if (bitmap.at(y, x) != 1) continue;
      const Corners corners = take_component(bitmap, {y, x});
      if (!corners.outermost || corners.x2 - corners.x1 < shortest || corners.y2 - corners.y1 < shortest) continue;
      const float score = mean_within(probabilities, corners);
      if (score >= least_score) boxes.push_back(enlarge(corners, bitmap, score));
    }
  }
  return boxes;
}

}  // namespace tbci::suite
