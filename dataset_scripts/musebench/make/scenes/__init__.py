"""Scenes drawn and sounded by this package: stand-ins for stage performances and games, made by a program.

`SCENES` maps a name to a scene; `Scene.render()` gives pictures and sound, the same on every call.
"""

from collections.abc import Mapping

from dataset_scripts.musebench.make.scenes.game import colossus, columns, lesson, refuge, wound
from dataset_scripts.musebench.make.scenes.scene import RenderedScene, Scene
from dataset_scripts.musebench.make.scenes.stage import chorus, room, stairs, supper, vigil

SCENES: Mapping[str, Scene] = {
    module.SCENE.name: module.SCENE
    for module in (vigil, stairs, chorus, room, supper, refuge, lesson, colossus, wound, columns)
}

__all__ = ["SCENES", "RenderedScene", "Scene"]
