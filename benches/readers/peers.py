# The peers: readers of machine-readable zones from photographs, each on one thread.
#
# Reads commands from standard input, one a line, and answers each with a line of JSON, so that the bench can take turns
# with it: `load PEER` makes a reader ready; `read PEER FILE` answers its lines and the milliseconds on one core that it
# took, children included, the decoding of the file too.
#
# fastmrz needs the trained data `mrz` for Debian's tesseract. They may not be used commercially, so nothing here fetches
# them; name the folder in TESSDATA_PREFIX, or go without that peer.

import json
import os
import re
import resource
import sys
import warnings

# What the peers say about the libraries that they were written for.
warnings.filterwarnings("ignore")
os.environ.setdefault("OMP_THREAD_LIMIT", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2

cv2.setNumThreads(1)
readers = {}


def spent():
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage) * 1e3


def load_passporteye():
    import skimage.filters.ridges  # noqa: F401  (an older release of it is what the peer was written for)
    from passporteye import read_mrz

    def read(file):
        zone = read_mrz(file, extra_cmdline_params="--oem 1")
        text = zone.aux.get("text", "") if zone else ""
        return text.split()

    return read


def load_fastmrz():
    from fastmrz import FastMRZ

    reader = FastMRZ()
    return lambda file: (reader.get_details(file, ignore_parse=True) or "").split()


def load_rapidocr():
    from rapidocr_onnxruntime import RapidOCR

    reader = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)

    def read(file):
        found, _ = reader(file)
        lines = [re.sub(r"\s", "", text).replace("«", "<<").upper() for _, text, _ in found or []]
        return [line for line in lines if len(line) >= 28]

    return read


def load_tesseract():
    import pytesseract

    def read(file):
        text = pytesseract.image_to_string(cv2.imread(file, 0), config="--psm 6 --oem 1")
        lines = [re.sub(r"\s", "", line).upper() for line in text.splitlines()]
        return [line for line in lines if len(line) >= 28]

    return read


LOADERS = {
    "passporteye": load_passporteye,
    "fastmrz": load_fastmrz,
    "rapidocr": load_rapidocr,
    "tesseract": load_tesseract,
}


def answer(command):
    what, peer, *rest = command.split(" ", 2)
    if what == "load":
        readers[peer] = LOADERS[peer]()
        return {"ready": peer}
    before = spent()
    lines = readers[peer](rest[0])
    return {"lines": lines, "milliseconds": spent() - before}


# What the peers print must not come between the answers.
answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    try:
        result = answer(line.strip())
    except Exception as error:  # a peer that fails on a photo is a result, too
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(result), file=answers, flush=True)
