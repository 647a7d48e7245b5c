"""A call from XLA on a GPU, in the words of `xla`: launches on XLA's stream, by the driver's functions.

The first word of a description is the address of a table: cuLaunchKernel, cuStreamGetCtx, cuCtxPushCurrent,
cuCtxPopCurrent, and the first device. A device has the address of the next one, its primary context, the bytes of
scratch memory for each state, the number of kernels, and for each of these its entry, the threads of a block, the
states that a block computes, and its shared memory [bytes].

Arrays of XLA are row-major without gaps: an array has all states of the batch, or one for all of them.
"""

from collections.abc import Sequence

from kinetree.emit.cuda.entries import MANY, Kernel

SCRATCH = 1 << 30  # bytes of memory for intermediate values, at most; larger batches go in pieces
FUNCTIONS = ("cuLaunchKernel", "cuStreamGetCtx", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2")


def device(following: int, context: int, launches: Sequence[tuple[int, Kernel]]) -> list[int]:
    """The words of a device.

    Args:
        following: the address of the next one, or 0.
        context: its primary context.
        launches: the entries of the kernels there, and how they are launched.
    """
    scratch = max((kernel.scratch for _, kernel in launches), default=0)
    words = [x for entry, kernel in launches for x in (entry, kernel.threads, kernel.states, kernel.shared)]
    return [following, context, scratch, len(launches), *words]


MESSAGES = {
    "unknown": "kinetree: the code was not loaded on this device",
    "driver": "kinetree: the NVIDIA driver refused a launch with its error 000.",
}
_LENGTH = len(MESSAGES["driver"]) + 1

TEXT = f"""
; the error that the driver has
define internal ptr @of_driver(ptr %api, i32 %code) {{
  %message = alloca [{_LENGTH} x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %message, ptr @driver, i64 {_LENGTH}, i1 false)
  %ones = urem i32 %code, 10
  %rest = udiv i32 %code, 10
  %tens = urem i32 %rest, 10
  %left = udiv i32 %rest, 10
  %hundreds = urem i32 %left, 10
  %all = mul i32 %ones, 65536
  %middle = mul i32 %tens, 256
  %two = or i32 %all, %middle
  %three = or i32 %two, %hundreds
  %digits = or i32 %three, {0x2E303030}
  %place = getelementptr i8, ptr %message, i64 {_LENGTH - 5}
  store i32 %digits, ptr %place, align 1
  %error = call ptr @error(ptr %api, ptr %message, i32 $Error_Code_INTERNAL)
  ret ptr %error
}}

; all kernels of a device for some states; the driver's error, or 0
define internal i32 @launches(ptr %device, ptr %arrays, ptr %stream, ptr %scratch, i64 %first, i64 %states) {{
entry:
  %d = load ptr, ptr @description
  %table = get ptr %d 0
  %launch = get ptr %table 0
  %n = get i64 %d 8
  %m = get i64 %d 16
  %total = add i64 %n, %m
  %pairs = mul i64 %total, 2
  %words = add i64 %pairs, 2
  %values = alloca i64, i64 %words
  %size = alloca i64
  %extra = alloca [5 x i64]
  %bytes = mul i64 %words, 8
  store i64 %bytes, ptr %size
  put i64 1 %extra 0
  put ptr %values %extra 8
  put i64 2 %extra 16
  put ptr %size %extra 24
  put i64 0 %extra 32
  put i64 %states %values 0
  put ptr %scratch %values 8
  %pointers = getelementptr i64, ptr %arrays, i64 2
  %steps = getelementptr i64, ptr %pointers, i64 %total
  br label %array
array:
  %k = phi i64 [0, %entry], [%k.next, %array]
  %at.pointer = getelementptr ptr, ptr %pointers, i64 %k
  %pointer = load ptr, ptr %at.pointer
  %at.step = getelementptr i64, ptr %steps, i64 %k
  %step = load i64, ptr %at.step
  %offset = mul i64 %first, %step
  %begin = getelementptr i8, ptr %pointer, i64 %offset
  %k16 = mul i64 %k, 16
  %pair = getelementptr i8, ptr %values, i64 %k16
  put ptr %begin %pair 16
  put i64 %step %pair 24
  %k.next = add i64 %k, 1
  %more.k = icmp ult i64 %k.next, %total
  br i1 %more.k, label %array, label %test
test:
  %kernels = get i64 %device 24
  br label %next
next:
  %j = phi i64 [0, %test], [%j.next, %kernel]
  %failed = phi i32 [0, %test], [%error, %kernel]
  %more = icmp ult i64 %j, %kernels
  %good = icmp eq i32 %failed, 0
  %go = and i1 %more, %good
  br i1 %go, label %kernel, label %done
kernel:
  %j32 = mul i64 %j, 32
  %own = getelementptr i8, ptr %device, i64 %j32
  %entry.point = get ptr %own 32
  %threads = get i32 %own 40
  %each = get i64 %own 48
  %shared = get i32 %own 56
  %up = add i64 %states, %each
  %up1 = sub i64 %up, 1
  %blocks = udiv i64 %up1, %each
  %blocks.32 = trunc i64 %blocks to i32
  %error = call i32 %launch(ptr %entry.point, i32 %blocks.32, i32 1, i32 1, i32 %threads, i32 1, i32 1,
    i32 %shared, ptr %stream, ptr null, ptr %extra)
  %j.next = add i64 %j, 1
  br label %next
done:
  ret i32 %failed
}}

define internal ptr @compute(ptr %frame, ptr %args, ptr %rets) {{
entry:
  %call = alloca [8 x i64]
  %here = alloca ptr
  %api = get ptr %frame $CallFrame.api
  %context = get ptr %frame $CallFrame.ctx
  %d = load ptr, ptr @description
  %table = get ptr %d 0
  %n = get i64 %d 8
  %m = get i64 %d 16
  %strides = get i64 %d 48
  %first.result = load ptr, ptr %rets
  %states = call i64 @states_of(ptr %first.result, i64 %n)
  %total = add i64 %n, %m
  %twice = mul i64 %total, 2
  %both = add i64 %twice, %strides
  %words = add i64 %both, 2
  %arrays = alloca i64, i64 %words
  %rows = call i32 @take(ptr %args, ptr %rets, ptr %arrays, i64 %states)
  %fits = icmp eq i32 %rows, 1
  br i1 %fits, label %any, label %refused
any:
  %is.empty = icmp eq i64 %states, 0
  br i1 %is.empty, label %done, label %where
where:
  %e1 = ask Stream_Get ctx=ptr %context
  %no.stream = icmp ne ptr %e1, null
  br i1 %no.stream, label %returned, label %found
returned:
  ret ptr %e1
found:
  %stream = get ptr %call $Stream_Get_Args.stream
  %context.of = get ptr %table 8
  %push = get ptr %table 16
  %pop = get ptr %table 24
  %first.device = get ptr %table 32
  %c1 = call i32 %context.of(ptr %stream, ptr %here)
  %no.context = icmp ne i32 %c1, 0
  br i1 %no.context, label %driver1, label %look
driver1:
  %e2 = call ptr @of_driver(ptr %api, i32 %c1)
  ret ptr %e2
look:
  %device = phi ptr [%first.device, %found], [%device.next, %compare]
  %is.none = icmp eq ptr %device, null
  br i1 %is.none, label %elsewhere, label %compare
compare:
  %device.next = get ptr %device 0
  %own = get ptr %device 8
  %current = load ptr, ptr %here
  %is.here = icmp eq ptr %own, %current
  br i1 %is.here, label %memory, label %look

; scratch memory for as many states as fit into it
memory:
  %each = get i64 %device 16
  %is.plain = icmp eq i64 %each, 0
  br i1 %is.plain, label %enter, label %room
room:
  %fitting = udiv i64 $SCRATCH, %each
  %some = call i64 @llvm.smax.i64(i64 %fitting, i64 1)
  %most.there = call i64 @llvm.umin.i64(i64 %some, i64 %states)
  %bytes.there = mul i64 %most.there, %each
  %e3 = ask DeviceMemory_Allocate ctx=ptr %context, size=i64 %bytes.there, alignment=i64 16
  %no.memory = icmp ne ptr %e3, null
  br i1 %no.memory, label %exhausted, label %given
exhausted:
  ret ptr %e3
given:
  %scratch.there = get ptr %call $DeviceMemory_Allocate_Args.data
  br label %enter
enter:
  %most = phi i64 [%states, %memory], [%most.there, %given]
  %bytes = phi i64 [0, %memory], [%bytes.there, %given]
  %scratch = phi ptr [null, %memory], [%scratch.there, %given]
  %c2 = call i32 %push(ptr %own)
  %not.entered = icmp ne i32 %c2, 0
  br i1 %not.entered, label %free, label %piece
piece:
  %first = phi i64 [0, %enter], [%first.next, %piece]
  %rest = sub i64 %states, %first
  %fewer = call i64 @llvm.umin.i64(i64 %rest, i64 {MANY})
  %count = call i64 @llvm.umin.i64(i64 %fewer, i64 %most)
  %c3 = call i32 @launches(ptr %device, ptr %arrays, ptr %stream, ptr %scratch, i64 %first, i64 %count)
  %first.next = add i64 %first, %count
  %more = icmp ult i64 %first.next, %states
  %good = icmp eq i32 %c3, 0
  %go = and i1 %more, %good
  br i1 %go, label %piece, label %leave
leave:
  %c4 = call i32 %pop(ptr %here)
  br label %free

; XLA's memory is given back in the order of its stream
free:
  %code = phi i32 [%c2, %enter], [%c3, %leave]
  br i1 %is.plain, label %end, label %back
back:
  %e4 = ask DeviceMemory_Free ctx=ptr %context, size=i64 %bytes, data=ptr %scratch
  %dropped = call i1 @failed(ptr %api, ptr %e4)
  br label %end
end:
  %is.good = icmp eq i32 %code, 0
  br i1 %is.good, label %done, label %driver2
driver2:
  %e5 = call ptr @of_driver(ptr %api, i32 %code)
  ret ptr %e5
done:
  ret ptr null
elsewhere:
  %e6 = call ptr @error(ptr %api, ptr @unknown, i32 $Error_Code_INTERNAL)
  ret ptr %e6
refused:
  %e7 = call ptr @error(ptr %api, ptr @wrong, i32 $Error_Code_INVALID_ARGUMENT)
  ret ptr %e7
}}
"""
