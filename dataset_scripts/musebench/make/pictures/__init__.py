"""Clips of pictures: the view that moves over them, their sound, and the pictures drawn by own code."""

from dataset_scripts.musebench.make.pictures.moves import View, moved_views, open_picture
from dataset_scripts.musebench.make.pictures.paintings import PAINTINGS
from dataset_scripts.musebench.make.pictures.sounds import Layer, make_sound

__all__ = ["PAINTINGS", "Layer", "View", "make_sound", "moved_views", "open_picture"]
