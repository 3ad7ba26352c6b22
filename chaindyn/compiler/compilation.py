"""Functions of a chain as machine code: recorded, written as a program, compiled, and called as they are."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from chaindyn.compiler.c import c_sources
from chaindyn.compiler.javascript import js_kernel
from chaindyn.compiler.native import Kernel, NoCompiler
from chaindyn.compiler.plan import MOST_STRAIGHT
from chaindyn.compiler.programs import (
    Program,
    Runs,
    comparable,
    is_flat_tuple,
    kept,
    name_of,
    prepare,
)
from chaindyn.compiler.recorded import Recorded, kernel_for, model_tables, record
from chaindyn.compiler.recording import CannotRecord
from chaindyn.compiler.rolled import Opaque
from chaindyn.compiler.slopes import (
    DerivativePrograms,
    derivative_programs,
    tangent_kernel,
)
from chaindyn.compiler.ways import (
    DERIVATIVES,
    Chain,
    aba,
    alternative,
    drawn_in,
    held_acceleration,
)
from chaindyn.guards.arguments import FLAGS, check_chain, check_shapes, check_threads, check_word
from chaindyn.guards.model import check_numbers

__all__ = ["compiled"]

Array = Any


# what `compiled` makes, and whether a model's numbers are in its program
TargetWord = Literal["native", "c", "javascript"]
ParametersWord = Literal["fixed", "data"]
TARGETS: set[str] = set(get_args(TargetWord))
PARAMETERS: set[str] = set(get_args(ParametersWord))

# shapes of arguments by name, where a function does not say
SHAPES: dict[str, tuple[Any, ...]] = {
    "q": ("nq",),
    "qd": ("nv",),
    "qdd": ("nv",),
    "tau": ("nv",),
    "step": ("nv",),
    "external": ("n", 6),
    "point": (3,),
    "normal": (3,),
    "restitution": (),
    "q_desired": ("nq",),
    "qd_desired": ("nv",),
    "qdd_desired": ("nv",),
    "q0": ("nq",),
    "q1": ("nq",),
}


@dataclass(frozen=True, eq=False)
class Given:
    """A function of a chain some of whose arguments, by name, are the same in each call: it takes the others."""

    function: Callable[..., Any]
    arguments: dict[str, Any]

    def __post_init__(self) -> None:
        whole = inspect.signature(self.function)
        others = [p for name, p in whole.parameters.items() if name not in self.arguments]
        object.__setattr__(self, "__signature__", whole.replace(parameters=others))
        for name in ("cores", "words"):
            object.__setattr__(self, name, getattr(self.function, name, {}))
        object.__setattr__(self, "__name__", name_of(self.function))

    def __reduce__(self) -> tuple[Any, ...]:
        return Given, (self.function, self.arguments)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function does."""
        others = inspect.signature(self).bind(*args, **kwargs).arguments
        return self.function(**others, **self.arguments)


@dataclass(frozen=True, eq=False, repr=False)
class Differentiated:
    """A function of a chain with its derivatives, as machine code: called like the function, without the chain."""

    whole: Compiled
    made: dict[Any, DerivativePrograms] = field(default_factory=dict, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return anew(self.whole, derivatives=True)

    def __repr__(self) -> str:
        return f"<{name_of(self.whole.function)} and its derivatives, compiled for {self.whole.chain.n} links>"

    @property
    def runs(self) -> Runs:
        """How often the function itself, not its derivatives, ran in its program, and how often as it stands."""
        return self.whole.runs

    @cached_property
    def value(self) -> Any:
        """The function as machine code."""
        return self.whole.quick() or self.whole

    @cached_property
    def quick(self) -> Any:
        """The derivatives as machine code: without Python in between, of one state, if the result is one array."""
        whole = self.whole
        names = whole.required()
        try:
            own = None if names is None else self.slopes_for(dict.fromkeys(names), {})
        except RuntimeError:  # it may want options
            own = None
        simple = own is not None and isinstance(own.program.nest, Opaque | np.ndarray)
        flat = own is not None and all(len(turn) == 1 for turn in own.program.kernel.inputs)
        return (own.one.quick(self.derivatives, True) if own and simple and flat else None) or (
            self.derivatives
        )

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """Return what the function does, and how that changes with each argument that is an array."""
        result = self.value(*args, **kwargs)  # which finds what is bad
        return result, (self.derivatives if kwargs else self.quick)(*args, **kwargs)

    def derivatives(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return how the function changes with each argument that is an array. ValueError if that is not finite."""
        whole = self.whole
        arrays, options = whole.sorted_out(whole.signature.bind(*args, **kwargs).arguments)
        slopes = self.slopes_for(arrays, options)
        prepared = prepare(slopes.program, whole.chain, arrays)
        if prepared is None:
            raise ValueError("derivatives are of floats, but an argument is of another kind")
        batch, values = prepared
        found, wrong = slopes.of(values, batch, whole.threads)
        if wrong:
            raise ValueError("the derivatives are not finite there")
        return slopes.sorted_out(found)

    def slopes_for(self, arrays: dict[str, Any], options: dict[str, Any]) -> DerivativePrograms:
        """Return the derivatives for these arguments, recorded and compiled at first; RuntimeError if that fails."""
        key = (tuple(arrays), tuple((k, comparable(v)) for k, v in sorted(options.items())))
        if key not in self.made:
            whole = self.whole
            cores = {name: whole.core(name, options) for name in arrays}
            try:
                kernel, nest = tangent_kernel(whole.function, whole.chain, cores, options)
            except (CannotRecord, NoCompiler) as error:
                name = name_of(whole.function)
                raise RuntimeError(f"the derivatives of {name} are not compiled: {error}") from None
            self.made[key] = derivative_programs(kernel, nest, cores)
        return self.made[key]


@dataclass(frozen=True, eq=False, repr=False)
class DifferentiatedByLaw(Differentiated):
    """A function whose derivatives by the arguments that it needs have a law of their own, as machine code."""

    @cached_property
    def quick(self) -> Any:
        """The law as machine code."""
        whole = self.whole
        law = alternative(DERIVATIVES, whole.function) or whole.function
        own = Compiled(law, whole.chain, whole.threads, whole.shapes)
        return own.quick() or own

    def derivatives(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return what the law does; of other arguments, or options that it has not, by the function's slopes."""
        given = self.whole.signature.bind(*args, **kwargs).arguments
        given = {name: value for name, value in given.items() if value is not None}
        by_law = given.keys() <= {*(self.whole.required() or ()), "external_frame"}
        return self.quick(**given) if by_law else super().derivatives(**given)


@dataclass(frozen=True, eq=False, repr=False)
class Compiled:
    """A function of a chain as machine code: called like the function, without the chain.

    programs : by arguments and options; doors : the kernels that are called without Python, which count for themselves;
    counts : of the other states, how many were compiled and how many interpreted.
    """

    function: Callable[..., Any]
    chain: Chain
    threads: int = field(compare=False)  # no result hangs on it
    shapes: dict[str, tuple[Any, ...]]
    open_model: bool = False
    programs: dict[Any, Program | None] = field(default_factory=dict, compare=False)
    doors: list[Kernel] = field(default_factory=list, compare=False)
    counts: list[int] = field(default_factory=lambda: [0, 0], compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return anew(self)

    @property
    def runs(self) -> Runs:
        """How many states ran in the program so far, and how many as the function stands."""
        own, interpreted = self.counts
        return Runs(own + sum(int(k.room_of_door[0][0]) for k in self.doors), interpreted)

    def door_to(self, kernel: Kernel, several: bool) -> Any:
        """Return a callable that goes straight to a kernel, or else here; None if there is none."""
        if kernel not in self.doors:
            kernel.room_of_door[0][0] = 0
            self.doors.append(kernel)
        return kernel.quick(self, several)

    @cached_property
    def signature(self) -> inspect.Signature:
        """The arguments of the function but the chain."""
        whole = inspect.signature(self.function)
        return whole.replace(parameters=list(whole.parameters.values())[1:])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function does, to rounding."""
        given = self.signature.bind(*args, **kwargs).arguments
        arrays, options = self.sorted_out(given)
        lanes = any(np.ndim(x) > len(self.core(name, options)) for name, x in arrays.items())
        program = self.program(arrays, options, lanes)
        prepared = None if program is None else prepare(program, self.chain, arrays)
        if program is not None and prepared is not None:
            batch, values = prepared
            results, wrong = program.computed(values, batch, self.threads)
            self.counts[bool(wrong)] += int(np.prod(batch))
            if not wrong:
                return program.assembled(results, batch)
        else:
            self.counts[1] += self.states_in(arrays, options)
        # something is not as it must be: the function itself says what, or judges it at leisure
        return self.function(self.chain, **given)

    def __repr__(self) -> str:
        return f"<{name_of(self.function)}, compiled for {self.chain.n} links>"

    def states_in(self, arrays: dict[str, Any], options: dict[str, Any]) -> int:
        """Return how many states arguments hold, 1 if they do not fit each other."""
        try:
            shapes = [
                np.shape(x)[: np.ndim(x) - len(self.core(k, options))] for k, x in arrays.items()
            ]
            return int(np.prod(np.broadcast_shapes(*shapes)))
        except ValueError:
            return 1

    def sorted_out(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arguments that are arrays, and the others, by name."""
        arrays = {k: v for k, v in given.items() if k in self.shapes and v is not None}
        return arrays, {k: v for k, v in given.items() if k not in arrays}

    def program(
        self, arrays: dict[str, Any], options: dict[str, Any], lanes: bool, loud: bool = True
    ) -> Program | None:
        """Return the program for these arguments, recorded and compiled at first; None if it cannot be.

        lanes : whether there is a batch; loud : whether a warning says so.
        """
        try:
            said = tuple((k, comparable(v)) for k, v in sorted(options.items()))
            key = (lanes, tuple(arrays), said)
        except TypeError:  # an option that cannot be compared
            return None
        if key not in self.programs:
            program = self.made(arrays, options, lanes, loud)
            if program is None and not loud:
                return None
            self.programs[key] = program
        return self.programs[key]

    def made(
        self, arrays: dict[str, Any], options: dict[str, Any], lanes: bool, loud: bool
    ) -> Program | None:
        """Record and compile for these arguments; None, with a warning, where that cannot be done."""
        cores = {name: self.core(name, options) for name in arrays}
        words = getattr(self.function, "words", {})
        for name in words.keys() & options.keys():
            check_word(options[name], name, words[name])
        try:
            return self.program_of(cores, options, lanes)
        except (CannotRecord, NoCompiler) as error:
            if not loud:
                return None
            warnings.warn(
                f"{name_of(self.function)} is not compiled, and runs as it stands: {error}",
                RuntimeWarning,
                stacklevel=4,
            )
            return None

    def program_of(
        self, cores: dict[str, tuple[Any, ...]], options: dict[str, Any], lanes: bool
    ) -> Program:
        """Return the program of the function."""
        kernel, nest = kernel_for(
            self.function, self.chain, cores, options, lanes=lanes, open_model=self.open_model
        )
        return Program(kernel, tuple(cores), tuple(cores.values()), nest)

    def for_chain(self, chain: Chain) -> Any:
        """Return the same for another chain with the same tree and kinds of joints; ValueError if it has not."""
        mine, others = ([type(j) for j in x.joints] for x in (self.chain, chain))
        if chain.parent != self.chain.parent or mine != others:
            raise ValueError(
                "the other chain has another tree or other joints: compile the function for it"
            )
        whole = Compiled(self.function, chain, self.threads, self.shapes, self.open_model)
        return whole.quick() or whole

    def required(self) -> list[str] | None:
        """Return the names of the required arguments, if all are arrays that may be given by position; else None."""
        required = [p for p in self.signature.parameters.values() if p.default is p.empty]
        plain = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.name in self.shapes for p in required)
        return [p.name for p in required] if plain else None

    def quick(self) -> Any:
        """Return a quicker callable for one state given by position, if the required arguments are arrays."""
        names = self.required()
        program = None if names is None else self.program(dict.fromkeys(names), {}, False, False)
        if program is None or not (
            isinstance(program.nest, Opaque | np.ndarray) or is_flat_tuple(program.nest)
        ):
            return None
        return program.quick(self)

    def core(self, name: str, options: dict[str, Any]) -> tuple[Any, ...]:
        """Return the shape of an argument: of some velocities only, if the function is told so by a mask."""
        options = getattr(self.function, "arguments", {}) | options
        if "prescribed" in options and name in ("qdd", "tau"):
            mask = np.asarray(options["prescribed"], bool)
            return (tuple(np.flatnonzero(mask if name == "qdd" else ~mask).tolist()),)
        return self.shapes[name]


def anew(whole: Compiled, derivatives: bool = False) -> tuple[Any, ...]:
    """Return what makes a compiled function again, here or in another process: machine code cannot be sent."""
    make = partial(
        compiled,
        derivatives=derivatives,
        threads=whole.threads,
        parameters="data" if whole.open_model else "fixed",
        shapes=whole.shapes,
    )
    return make, (whole.function, whole.chain)


def compiled(
    function: Callable[..., Any],
    chain: Chain,
    *,
    target: TargetWord = "native",
    derivatives: bool = False,
    threads: int | None = None,
    parameters: ParametersWord = "fixed",
    shapes: dict[str, tuple[Any, ...]] | None = None,
    given: dict[str, Any] | None = None,
) -> Any:
    """Return a function of a chain, such as `aba`, as machine code: it takes what the function takes but the chain.

    function : of the package, or one's own made of such; chain : it is compiled for; threads : that a batch of states
    is shared among, all cores if None; shapes : of arguments that are arrays, by name, where the function's checks or
    the usual names do not tell: ("nq",), ("nv",), ("n", 6), (3,) or () for a number. Other arguments are options: for
    each set of them the function is recorded once, when it is first called so. given : arguments that are the same in
    each call, such as the constraints of `constrained_forward_dynamics`; the compiled function takes the others,
    and of these alone it is quick. parameters : "data" leaves the numbers
    of the model out of the program, so that `for_chain(other)` serves other chains of the same tree and joints without
    compiling. derivatives : each call gives a pair, the result and a tuple of its derivatives by each argument that is
    an array, in order: (..., *shape of the result, *shape of the argument), by q along `integrate`, (..., nv). They
    need a compiler (RuntimeError), but for `aba` and `rnea`, and end where they are not finite (ValueError).
    target : "javascript" gives the text
    of an ES module instead, whose default export takes the required arguments; "c" gives a program in C, whose
    `write(folder)` leaves a header and a source for others to compile. One state or a batch, the same results to
    rounding, and the same errors: what is doubtful is given to the function itself. `runs` says how many states the
    program computed so far, and how many the function did. RuntimeWarning, once, if a function cannot be recorded, or
    if there is no C compiler.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> fast = compiled(aba, rod)
    >>> q = np.array([[0], [np.pi / 3]])
    >>> fast(q, np.zeros((2, 1)), np.zeros((2, 1))).round(4)
    array([[14.715 ],
           [ 7.3575]])
    """
    check_chain(chain)
    if not callable(function):
        raise ValueError(
            f"function is {function!r}, but must be a function of a chain, such as aba"
        )
    for name, value, words in (
        ("target", target, TARGETS),
        ("parameters", parameters, PARAMETERS),
        ("derivatives", derivatives, FLAGS),
    ):
        check_word(value, name, words)
    check_numbers(chain)
    if given is not None:
        function = Given(function, check_given(given, function))
    names = list(inspect.signature(function).parameters)[1:]
    known = SHAPES | cores_of(function) | check_shapes(shapes, names)
    count = check_threads(threads)
    own = {name: shape for name, shape in known.items() if name in names}
    whole = Compiled(function, chain, count, own, parameters == "data")
    if derivatives:
        if target != "native" or parameters != "fixed":
            raise ValueError('derivatives need target="native" and parameters="fixed"')
        return (DifferentiatedByLaw if alternative(DERIVATIVES, function) else Differentiated)(
            whole
        )
    if target == "c":
        return in_c(whole)
    return javascript(whole) if target == "javascript" else whole.quick() or whole


def check_given(given: Any, function: Callable[..., Any]) -> dict[str, Any]:
    """Return arguments by name; ValueError if a function does not take them, or if it is the chain."""
    names = list(inspect.signature(function).parameters)[1:]
    if not isinstance(given, dict) or not given.keys() <= set(names):
        raise ValueError(
            f"given is {given!r}, but must have arguments of {name_of(function)} by name: some of {names}"
        )
    return dict(given)


@dataclass(frozen=True)
class Sources:
    """A function of a chain as a program in C for others: the text of a header and of a program, and their name."""

    name: str
    header: str = field(repr=False)
    program: str = field(repr=False)

    def write(self, folder: Any) -> tuple[Path, Path]:
        """Write `name`.h and `name`.c into a folder, which is made if need be, and return their paths.

        OSError where that cannot be done.
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        paths = Path(folder) / f"{self.name}.h", Path(folder) / f"{self.name}.c"
        for path, text in zip(paths, (self.header, self.program), strict=True):
            path.write_text(text, encoding="utf-8")
        return paths


def in_c(whole: Compiled) -> Sources:
    """Return a program in C whose function takes the required arguments of one state, and then places for results."""
    cores, recorded = recorded_required(whole, MOST_STRAIGHT)
    chain, (inputs, results) = whole.chain, recorded.lengths
    word = name_of(whole.function)
    name = word if word.isidentifier() and word.isascii() else "of_chain"
    tree, data, common = model_tables(recorded, chain)
    tables = chain.n, chain.nq, chain.nv, tree.ravel(), data, common
    given = dict(zip(cores, inputs, strict=True))
    return Sources(name, *c_sources(recorded.plan, name, given, results, tables))


def recorded_required(
    whole: Compiled, straight: int
) -> tuple[dict[str, tuple[Any, ...]], Recorded]:
    """Return the shapes of the required arguments, and the function recorded for them; ValueError if one has none."""
    required = [p for p in whole.signature.parameters.values() if p.default is p.empty]
    if missing := [p.name for p in required if p.name not in whole.shapes]:
        raise ValueError(f"the shapes of {missing} are not known: name them in shapes")
    cores = {p.name: whole.core(p.name, {}) for p in required}
    options: dict[str, Any] = {"open_model": whole.open_model, "straight": straight}
    return cores, record(whole.function, whole.chain, cores, {}, **options)


def javascript(whole: Compiled) -> str:
    """Return an ES module whose default export is the function: it takes and gives arrays of numbers, for one state."""
    cores, recorded = recorded_required(whole, 0)
    plan, chain = recorded.plan, whole.chain
    tree, data, common = model_tables(recorded, chain)
    keep = plan.room
    room = keep + max(plan.kept, 1)
    lengths = recorded.lengths
    names = ",".join(f"a{k}" for k in range(len(cores)))
    word = name_of(whole.function)
    return f"""// {word if word.isidentifier() else "a function"} of a chain, recorded
{js_kernel(plan, "kernel", len(lengths[0]), len(lengths[1]))}
const floats=(x)=>Float64Array.from(x);
const sizes=[{chain.n},{chain.nq},{chain.nv},{keep}],lengths={lengths[0]};
const tree=Int32Array.from({tree.ravel().tolist()});
const D=floats({numbers_in(data)}),G=floats({numbers_in(common)});
const w=new Float64Array({room});
export default function({names}){{
  const inputs=[{names}].map((x)=>typeof x==="number"?[x]:x);
  inputs.forEach((x,k)=>{{
    if(x.length!==lengths[k])
      throw new RangeError(`argument ${{k}} has ${{x.length}} numbers, but must have ${{lengths[k]}}`);
  }});
  const outputs={lengths[1]}.map((size)=>new Float64Array(size));
  kernel(sizes,tree,D,G,inputs,outputs,w);
  if(!outputs.pop().every((x)=>x>0))
    throw new RangeError("no answer: an argument is not allowed, or some joint feels no inertia");
  return outputs.length===1?outputs[0]:outputs;
}}
"""


def numbers_in(x: Array) -> str:
    """Return numbers as JSON has them."""
    return json.dumps(x.tolist())


def cores_of(function: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    """Return the shapes that a function's checks know of its arguments."""
    known: dict[str, tuple[Any, ...]] = getattr(function, "cores", {})
    return known


def forward_dynamics(chain: Chain, function: Callable[..., Array] = aba) -> Callable[..., Array]:
    """Return `aba`, or another function like it, compiled for a chain: once for each chain."""
    spans = "h" in inspect.signature(function).parameters
    shapes: dict[str, Any] | None = {"h": ()} if spans else None
    forward: Callable[..., Array] = kept(
        chain, function, lambda: compiled(function, chain, shapes=shapes)
    )
    return forward


def of_loops(
    function: Callable[..., Any], chain: Chain, given: dict[str, Any]
) -> Callable[..., Any]:
    """Return a function of a chain with loops, compiled: once for each chain and what is given."""
    key = (function, *given.values())
    made: Callable[..., Any] = kept(chain, key, lambda: compiled(function, chain, given=given))
    return made


def held_dynamics(driven: Any) -> Callable[..., Array]:
    """Return forward dynamics of a driven chain with loops, compiled."""
    given = {
        "constraints": driven.constraints,
        "stabilisation": driven.gains,
        "tolerance": driven.tolerance,
    }
    return of_loops(held_acceleration, driven.chain, given)


def drawing_in(chain: Chain, constraints: tuple[Any, ...], share: float) -> Callable[..., Any]:
    """Return `drawn_in` of q and qd, compiled."""
    return of_loops(drawn_in, chain, {"constraints": constraints, "share": share})
