"""Memory of large results, in LLVM IR: blocks that are freed are kept for the next results of about the same size.

Memory fresh from the system costs a page fault for every 4 KiB, several times what it takes to fill it. These functions
are NumPy's allocator protocol (NEP 49), over the kept blocks of `ring`, and two of our own:

    i64 limit(i64 bytes): keep at most so many from now on; a negative number changes nothing. Gives the limit.
    i64 held(): the bytes that are kept now.
"""

from __future__ import annotations

from kinetree.emit.llvm.entries import POOL
from kinetree.emit.llvm.ring import BLOCKS, PAGE, RING

ALIGN = 128  # bytes of a pair of cache lines
HUGE = 4 << 20  # bytes from which the system is asked for huge pages
_HUGE_PAGES = 14  # MADV_HUGEPAGE
_MALLOC, _CALLOC, _REALLOC, _FREE, _LIMIT, _HELD = POOL


def module(triple: str) -> str:
    """The functions for a system."""
    if "linux" in triple:
        advice = "declare i32 @madvise(ptr, i64, i32)"
    else:
        advice = "define internal i32 @madvise(ptr %first, i64 %length, i32 %advice) {\n  ret i32 0\n}"
    return "\n".join([f'target triple = "{triple}"', advice, RING, _FRESH, _PROTOCOL])


_FRESH = f"""
declare ptr @PyMem_RawMalloc(i64)
declare void @PyMem_RawFree(ptr)

define internal ptr @fresh(i64 %size) {{
entry:
  %up = add i64 %size, {PAGE - 1}
  %bytes = and i64 %up, {-PAGE}
  %whole = add i64 %bytes, {2 * ALIGN}
  %overflows = icmp ult i64 %whole, %size
  br i1 %overflows, label %none, label %ask
ask:
  %given = call ptr @PyMem_RawMalloc(i64 %whole)
  %failed = icmp eq ptr %given, null
  br i1 %failed, label %none, label %align
align:
  %address = ptrtoint ptr %given to i64
  %behind = add i64 %address, {2 * ALIGN - 1}
  %aligned = and i64 %behind, {-ALIGN}
  %block = inttoptr i64 %aligned to ptr
  %at.capacity = getelementptr i8, ptr %block, i64 -16
  store i64 %bytes, ptr %at.capacity
  %at.given = getelementptr i8, ptr %block, i64 -8
  store ptr %given, ptr %at.given
  %is.huge = icmp uge i64 %bytes, {HUGE}
  br i1 %is.huge, label %advise, label %done
advise:
  %next.page = add i64 %aligned, {PAGE - 1}
  %page = and i64 %next.page, {-PAGE}
  %first = inttoptr i64 %page to ptr
  %length = sub i64 %bytes, {PAGE}
  call i32 @madvise(ptr %first, i64 %length, i32 {_HUGE_PAGES})
  br label %done
done:
  ret ptr %block
none:
  ret ptr null
}}
"""

_PROTOCOL = f"""
@limit = internal global i64 0

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)

define ptr @{_MALLOC}(ptr %context, i64 %size) {{
entry:
  %mine = call i1 @try_lock()
  br i1 %mine, label %look, label %ask
look:
  %kept = call ptr @fitting(i64 %size)
  call void @unlock()
  %none = icmp eq ptr %kept, null
  br i1 %none, label %ask, label %found
found:
  ret ptr %kept
ask:
  %block = call ptr @fresh(i64 %size)
  %failed = icmp eq ptr %block, null
  br i1 %failed, label %release, label %done
release:  ; memory is short: what is kept may be what is missing
  %mine.too = call i1 @try_lock()
  br i1 %mine.too, label %shrink, label %done
shrink:
  call void @shrink(i64 0)
  call void @unlock()
  %again = call ptr @fresh(i64 %size)
  br label %done
done:
  %result = phi ptr [%block, %ask], [null, %release], [%again, %shrink]
  ret ptr %result
}}

define void @{_FREE}(ptr %context, ptr %block, i64 %size) {{
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %look
look:
  %bytes = call i64 @capacity(ptr %block)
  %most = load atomic i64, ptr @limit monotonic, align 8
  %fits = icmp ule i64 %bytes, %most
  br i1 %fits, label %lock, label %give
lock:
  %mine = call i1 @try_lock()
  br i1 %mine, label %keep, label %give
keep:
  %k = load i64, ptr @next
  %sum = add i64 %k, 1
  %k.next = and i64 %sum, {BLOCKS - 1}
  store i64 %k.next, ptr @next
  %old = call ptr @take(i64 %k)
  %place = getelementptr ptr, ptr @ring, i64 %k
  store ptr %block, ptr %place
  %before = load i64, ptr @held
  %after = add i64 %before, %bytes
  store i64 %after, ptr @held
  call void @shrink(i64 %most)
  call void @unlock()
  %was.none = icmp eq ptr %old, null
  br i1 %was.none, label %done, label %give.old
give.old:
  call void @give_back(ptr %old)
  br label %done
give:
  call void @give_back(ptr %block)
  br label %done
done:
  ret void
}}

define ptr @{_CALLOC}(ptr %context, i64 %count, i64 %each) {{
entry:
  %size = mul i64 %count, %each
  %block = call ptr @{_MALLOC}(ptr %context, i64 %size)
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr align {ALIGN} %block, i8 0, i64 %size, i1 false)
  br label %done
done:
  ret ptr %block
}}

define ptr @{_REALLOC}(ptr %context, ptr %block, i64 %size) {{
entry:
  %made = call ptr @{_MALLOC}(ptr %context, i64 %size)
  %failed = icmp eq ptr %made, null
  %none = icmp eq ptr %block, null
  %stop = or i1 %failed, %none
  br i1 %stop, label %done, label %copy
copy:
  %bytes = call i64 @capacity(ptr %block)
  %both = call i64 @llvm.umin.i64(i64 %bytes, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr align {ALIGN} %made, ptr align {ALIGN} %block, i64 %both, i1 false)
  call void @{_FREE}(ptr %context, ptr %block, i64 %bytes)
  br label %done
done:
  ret ptr %made
}}

define i64 @{_LIMIT}(i64 %most) {{
entry:
  %same = icmp slt i64 %most, 0
  br i1 %same, label %done, label %set
set:
  store atomic i64 %most, ptr @limit monotonic, align 8
  %mine = call i1 @try_lock()
  br i1 %mine, label %shrink, label %done
shrink:
  call void @shrink(i64 %most)
  call void @unlock()
  br label %done
done:
  %now = load atomic i64, ptr @limit monotonic, align 8
  ret i64 %now
}}

define i64 @{_HELD}() {{
  %bytes = load atomic i64, ptr @held monotonic, align 8
  ret i64 %bytes
}}
"""
