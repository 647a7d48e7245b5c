"""An entry point into the inner loop for a single state, without the overhead of a ufunc, in LLVM IR.

The function has the signature of CPython's vectorcall protocol. If every argument is a plain,
contiguous float64 array of exactly the core shape, it makes the result array and runs the loop on one state; whatever
else it is given goes to a fallback unchanged. So do quaternions in the first argument that are not of length one.
Addresses of this process and where the quaternions are come in a table, so that the code can be kept on disk.
`runtime.direct` builds the table and checks the layout of objects that is assumed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

from kinetree.emit.llvm.entries import CALL
from kinetree.emit.llvm.layout import element, table
from kinetree.lower.program import Program

# the layout of objects in memory, in bytes: CPython on 64 bits with the interpreter lock, NumPy's PyArrayObject
TYPE, DATA, NDIM, SHAPE, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
CALL_FALLBACK, CALL_TABLE, BYTES_CONTENT = 24, 32, 32
PLAIN = 0x0101  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
# the words of the table; then how far the squared length of a quaternion may be from one (a double), how many
# quaternions there are, and the index of the first number of each
TABLE = ("ndarray", "float64", "PyArray_NewFromDescr", "PyObject_Vectorcall", "Py_IncRef")


def applies(program: Program) -> bool:
    """One result that is an array, in float64."""
    shapes = [o.shape for o in (*program.operands, *program.written)]
    one = len(program.written) == 1 and bool(program.written[0].shape) and bool(program.operands)
    return one and not program.single and all(0 not in shape for shape in shapes)


def function(program: Program, loop: str, *, may_fail: bool) -> Iterator[str]:
    """The text of the function; ``self`` is the object that is called, with a table and a fallback.

    A loop that takes memory may fail.
    """
    operands, result = program.operands, program.written[0]
    arrays = [*operands, result]
    strides = [8 * prod(o.shape[d + 1 :]) for o in arrays for d in range(len(o.shape))]
    for name, values in (("steps", [0] * len(arrays) + strides), ("shape", result.shape), ("count", [1])):
        yield table(f"call.{name}", "i64", values)
    yield f"define ptr @{CALL}(ptr %self, ptr %args, i64 %nargs, ptr %names) #0 {{"
    yield "entry:"
    yield f"  %arrays = alloca [{len(arrays)} x ptr]"
    yield f"  %items = getelementptr i8, ptr %self, i64 {CALL_TABLE}"
    yield "  %bytes = load ptr, ptr %items"
    yield f"  %table = getelementptr i8, ptr %bytes, i64 {BYTES_CONTENT}"
    for k, word in enumerate(TABLE):
        yield f"  %{word}.p = getelementptr ptr, ptr %table, i64 {k}"
        yield f"  %{word} = load ptr, ptr %{word}.p, align 1"
    yield "  %positional = icmp eq ptr %names, null"
    yield "  %count = and i64 %nargs, 9223372036854775807"  # without PY_VECTORCALL_ARGUMENTS_OFFSET
    yield f"  %complete = icmp eq i64 %count, {len(operands)}"
    yield "  %ok = and i1 %positional, %complete"
    yield "  br i1 %ok, label %argument.0, label %slow"
    for k, operand in enumerate(operands):
        following = f"argument.{k + 1}" if k + 1 < len(operands) else "quaternions"
        yield from _argument(k, operand.shape, following)
    yield from _quaternions("fast")
    yield "fast:"
    yield "  call void %Py_IncRef(ptr %float64)"  # the constructor takes a reference over
    shape = f"i32 {len(result.shape)}, ptr @call.shape"
    arguments = f"ptr %ndarray, ptr %float64, {shape}, ptr null, ptr null, i32 0, ptr null"
    yield f"  %result = call ptr %PyArray_NewFromDescr({arguments})"
    yield "  %failed = icmp eq ptr %result, null"
    yield "  br i1 %failed, label %done, label %run"
    yield "run:"
    yield from element("result.data", "ptr", "%result", DATA, step="i8")
    yield f"  %result.slot = getelementptr ptr, ptr %arrays, i64 {len(operands)}"
    yield "  store ptr %result.data, ptr %result.slot"
    yield f"  call void @{loop}(ptr %arrays, ptr @call.count, ptr @call.steps, ptr null)"
    if may_fail:
        yield "  %error = call ptr @PyErr_Occurred()"
        yield "  %right = icmp eq ptr %error, null"
        yield "  br i1 %right, label %done, label %wrong"
        yield "wrong:"
        yield "  call void @Py_DecRef(ptr %result)"
        yield "  ret ptr null"
    else:
        yield "  br label %done"
    yield "done:"
    yield "  ret ptr %result"
    yield "slow:"
    yield from element("fallback", "ptr", "%self", CALL_FALLBACK, step="i8")
    yield "  %answer = call ptr %PyObject_Vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %names)"
    yield "  ret ptr %answer"
    yield "}"


def _argument(k: int, shape: tuple[int, ...], following: str) -> Iterator[str]:
    """Check one argument, a test at a time, and note where its numbers are."""
    yield f"argument.{k}:"
    yield from element("a", "ptr", "%args", k, tag=f".{k}")
    field = partial(element, base=f"%a.{k}", step="i8", tag=f".{k}")
    yield from field("type", "ptr", index=TYPE)
    yield f"  %is.array.{k} = icmp eq ptr %type.{k}, %ndarray"
    yield f"  br i1 %is.array.{k}, label %array.{k}, label %slow"
    yield f"array.{k}:"
    yield from field("dtype", "ptr", index=DTYPE)
    yield from field("ndim", "i32", index=NDIM)
    yield from field("flags", "i32", index=FLAGS)
    yield f"  %is.double.{k} = icmp eq ptr %dtype.{k}, %float64"
    yield f"  %is.ndim.{k} = icmp eq i32 %ndim.{k}, {len(shape)}"
    yield f"  %plain.{k} = and i32 %flags.{k}, {PLAIN}"
    yield f"  %is.plain.{k} = icmp eq i32 %plain.{k}, {PLAIN}"
    yield f"  %both.{k} = and i1 %is.double.{k}, %is.ndim.{k}"
    yield f"  %right.{k} = and i1 %both.{k}, %is.plain.{k}"
    yield f"  br i1 %right.{k}, label %sizes.{k}, label %slow"
    yield f"sizes.{k}:"
    yield from field("shape", "ptr", index=SHAPE)
    yield from field("data", "ptr", index=DATA)
    yield f"  %slot.{k} = getelementptr ptr, ptr %arrays, i64 {k}"
    yield f"  store ptr %data.{k}, ptr %slot.{k}"
    test = "true"
    for d, size in enumerate(shape):
        yield from element("size", "i64", f"%shape.{k}", d, tag=f".{k}.{d}")
        yield f"  %fits.{k}.{d} = icmp eq i64 %size.{k}.{d}, {size}"
        yield f"  %fit.{k}.{d} = and i1 {test}, %fits.{k}.{d}"
        test = f"%fit.{k}.{d}"
    yield f"  br i1 {test}, label %{following}, label %slow"


def _quaternions(following: str) -> Iterator[str]:
    """Check that the quaternions among the numbers of the first argument are of length one; what is NaN passes."""
    yield "quaternions:"
    yield f"  %tolerance.p = getelementptr double, ptr %table, i64 {len(TABLE)}"
    yield "  %tolerance = load double, ptr %tolerance.p, align 1"
    yield f"  %quaternions.p = getelementptr i64, ptr %table, i64 {len(TABLE) + 1}"
    yield "  %number = load i64, ptr %quaternions.p, align 1"
    yield "  br label %next"
    yield "next:"
    yield "  %k = phi i64 [ 0, %quaternions ], [ %k.next, %quaternion ]"
    yield "  %wrong.k = phi i1 [ false, %quaternions ], [ %outside, %quaternion ]"
    yield "  %last = icmp uge i64 %k, %number"
    yield "  %stop = or i1 %last, %wrong.k"
    yield "  br i1 %stop, label %checked, label %quaternion"
    yield "quaternion:"
    yield "  %k.next = add i64 %k, 1"
    yield "  %start.p = getelementptr i64, ptr %quaternions.p, i64 %k.next"
    yield "  %start = load i64, ptr %start.p, align 1"
    yield "  %x.p = getelementptr double, ptr %data.0, i64 %start"
    for j in range(4):
        yield from element("x", "double", "%x.p", j, tag=f".{j}")
        yield f"  %xx.{j} = fmul double %x.{j}, %x.{j}"
    yield "  %sum.1 = fadd double %xx.0, %xx.1"
    yield "  %sum.2 = fadd double %sum.1, %xx.2"
    yield "  %sum.3 = fadd double %sum.2, %xx.3"
    yield "  %off = fsub double %sum.3, 1.0"
    yield "  %less = fneg double %off"
    yield "  %above = fcmp ogt double %off, %tolerance"
    yield "  %below = fcmp ogt double %less, %tolerance"
    yield "  %outside = or i1 %above, %below"
    yield "  br label %next"
    yield "checked:"
    yield f"  br i1 %wrong.k, label %slow, label %{following}"
