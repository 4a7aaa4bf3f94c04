// The parts of YOLOv3 around its network, as in ultralytics/yolov3: the cell and anchor that an object belongs to, the
// loss, and the detections. Predictions of a level are [images, anchors, rows, columns, 5 + classes]: centre, size,
// whether there is an object, and its class.
#pragma once

#include <vector>

#include <torch/torch.h>

namespace tbci::suite::yolo {

// The cells and anchors of one level that have an object, and their targets. One row for each.
struct Targets {
  torch::Tensor image, anchor, row, column;
  torch::Tensor boxes;         // centre within the cell and size, in cells
  torch::Tensor anchor_sizes;  // in cells
  torch::Tensor classes;
};

// `objects`: rows of number of the image, class, and centre and size in parts of the image. `anchors`: sizes in cells.
// An object belongs to each anchor whose shape overlaps its own enough.
Targets assign(const torch::Tensor& objects, const torch::Tensor& anchors, const torch::Tensor& predictions);

// Generalized IoU, row by row, of boxes that are centre and size.
torch::Tensor generalized_iou(const torch::Tensor& a, const torch::Tensor& b);

struct Level {
  torch::Tensor predictions;
  torch::Tensor anchors;
};

// `overlap_as_truth`: from 0 (a cell with an object is to say 1) to 1 (it is to say how well its box fits).
torch::Tensor loss(const std::vector<Level>& levels, const torch::Tensor& objects, double overlap_as_truth);

struct Threshold {
  double confidence;
  double overlap;
};

// Of each image, rows of x1, y1, x2, y2, confidence and class. `predictions` [images, boxes, 5 + classes] in pixels.
// Boxes that were suppressed still count for where the one that stays is: it becomes their weighted mean.
std::vector<torch::Tensor> detections(const torch::Tensor& predictions, const Threshold& threshold);

}  // namespace tbci::suite::yolo
