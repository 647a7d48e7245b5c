"""The arrays of a call from XLA, in the words of `xla`: buffers as pointers and steps.

Words of the description that these functions read: the loop, or the table of `xla_cuda`; the numbers of operands and
results, XLA's number of the type, the states of a piece, the size of a number, the number of strides and the traits
that XLA asks for; then rank and size of the core of each array; then the strides.

Words of the arrays of a call: how many states are in a row, and the number of dimensions of rows; the pointers; the
steps from state to state in a row, and the strides, as the loop takes both; the sizes of the dimensions of rows; the
steps of each array along them. Where every array has all states or one for all of them, there is one row.
"""

FIRST = 8  # words of a description before those of the arrays

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

; the buffer of array k
define internal ptr @buffer(ptr %args, ptr %rets, i64 %k) {{
  %d = load ptr, ptr @description
  %n = get i64 %d 8
  %is.operand = icmp ult i64 %k, %n
  %k.result = sub i64 %k, %n
  %list = select i1 %is.operand, ptr %args, ptr %rets
  %place = select i1 %is.operand, i64 %k, i64 %k.result
  %at.buffer = getelementptr ptr, ptr %list, i64 %place
  %buffer = load ptr, ptr %at.buffer
  ret ptr %buffer
}}

; the bytes of one state of array k
define internal i64 @bytes_of(i64 %k) {{
  %d = load ptr, ptr @description
  %item = get i64 %d 40
  %k16 = mul i64 %k, 16
  %of.k = getelementptr i8, ptr %d, i64 %k16
  %numbers = get i64 %of.k {8 * FIRST + 8}
  %bytes = mul i64 %numbers, %item
  ret i64 %bytes
}}

; pointers and steps of all arrays. 1: as one row; 2: in several rows; 0: they don't fit
define internal i32 @take(ptr %args, ptr %rets, ptr %arrays, i64 %states) {{
entry:
  %d = load ptr, ptr @description
  %n = get i64 %d 8
  %m = get i64 %d 16
  %kind = get i32 %d 24
  %item = get i64 %d 40
  %count = get i64 %d 48
  %total = add i64 %n, %m
  %pointers = getelementptr i64, ptr %arrays, i64 2
  %steps = getelementptr i64, ptr %pointers, i64 %total
  store i64 %states, ptr %arrays
  put i64 0 %arrays 8
  br label %test
test:
  %k = phi i64 [0, %entry], [%k.next, %next]
  %good = phi i1 [true, %entry], [%good.next, %next]
  %row = phi i1 [true, %entry], [%row.next, %next]
  %more = icmp ult i64 %k, %total
  br i1 %more, label %next, label %strides
next:
  %buffer = call ptr @buffer(ptr %args, ptr %rets, i64 %k)
  %is.operand = icmp ult i64 %k, %n
  %type = get i32 %buffer $Buffer.dtype
  %data = get ptr %buffer $Buffer.data
  %own = call i64 @states_of(ptr %buffer, i64 %k)
  %bytes = call i64 @bytes_of(i64 %k)
  %is.one = icmp eq i64 %own, 1
  %is.single = and i1 %is.operand, %is.one
  %is.full = icmp eq i64 %own, %states
  %is.right = icmp eq i32 %type, %kind
  %is.known = icmp sge i64 %own, 0
  %may.be = or i1 %is.operand, %is.full
  %c1 = and i1 %is.right, %is.known
  %c2 = and i1 %c1, %may.be
  %good.next = and i1 %good, %c2
  %fits = or i1 %is.single, %is.full
  %row.next = and i1 %row, %fits
  %step = select i1 %is.single, i64 0, i64 %bytes
  %at.pointer = getelementptr ptr, ptr %pointers, i64 %k
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
  %rows = select i1 %row, i32 1, i32 2
  %result = select i1 %good, i32 %rows, i32 0
  ret i32 %result
}}

; the same for arrays that are spread over the dimensions of a batch, of which %last is the last; a row goes along the
; longest. Whether they fit
define internal i1 @spread(ptr %args, ptr %rets, ptr %arrays, i64 %last, ptr %sizes) {{
entry:
  %d = load ptr, ptr @description
  %n = get i64 %d 8
  %m = get i64 %d 16
  %count = get i64 %d 48
  %total = add i64 %n, %m
  %batch = add i64 %last, 1
  %pointers = getelementptr i64, ptr %arrays, i64 2
  %steps = getelementptr i64, ptr %pointers, i64 %total
  %behind = getelementptr i64, ptr %steps, i64 %total
  %outer = getelementptr i64, ptr %behind, i64 %count
  %outer.steps = getelementptr i64, ptr %outer, i64 %last
  put i64 %last %arrays 8
  br label %look
look:
  %l = phi i64 [0, %entry], [%l.next, %look]
  %longest = phi i64 [0, %entry], [%longest.next, %look]
  %length = phi i64 [-1, %entry], [%length.next, %look]
  %at.l = getelementptr i64, ptr %sizes, i64 %l
  %size = load i64, ptr %at.l
  %is.longer = icmp sge i64 %size, %length
  %longest.next = select i1 %is.longer, i64 %l, i64 %longest
  %length.next = select i1 %is.longer, i64 %size, i64 %length
  %l.next = add i64 %l, 1
  %more.l = icmp ult i64 %l.next, %batch
  br i1 %more.l, label %look, label %array
array:
  %k = phi i64 [0, %look], [%k.next, %ended]
  %good = phi i1 [true, %look], [%good.next, %ended]
  %buffer = call ptr @buffer(ptr %args, ptr %rets, i64 %k)
  %k16 = mul i64 %k, 16
  %of.k = getelementptr i8, ptr %d, i64 %k16
  %core = get i64 %of.k $FIRST
  %rank = get i64 %buffer $Buffer.rank
  %dims = get ptr %buffer $Buffer.dims
  %bytes = call i64 @bytes_of(i64 %k)
  %leading = sub i64 %rank, %core
  %is.single = icmp eq i64 %leading, 0
  %is.whole = icmp eq i64 %leading, %batch
  %known = or i1 %is.single, %is.whole
  %good.k = and i1 %good, %known
  br i1 %good.k, label %dimension, label %wrong
dimension:
  %j = phi i64 [%last, %array], [%j.next, %dimension]
  %good.now = phi i1 [%good.k, %array], [%good.next, %dimension]
  %step = phi i64 [%bytes, %array], [%step.next, %dimension]
  %at.size = getelementptr i64, ptr %dims, i64 %j
  %at.own = select i1 %is.single, ptr @one, ptr %at.size
  %own = load i64, ptr %at.own
  %at.want = getelementptr i64, ptr %sizes, i64 %j
  %want = load i64, ptr %at.want
  %is.one = icmp eq i64 %own, 1
  %is.same = icmp eq i64 %own, %want
  %fits = or i1 %is.one, %is.same
  %good.next = and i1 %good.now, %fits
  %here = select i1 %is.one, i64 0, i64 %step
  %step.next = mul i64 %step, %own
  %is.inner = icmp eq i64 %j, %longest.next
  %is.behind = icmp sgt i64 %j, %longest.next
  %one.less = sext i1 %is.behind to i64
  %j.outer = add i64 %j, %one.less
  %at.outer = getelementptr i64, ptr %outer, i64 %j.outer
  %at.length = select i1 %is.inner, ptr %arrays, ptr %at.outer
  store i64 %want, ptr %at.length
  %k.outer = mul i64 %k, %last
  %kj = add i64 %k.outer, %j.outer
  %at.inner.step = getelementptr i64, ptr %steps, i64 %k
  %at.outer.step = getelementptr i64, ptr %outer.steps, i64 %kj
  %at.step = select i1 %is.inner, ptr %at.inner.step, ptr %at.outer.step
  store i64 %here, ptr %at.step
  %j.next = sub i64 %j, 1
  %more.j = icmp sge i64 %j.next, 0
  br i1 %more.j, label %dimension, label %ended
ended:
  %k.next = add i64 %k, 1
  %more.k = icmp ult i64 %k.next, %total
  br i1 %more.k, label %array, label %done
done:
  ret i1 %good.next
wrong:
  ret i1 false
}}
"""
