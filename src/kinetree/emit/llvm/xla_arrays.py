"""The arrays of a call from XLA, in the words of `xla`: buffers as pointers and steps, and the loop on some states.

Words of the description that these functions read: the loop, the numbers of operands and results, XLA's number of the
type, the states of a piece, the size of a number and the number of strides; then rank and size of the core of each
array; then the strides.
"""

FIRST = 7  # words of a description before those of the arrays

TEXT = f"""
; the number of states in a buffer; -1 where its last dimensions don't hold as many numbers as the core of array k
define internal i64 @states_of(ptr %buffer, i64 %k) {{
entry:
  %d = load ptr, ptr @description
  %k16 = mul i64 %k, 16
  %own = getelementptr i8, ptr %d, i64 %k16
  %core = get i64 %own $FIRST
  %numbers = get i64 %own {8 * FIRST + 8}
  %rank = get i64 %buffer $Buffer.rank
  %dims = get ptr %buffer $Buffer.dims
  %leading = sub i64 %rank, %core
  br label %test
test:
  %j = phi i64 [0, %entry], [%j.next, %next]
  %before = phi i64 [1, %entry], [%before.next, %next]
  %behind = phi i64 [1, %entry], [%behind.next, %next]
  %more = icmp slt i64 %j, %rank
  br i1 %more, label %next, label %done
next:
  %at = getelementptr i64, ptr %dims, i64 %j
  %size = load i64, ptr %at
  %leads = icmp slt i64 %j, %leading
  %of.batch = select i1 %leads, i64 %size, i64 1
  %of.core = select i1 %leads, i64 1, i64 %size
  %before.next = mul i64 %before, %of.batch
  %behind.next = mul i64 %behind, %of.core
  %j.next = add i64 %j, 1
  br label %test
done:
  %same = icmp eq i64 %behind, %numbers
  %deep = icmp sge i64 %leading, 0
  %fits = and i1 %same, %deep
  %states = select i1 %fits, i64 %before, i64 -1
  ret i64 %states
}}

; pointers and steps of all arrays; an operand of one state has the step 0. Whether all of them fit
define internal i1 @take(ptr %args, ptr %rets, ptr %arrays, i64 %states) {{
entry:
  %d = load ptr, ptr @description
  %n = get i64 %d 8
  %m = get i64 %d 16
  %kind = get i32 %d 24
  %item = get i64 %d 40
  %count = get i64 %d 48
  %total = add i64 %n, %m
  %steps = getelementptr i64, ptr %arrays, i64 %total
  br label %test
test:
  %k = phi i64 [0, %entry], [%k.next, %next]
  %good = phi i1 [true, %entry], [%good.next, %next]
  %more = icmp ult i64 %k, %total
  br i1 %more, label %next, label %strides
next:
  %is.operand = icmp ult i64 %k, %n
  %k.result = sub i64 %k, %n
  %list = select i1 %is.operand, ptr %args, ptr %rets
  %place = select i1 %is.operand, i64 %k, i64 %k.result
  %at.buffer = getelementptr ptr, ptr %list, i64 %place
  %buffer = load ptr, ptr %at.buffer
  %type = get i32 %buffer $Buffer.dtype
  %data = get ptr %buffer $Buffer.data
  %own = call i64 @states_of(ptr %buffer, i64 %k)
  %k16 = mul i64 %k, 16
  %of.k = getelementptr i8, ptr %d, i64 %k16
  %numbers = get i64 %of.k {8 * FIRST + 8}
  %bytes = mul i64 %numbers, %item
  %is.one = icmp eq i64 %own, 1
  %is.single = and i1 %is.operand, %is.one
  %is.full = icmp eq i64 %own, %states
  %is.right = icmp eq i32 %type, %kind
  %fits = or i1 %is.single, %is.full
  %both = and i1 %fits, %is.right
  %good.next = and i1 %good, %both
  %step = select i1 %is.single, i64 0, i64 %bytes
  %at.pointer = getelementptr ptr, ptr %arrays, i64 %k
  store ptr %data, ptr %at.pointer
  %at.step = getelementptr i64, ptr %steps, i64 %k
  store i64 %step, ptr %at.step
  %k.next = add i64 %k, 1
  br label %test
strides:
  %t16 = mul i64 %total, 16
  %behind = getelementptr i8, ptr %d, i64 %t16
  %source = getelementptr i8, ptr %behind, i64 $FIRST
  %target = getelementptr i64, ptr %steps, i64 %total
  %size = mul i64 %count, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %source, i64 %size, i1 false)
  ret i1 %good
}}

; some states; whether the loop got no memory
define internal i1 @run(ptr %arrays, i64 %first, i64 %states) {{
entry:
  %d = load ptr, ptr @description
  %loop = get ptr %d 0
  %n = get i64 %d 8
  %m = get i64 %d 16
  %total = add i64 %n, %m
  %steps = getelementptr i64, ptr %arrays, i64 %total
  %moved = alloca ptr, i64 %total
  %count = alloca i64
  %lost = alloca i64
  %mode = alloca i32
  %plain = alloca i32
  store i64 %states, ptr %count
  store i64 0, ptr %lost
  br label %test
test:
  %k = phi i64 [0, %entry], [%k.next, %next]
  %more = icmp ult i64 %k, %total
  br i1 %more, label %next, label %go
next:
  %at.array = getelementptr ptr, ptr %arrays, i64 %k
  %array = load ptr, ptr %at.array
  %at.step = getelementptr i64, ptr %steps, i64 %k
  %step = load i64, ptr %at.step
  %offset = mul i64 %first, %step
  %begin = getelementptr i8, ptr %array, i64 %offset
  %at.moved = getelementptr ptr, ptr %moved, i64 %k
  store ptr %begin, ptr %at.moved
  %k.next = add i64 %k, 1
  br label %test
go:
; plain numbers
  call void %loop(ptr %moved, ptr %count, ptr %steps, ptr %lost)
; as before
  %noted = load i64, ptr %lost
  %bad = icmp ne i64 %noted, 0
  ret i1 %bad
}}
"""
