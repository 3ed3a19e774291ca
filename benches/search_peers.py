# The peers: exact and approximate search by faiss and usearch, on one thread.
#
# Reads commands from standard input, one a line, and answers each with a line of JSON, so that the bench can take turns
# with it: `load FILE COUNT DIMENSION` and `queries FILE DIMENSION` name 32-bit numbers, row after row; `build PEER`
# makes an index; `search PEER FROM HOW_MANY` looks for the nearest ten of some queries, in one call; `drop PEER`.

import gc
import json
import sys
import time

import faiss
import numpy
import usearch
import usearch.index

NEAREST = 10
faiss.omp_set_num_threads(1)
vectors = queries = None
indices = {}


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 / 1e6 for line in status if line.startswith("VmRSS:"))


def load(file, count, dimension):
    global vectors
    indices.clear()
    vectors = numpy.fromfile(file, dtype=numpy.float32).reshape(int(count), int(dimension))
    return {"faiss": faiss.__version__, "usearch": usearch.__version__, "options": faiss.get_compile_options().strip()}


def read_queries(file, dimension):
    global queries
    queries = numpy.fromfile(file, dtype=numpy.float32).reshape(-1, int(dimension))
    return {"count": len(queries)}


def build(peer):
    dimension = vectors.shape[1]
    before, start = resident(), time.perf_counter()
    if peer == "flat":
        index = faiss.IndexFlatL2(dimension)
        index.add(vectors)
    elif peer == "scalar":
        index = faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_L2)
        index.train(vectors[:100_000])
        index.add(vectors)
    elif peer == "hnsw":
        index = usearch.index.Index(ndim=dimension, metric="l2sq", dtype="f32")
        index.add(numpy.arange(len(vectors)), vectors, threads=0)
    else:
        # Reads the vectors where they are.
        index = vectors
    indices[peer] = index
    gc.collect()
    return {"seconds": time.perf_counter() - start, "megabytes": resident() - before}


def search(peer, start, how_many):
    asked = queries[int(start) : int(start) + int(how_many)]
    wall, core = time.perf_counter(), time.process_time()
    if peer in ("flat", "scalar"):
        _, keys = indices[peer].search(asked, NEAREST)
    elif peer == "hnsw":
        keys = indices[peer].search(asked, NEAREST, threads=1).keys
    else:
        keys = usearch.index.search(indices[peer], asked, NEAREST, "l2sq", exact=True, threads=1).keys
    core, wall = time.process_time() - core, time.perf_counter() - wall
    return {"core": core * 1e3, "wall": wall * 1e3, "keys": numpy.asarray(keys).reshape(-1).tolist()}


def drop(peer):
    indices.pop(peer, None)
    gc.collect()
    return {}


commands = {"load": load, "queries": read_queries, "build": build, "search": search, "drop": drop}
for line in sys.stdin:
    command, *rest = line.split()
    try:
        answer = commands[command](*rest)
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), flush=True)
