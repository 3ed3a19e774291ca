"""Whether the nets of a pack answer the same on two kinds of processors:

    python processors.py PACK SET OUT.npz [--faces N]      # on each of them, or under an emulator
    python processors.py --compare ONE.npz OTHER.npz

SET is the output of ages/pack.py. Each net sees the same faces, scaled to its input without a filter, whatever it is for: what is compared
are its numbers, not whether they are right. Needs numpy and onnxruntime only; take the same version of the latter for both.
"""

import argparse
import json
import os
import pathlib

import numpy as np

FACES = 20


def scaled(crops, width, height):
    """Bytes [n, s, s, 3] at another size, each pixel the nearest one."""
    rows, columns = (np.arange(size) * crops.shape[1] // size for size in (height, width))
    return crops[:, rows][:, :, columns]


def answers(pack, crops):
    """All outputs of all nets by name, float32 [n, ...]."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it would report its use to its maker
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    found = {}
    for model in json.loads((pack / "pack.json").read_text())["models"]:
        if not model.get("file") or model["file"]["path"] in {name.split(":")[0] for name in found}:
            continue
        path, given = model["file"]["path"], model["input"]
        net = onnxruntime.InferenceSession(str(pack / path), options, providers=["CPUExecutionProvider"])
        pixels = (scaled(crops, given["width"], given["height"]) - np.array(given["mean"])) * np.array(given["scale"])
        told = [net.run(None, {given["name"]: one[None].transpose(0, 3, 1, 2).astype(np.float32)}) for one in pixels]
        for at, output in enumerate(net.get_outputs()):
            found[f"{path}:{output.name}"] = np.concatenate([one[at] for one in told])
        print(path, flush=True)
    return found


def compare(one, other):
    print("| output | largest number | differences: mean | largest |\n|---|---:|---:|---:|")
    for name in one:
        apart = np.abs(one[name] - other[name])
        print(f"| {name} | {np.abs(one[name]).max():.3g} | {apart.mean():.1e} | {apart.max():.1e} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", type=pathlib.Path, nargs="+", metavar="PACK SET OUT.npz, or two files")
    parser.add_argument("--faces", type=int, default=FACES)
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    if options.compare:
        one, other = options.paths
        compare(np.load(one), np.load(other))
        return
    pack, folder, out = options.paths
    crops = np.load(folder / "crops.npy", "r")
    np.savez(out, **answers(pack, crops[:: len(crops) // options.faces][: options.faces]))


if __name__ == "__main__":
    main()
