"""Names for the shapes of arrays, which public functions have in their heads.

A name says the last axes: `Array6x6` is (..., 6, 6), `ArrayNv` (..., nv), `ArrayNvx10N` (..., nv, 10 n). In front
of them stands the batch, where a function takes one. n is the number of links, nq of coordinates, nv of velocities.

An editor shows the name where a function, or what it returned, is pointed at; ``help`` shows the shape. A type
checker sees `Any`: NumPy's types know neither JAX's arrays nor symbols, and none of them counts a batch's axes. So
a wrong shape is found when the function is called.
"""

from typing import Annotated, Any

Scalar = Annotated[Any, "(...)"]

# one body: vectors, quaternions, poses, inertias
Array1 = Annotated[Any, "(..., 1)"]
Array3 = Annotated[Any, "(..., 3)"]
Array4 = Annotated[Any, "(..., 4)"]
Array6 = Annotated[Any, "(..., 6)"]
Array10 = Annotated[Any, "(..., 10)"]
Array3x3 = Annotated[Any, "(..., 3, 3)"]
Array4x4 = Annotated[Any, "(..., 4, 4)"]
Array6x6 = Annotated[Any, "(..., 6, 6)"]
Array2x3 = Annotated[Any, "(..., 2, 3)"]

# a state: coordinates, velocities, of which n_p are prescribed and n_f free
ArrayNq = Annotated[Any, "(..., nq)"]
ArrayNv = Annotated[Any, "(..., nv)"]
ArrayNvxNv = Annotated[Any, "(..., nv, nv)"]
Array3xNv = Annotated[Any, "(..., 3, nv)"]
Array6xNv = Annotated[Any, "(..., 6, nv)"]
ArrayNvx3 = Annotated[Any, "(..., nv, 3)"]
ArrayNvx6 = Annotated[Any, "(..., nv, 6)"]
Array6xNvxNv = Annotated[Any, "(..., 6, nv, nv)"]
Array2NvxNv = Annotated[Any, "(..., 2 nv, nv)"]
Array2Nvx2Nv = Annotated[Any, "(..., 2 nv, 2 nv)"]
ArrayNp = Annotated[Any, "(..., n_p)"]
ArrayNf = Annotated[Any, "(..., n_f)"]

# all links
ArrayN = Annotated[Any, "(..., n)"]
ArrayNx3 = Annotated[Any, "(..., n, 3)"]
ArrayNx6 = Annotated[Any, "(..., n, 6)"]
ArrayNx3x3 = Annotated[Any, "(..., n, 3, 3)"]
ArrayNx6x6 = Annotated[Any, "(..., n, 6, 6)"]
ArrayNxN = Annotated[Any, "(..., n, n)"]
Array6N = Annotated[Any, "(..., 6 n)"]
Array7N = Annotated[Any, "(..., 7 n)"]
Array10N = Annotated[Any, "(..., 10 n)"]
ArrayNvx10N = Annotated[Any, "(..., nv, 10 n)"]

# as many as there are: contacts or rows m, rows of loops r, unknowns b of a fit, others k
ArrayM = Annotated[Any, "(..., m)"]
ArrayMx3 = Annotated[Any, "(..., m, 3)"]
ArrayMx6 = Annotated[Any, "(..., m, 6)"]
ArrayMxNv = Annotated[Any, "(..., m, nv)"]
ArrayR = Annotated[Any, "(..., r)"]
ArrayB = Annotated[Any, "(..., b)"]
ArrayBxB = Annotated[Any, "(..., b, b)"]
ArrayBx10N = Annotated[Any, "(..., b, 10 n)"]
ArrayNvxB = Annotated[Any, "(..., nv, b)"]
ArrayK = Annotated[Any, "(..., k)"]
ArrayKx2 = Annotated[Any, "(..., k, 2)"]
ArrayKx3 = Annotated[Any, "(..., k, 3)"]
ArrayKxN = Annotated[Any, "(..., k, n)"]
Array6xK = Annotated[Any, "(..., 6, k)"]
