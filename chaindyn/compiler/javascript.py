"""Programs in JavaScript: functions that work in place on arrays of numbers."""

from __future__ import annotations

from chaindyn.compiler.plan import Plan
from chaindyn.compiler.text import first_values, lines_between, loop_lines

__all__: list[str] = []


def js_loop(plan: Plan, loop: int, name: str, shared: str) -> tuple[list[str], list[str]]:
    """Return the functions of a loop, one for each kind of link, and the lines that walk along the links."""
    functions, cases = [], []
    columns = ",tree" if plan.on_the_way else ""
    for kind in plan.widths:
        if not (lines := loop_lines(plan, "javascript", loop, kind)):
            continue
        own = f"{name}_{kind}_{loop}"
        top = f"function {own}({shared},i,d,o,p,q,v{columns}){{"
        functions.append("\n".join([top, *lines, "}"]))
        call = f"{own}({shared},i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]{columns});"
        cases.append(f"if(tree[t+1]==={kind}) {call}")
    if not cases:
        return [], []
    walk = "for(let i=0;i<n;i++)" if loop % 2 else "for(let i=n-1;i>=0;i--)"
    place = "const t=6*i,p=tree[t]<0?0:K(tree[t]);"
    return functions, [walk + "{" + place + "\n" + "\nelse ".join(cases) + "\n}"]


def js_names(plan: Plan, inputs: int, results: int) -> list[str]:
    """Return the lines that name what a program in JavaScript works on, and empty what sweeps inward add up."""
    lines = ["const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];"]
    lines += [f"const in{a}=inputs[{a}];" for a in range(inputs)]
    lines += [f"const out{r}=outputs[{r}];" for r in range(results)]
    lines.append("const g=w.subarray(keep);")
    if plan.gathered:
        empty = (
            f"w.fill(0,0,{plan.gathered});for(let i=0;i<n;i++)w.fill(0,K(i),K(i)+{plan.gathered});"
        )
        lines.append(empty)
    return lines


def js_kernel(plan: Plan, name: str, inputs: int, results: int) -> str:
    """Return the program in JavaScript, a function that works in place on arrays of numbers.

    name(sizes, tree, D, G, inputs, outputs, w): sizes are n, nq, nv and the length of all records, tree six whole
    numbers a link, D and G the model, w room to work: the records, then nobody's numbers; inputs and outputs are arrays
    of arrays. The last output is what must be positive.
    """
    arrays = [f"in{a}" for a in range(inputs)] + [f"out{r}" for r in range(results)]
    shared = ",".join(["D", "G", *arrays, "w", "g", "n", "nq", "nv"])
    text, body = [], [*js_names(plan, inputs, results), *first_values(plan, "javascript")]
    for loop in range(plan.last + 1):
        if loop:
            functions, lines = js_loop(plan, loop, name, shared)
            text += functions
            body += lines
        body += lines_between(plan, "javascript", loop)
    top = f"export function {name}(sizes,tree,D,G,inputs,outputs,w){{"
    return "\n".join([*text, top, *body, "}"]) + "\n"
