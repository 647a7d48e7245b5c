"""The names under which compiled code is entered: all that a program needs to know whose code is in the cache."""

LOOP = "kinetree_loop"  # the inner loop of a NumPy ufunc
CALL = "kinetree_call"  # a single call from Python
FACTOR, SOLVE = "skyline_factor", "skyline_solve"  # the inner loops for symmetric systems
ASSEMBLE, PRODUCT, TRANSPOSED = (f"blocks_{x}" for x in ("assemble", "product", "transposed"))  # sums over points
RECURSION = "recursion"  # of least rows, from point to point
BARRIER = tuple(f"barrier_{x}" for x in ("weigh", "ratios", "correct", "move", "renew"))  # of interior-point methods
POOL = tuple(f"pool_{name}" for name in ("malloc", "calloc", "realloc", "free", "limit", "held"))  # memory of results
HANDLER, HANDLER_BIND = "xla_handler", "xla_handler_bind"  # a call from XLA, and what tells it about its function
