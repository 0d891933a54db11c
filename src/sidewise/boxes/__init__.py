"""Where is it? Boxes on images: read, compared, and many workers' boxes joined into one."""

from sidewise.boxes.agreement import box_distance, iou_alpha
from sidewise.boxes.consensus import Consensus, consensus
from sidewise.boxes.geometry import area, clip_boxes, iou
from sidewise.boxes.reading import read_boxes
from sidewise.boxes.table import Boxes

__all__ = ["Boxes", "Consensus", "area", "box_distance", "clip_boxes", "consensus", "iou", "iou_alpha", "read_boxes"]
