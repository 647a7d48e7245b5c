"""An entry point into the inner loop for a single state, without the overhead of a ufunc, in LLVM IR.

The function has the signature of CPython's vectorcall protocol. If every argument is a plain,
contiguous float64 array of exactly the core shape, it makes the result arrays and runs the loop on one state; whatever
else it is given goes to a fallback unchanged. So do quaternions in the first argument that are not of length one.
It is the same for all programs: what differs, and the addresses of this process, come in a table.
`runtime.direct` builds the table and checks the layout of objects that is assumed here.
"""

from __future__ import annotations

from kinetree.emit.llvm.entries import CALL, LOOP

# the layout of objects in memory, in bytes: CPython on 64 bits with the interpreter lock, NumPy's PyArrayObject
TYPE, DATA, NDIM, SHAPE, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
CALL_FALLBACK, CALL_TABLE, BYTES_CONTENT = 24, 32, 32
PLAIN = 0x0101  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
MOST = 64  # operands and results of a ufunc

ADDRESSES = (
    "ndarray", "float64", "PyArray_NewFromDescr", "PyObject_Vectorcall", "Py_IncRef", "PyTuple_New", "PyTuple_SetItem",
)  # fmt: skip
# the table is read from front to back, in words of 8 bytes: these; for each operand the number of its dimensions and
# their sizes; the index of the first number of each quaternion; the same as of operands for each result; and the steps
# that the loop takes
WORDS = {
    **dict.fromkeys(ADDRESSES, "ptr"), **dict.fromkeys(("operands", "results", "quaternions"), "i64"),
    "tolerance": "double",  # how far the squared length of a quaternion may be from one
}  # fmt: skip


def _field(name: str, kind: str, base: str, offset: int) -> str:
    return f"%{name}.p = getelementptr i8, ptr {base}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}.p"


_WORDS = "\n  ".join(_field(name, kind, "%table", 8 * k) for k, (name, kind) in enumerate(WORDS.items()))
_NEW = "ptr %ndarray, ptr %float64, i32 %r.ndim.int, ptr %r.shape, ptr null, ptr null, i32 0, ptr null"
FUNCTION = f"""
declare void @{LOOP}(ptr, ptr, ptr, ptr)
declare ptr @PyErr_Occurred()
declare void @Py_DecRef(ptr)
@call.one = internal constant i64 1

define ptr @{CALL}(ptr %self, ptr %args, i64 %nargs, ptr %names) #0 {{
entry:
  %arrays = alloca [{MOST} x ptr]
  %made = alloca [{MOST} x ptr]
  {_field("bytes", "ptr", "%self", CALL_TABLE)}
  %table = getelementptr i8, ptr %bytes, i64 {BYTES_CONTENT}
  {_WORDS}
  %shapes = getelementptr i64, ptr %table, i64 {len(WORDS)}
  %positional = icmp eq ptr %names, null
  %count = and i64 %nargs, {(1 << 63) - 1}  ; without PY_VECTORCALL_ARGUMENTS_OFFSET
  %complete = icmp eq i64 %count, %operands
  %ok = and i1 %positional, %complete
  br i1 %ok, label %argument, label %slow

argument:  ; is it an array of float64
  %k = phi i64 [0, %entry], [%k.next, %size]
  %shape = phi ptr [%shapes, %entry], [%size.p, %size]
  %checked = icmp eq i64 %k, %operands
  br i1 %checked, label %quaternion, label %type
type:
  %a.p = getelementptr ptr, ptr %args, i64 %k
  %a = load ptr, ptr %a.p
  {_field("a.type", "ptr", "%a", TYPE)}
  %is.array = icmp eq ptr %a.type, %ndarray
  br i1 %is.array, label %array, label %slow
array:
  {_field("dtype", "ptr", "%a", DTYPE)}
  {_field("ndim", "i32", "%a", NDIM)}
  {_field("flags", "i32", "%a", FLAGS)}
  %dimensions = load i64, ptr %shape
  %dimensions.given = zext i32 %ndim to i64
  %is.ndim = icmp eq i64 %dimensions.given, %dimensions
  %is.double = icmp eq ptr %dtype, %float64
  %plain = and i32 %flags, {PLAIN}
  %is.plain = icmp eq i32 %plain, {PLAIN}
  %both = and i1 %is.double, %is.ndim
  %right = and i1 %both, %is.plain
  br i1 %right, label %data, label %slow
data:
  {_field("numbers", "ptr", "%a", DATA)}
  {_field("sizes", "ptr", "%a", SHAPE)}
  %array.p = getelementptr ptr, ptr %arrays, i64 %k
  store ptr %numbers, ptr %array.p
  %k.next = add i64 %k, 1
  br label %size
size:  ; is each of its dimensions as long as it must be
  %d = phi i64 [0, %data], [%d.next, %compare]
  %d.next = add i64 %d, 1
  %size.p = getelementptr i64, ptr %shape, i64 %d.next
  %last = icmp eq i64 %d, %dimensions
  br i1 %last, label %argument, label %compare
compare:
  %size.wanted = load i64, ptr %size.p
  %given.p = getelementptr i64, ptr %sizes, i64 %d
  %size.given = load i64, ptr %given.p
  %fits = icmp eq i64 %size.given, %size.wanted
  br i1 %fits, label %size, label %slow

quaternion:  ; is it of length one; what is NaN passes
  %q = phi i64 [0, %argument], [%q.next, %square]
  %first.p = getelementptr i64, ptr %shape, i64 %q
  %no.more = icmp eq i64 %q, %quaternions
  br i1 %no.more, label %result, label %square
square:
  %q.next = add i64 %q, 1
  %first = load i64, ptr %first.p
  %positions = load ptr, ptr %arrays
  %xyzw.p = getelementptr double, ptr %positions, i64 %first
  {_field("x", "double", "%xyzw.p", 0)}
  {_field("y", "double", "%xyzw.p", 8)}
  {_field("z", "double", "%xyzw.p", 16)}
  {_field("w", "double", "%xyzw.p", 24)}
  %xx = fmul double %x, %x
  %yy = fmul double %y, %y
  %zz = fmul double %z, %z
  %ww = fmul double %w, %w
  %xy = fadd double %xx, %yy
  %xyz = fadd double %xy, %zz
  %xyzw = fadd double %xyz, %ww
  %above = fsub double %xyzw, 1.0
  %below = fneg double %above
  %is.above = fcmp ogt double %above, %tolerance
  %is.below = fcmp ogt double %below, %tolerance
  %wrong = or i1 %is.above, %is.below
  br i1 %wrong, label %slow, label %quaternion

result:  ; an array for each
  %r = phi i64 [0, %quaternion], [%r.next, %keep]
  %core = phi ptr [%first.p, %quaternion], [%core.next, %keep]
  %all = icmp eq i64 %r, %results
  br i1 %all, label %run, label %make
make:
  call void %Py_IncRef(ptr %float64)  ; the constructor takes a reference over
  %r.ndim = load i64, ptr %core
  %r.ndim.int = trunc i64 %r.ndim to i32
  %r.shape = getelementptr i64, ptr %core, i64 1
  %new = call ptr %PyArray_NewFromDescr({_NEW})
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %fail, label %keep
keep:
  %made.p = getelementptr ptr, ptr %made, i64 %r
  store ptr %new, ptr %made.p
  {_field("new.numbers", "ptr", "%new", DATA)}
  %r.array = add i64 %r, %operands
  %new.array.p = getelementptr ptr, ptr %arrays, i64 %r.array
  store ptr %new.numbers, ptr %new.array.p
  %core.next = getelementptr i64, ptr %r.shape, i64 %r.ndim
  %r.next = add i64 %r, 1
  br label %result

run:
  call void @{LOOP}(ptr %arrays, ptr @call.one, ptr %core, ptr null)
  %error = call ptr @PyErr_Occurred()
  %done = icmp eq ptr %error, null
  br i1 %done, label %give, label %fail
give:
  %one = load ptr, ptr %made
  %is.one = icmp eq i64 %results, 1
  br i1 %is.one, label %end, label %several
several:
  %tuple = call ptr %PyTuple_New(i64 %results)
  %no.tuple = icmp eq ptr %tuple, null
  br i1 %no.tuple, label %fail, label %item
item:
  %i = phi i64 [0, %several], [%i.next, %item]
  %array.i.p = getelementptr ptr, ptr %made, i64 %i
  %array.i = load ptr, ptr %array.i.p
  %set = call i32 %PyTuple_SetItem(ptr %tuple, i64 %i, ptr %array.i)
  %i.next = add i64 %i, 1
  %items.set = icmp eq i64 %i.next, %results
  br i1 %items.set, label %end, label %item
end:
  %answer = phi ptr [%one, %give], [%tuple, %item]
  ret ptr %answer

fail:  ; drop what was made
  %left = phi i64 [%r, %make], [%results, %run], [%results, %several], [%left.next, %drop]
  %none.left = icmp eq i64 %left, 0
  br i1 %none.left, label %nothing, label %drop
drop:
  %left.next = sub i64 %left, 1
  %drop.p = getelementptr ptr, ptr %made, i64 %left.next
  %dropped = load ptr, ptr %drop.p
  call void @Py_DecRef(ptr %dropped)
  br label %fail
nothing:
  ret ptr null

slow:
  {_field("fallback", "ptr", "%self", CALL_FALLBACK)}
  %handed = call ptr %PyObject_Vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %names)
  ret ptr %handed
}}
"""
