"""Blocks of memory that are kept, in LLVM IR: a ring from which the oldest leaves first.

Before each block, aligned to a pair of cache lines, are its capacity and the address that the system gave. Nothing
waits for the lock of the ring: who finds it taken asks the system instead, so that no thread, signal handler or forked
child can hang. All but ``try_lock``, ``capacity`` and ``give_back`` are called with the lock.
"""

from __future__ import annotations

BLOCKS = 64  # kept at the most
PAGE = 4096  # bytes

RING = f"""
@lock = internal global i32 0
@held = internal global i64 0
@next = internal global i64 0
@ring = internal global [{BLOCKS} x ptr] zeroinitializer

define internal i1 @try_lock() {{
  %pair = cmpxchg ptr @lock, i32 0, i32 1 acquire monotonic
  %mine = extractvalue {{i32, i1}} %pair, 1
  ret i1 %mine
}}

define internal void @unlock() {{
  store atomic i32 0, ptr @lock release, align 4
  ret void
}}

define internal i64 @capacity(ptr %block) {{
  %at = getelementptr i8, ptr %block, i64 -16
  %bytes = load i64, ptr %at
  ret i64 %bytes
}}

define internal void @give_back(ptr %block) {{
  %at = getelementptr i8, ptr %block, i64 -8
  %given = load ptr, ptr %at
  call void @PyMem_RawFree(ptr %given)
  ret void
}}

; takes the block in a place of the ring out of it; null where there is none
define internal ptr @take(i64 %k) {{
entry:
  %place = getelementptr ptr, ptr @ring, i64 %k
  %block = load ptr, ptr %place
  store ptr null, ptr %place
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %count
count:
  %bytes = call i64 @capacity(ptr %block)
  %before = load i64, ptr @held
  %after = sub i64 %before, %bytes
  store i64 %after, ptr @held
  br label %done
done:
  ret ptr %block
}}

; gives the oldest blocks back until no more than so many bytes are held
define internal void @shrink(i64 %most) {{
entry:
  %first = load i64, ptr @next
  br label %test
test:
  %k = phi i64 [0, %entry], [%k.next, %step]
  %bytes = load i64, ptr @held
  %much = icmp ugt i64 %bytes, %most
  %left = icmp ult i64 %k, {BLOCKS}
  %more = and i1 %much, %left
  br i1 %more, label %oldest, label %done
oldest:
  %sum = add i64 %first, %k
  %place = and i64 %sum, {BLOCKS - 1}
  %block = call ptr @take(i64 %place)
  %none = icmp eq ptr %block, null
  br i1 %none, label %step, label %give
give:
  call void @give_back(ptr %block)
  br label %step
step:
  %k.next = add i64 %k, 1
  br label %test
done:
  ret void
}}

; the smallest kept block that is large enough, and not a quarter larger; null where there is none
define internal ptr @fitting(i64 %size) {{
entry:
  %quarter = lshr i64 %size, 2
  %roomy = add i64 %size, %quarter
  %most = add i64 %roomy, {PAGE}
  br label %test
test:
  %k = phi i64 [0, %entry], [%k.next, %step]
  %best = phi i64 [-1, %entry], [%best.next, %step]
  %least = phi i64 [%most, %entry], [%least.next, %step]
  %more = icmp ult i64 %k, {BLOCKS}
  br i1 %more, label %look, label %found
look:
  %place = getelementptr ptr, ptr @ring, i64 %k
  %block = load ptr, ptr %place
  %none = icmp eq ptr %block, null
  br i1 %none, label %step, label %compare
compare:
  %bytes = call i64 @capacity(ptr %block)
  %enough = icmp uge i64 %bytes, %size
  %less = icmp ult i64 %bytes, %least
  %better = and i1 %enough, %less
  br label %step
step:
  %is.best = phi i1 [false, %look], [%better, %compare]
  %bytes.here = phi i64 [0, %look], [%bytes, %compare]
  %best.next = select i1 %is.best, i64 %k, i64 %best
  %least.next = select i1 %is.best, i64 %bytes.here, i64 %least
  %k.next = add i64 %k, 1
  br label %test
found:
  %nothing = icmp eq i64 %best, -1
  br i1 %nothing, label %no, label %yes
yes:
  %taken = call ptr @take(i64 %best)
  ret ptr %taken
no:
  ret ptr null
}}
"""
