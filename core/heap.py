"""What is loaded at the start, kept out of the collections of garbage that come later.

A whole collection holds the interpreter's lock, and with it the event loop, for as long as it takes
to look at every object: 70 ms for the 130,000 of the libraries and an index of 450 documents, on a
machine that has nothing else to do. They live as long as the process does.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def settled() -> Iterator[None]:
    """Look at what there is once more, and then not again for as long as the block lasts."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
