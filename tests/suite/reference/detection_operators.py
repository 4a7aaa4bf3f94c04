"""RoIAlign and suppression in plain Python, for a torchvision whose compiled operators cannot be loaded."""

import torch


def nms(boxes, scores, threshold):
    order = scores.sort(stable=True, descending=True).indices
    x1, y1, x2, y2 = (boxes[order, i] for i in range(4))
    areas = (x2 - x1) * (y2 - y1)
    alive = torch.ones(len(order), dtype=torch.bool)
    keep = []
    for i in range(len(order)):
        if not alive[i]:
            continue
        keep.append(order[i])
        width = (torch.minimum(x2[i], x2[i + 1 :]) - torch.maximum(x1[i], x1[i + 1 :])).clamp(min=0)
        height = (torch.minimum(y2[i], y2[i + 1 :]) - torch.maximum(y1[i], y1[i + 1 :])).clamp(min=0)
        shared = width * height
        alive[i + 1 :] &= shared / (areas[i] + areas[i + 1 :] - shared) <= threshold
    return torch.stack(keep) if keep else torch.empty(0, dtype=torch.int64)


def _between(where, pixels):
    """For points along one side: the two pixels around each, their weights, 0 where the point is outside."""
    inside = ((where >= -1) & (where <= pixels)).float()
    where = where.clamp(0, pixels - 1)
    low = where.floor()
    part = where - low
    return low.long(), (low + 1).clamp(max=pixels - 1).long(), (1 - part) * inside, part * inside


def roi_align(features, rois, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=False):
    size = output_size if isinstance(output_size, int) else output_size[0]
    if not isinstance(rois, torch.Tensor):
        rois = torch.cat([torch.cat([torch.full_like(b[:, :1], i), b], 1) for i, b in enumerate(rois)])
    shift = 0.5 if aligned else 0.0
    result = torch.zeros(len(rois), features.shape[1], size, size)
    for k, (image, *box) in enumerate(rois.tolist()):
        x1, y1, x2, y2 = (torch.tensor(side) * spatial_scale - shift for side in box)
        sides = []
        for start, end, pixels in ((y1, y2, features.shape[2]), (x1, x2, features.shape[3])):
            length = end - start if aligned else (end - start).clamp(min=1)
            bin_length = length / size
            points = sampling_ratio if sampling_ratio > 0 else int(bin_length.ceil())
            steps = (torch.arange(points) + 0.5) / max(points, 1)
            where = start + (torch.arange(size)[:, None] + steps[None, :]) * bin_length
            sides.append((points, _between(where.flatten(), pixels)))
        (rows, (top, bottom, of_top, of_bottom)), (columns, (left, right, of_left, of_right)) = sides
        if rows <= 0 or columns <= 0:
            continue
        picture = features[int(image)]
        lines = picture[:, top] * of_top[:, None] + picture[:, bottom] * of_bottom[:, None]
        values = lines[:, :, left] * of_left + lines[:, :, right] * of_right
        result[k] = values.view(-1, size, rows, size, columns).mean((2, 4))
    return result


def use_in(torchvision):
    """Puts both where torchvision, and what imports them from it later, find them."""
    import sys

    # By name, as the package has functions of the same names as its modules.
    modules = sys.modules
    modules["torchvision.ops.boxes"].nms = modules["torchvision.ops"].nms = nms
    modules["torchvision.ops"].roi_align = roi_align
    modules["torchvision.ops.poolers"].roi_align = roi_align
    modules["torchvision.models.detection.roi_heads"].roi_align = roi_align
