"""The loop on some states of the arrays of a call from XLA, row by row, in the words of `xla`; see `xla_arrays`."""

TEXT = """
; some of all states, row by row; whether the loop got no memory
define internal i1 @run(ptr %arrays, i64 %first, i64 %states, i64 %all) {
entry:
  %d = load ptr, ptr @description
  %loop = get ptr %d 0
  %n = get i64 %d 8
  %m = get i64 %d 16
  %strides = get i64 %d 48
  %total = add i64 %n, %m
  %inner = get i64 %arrays 0
  %last = get i64 %arrays 8
  %pointers = getelementptr i64, ptr %arrays, i64 2
  %steps = getelementptr i64, ptr %pointers, i64 %total
  %behind = getelementptr i64, ptr %steps, i64 %total
  %outer = getelementptr i64, ptr %behind, i64 %strides
  %outer.steps = getelementptr i64, ptr %outer, i64 %last
  %moved = alloca ptr, i64 %total
  %count = alloca i64
  %word = alloca i64
  %mode = alloca i32
  %plain = alloca i32
  store i64 %all, ptr %word
  %any = icmp sgt i64 %states, 0
  br i1 %any, label %go, label %end
go:
; plain numbers
  br label %row
row:
  %at = phi i64 [%first, %go], [%at.next, %called]
  %left = phi i64 [%states, %go], [%left.next, %called]
  %number = udiv i64 %at, %inner
  %column = urem i64 %at, %inner
  %rest = sub i64 %inner, %column
  %here = call i64 @llvm.umin.i64(i64 %rest, i64 %left)
  store i64 %here, ptr %count
  br label %array
array:
  %k = phi i64 [0, %row], [%k.next, %placed]
  %at.array = getelementptr ptr, ptr %pointers, i64 %k
  %pointer = load ptr, ptr %at.array
  %at.step = getelementptr i64, ptr %steps, i64 %k
  %step = load i64, ptr %at.step
  %offset = mul i64 %column, %step
  %k.outer = mul i64 %k, %last
  br label %test
test:
  %j = phi i64 [%last, %array], [%j.next, %dimension]
  %place = phi i64 [%offset, %array], [%place.next, %dimension]
  %index = phi i64 [%number, %array], [%index.next, %dimension]
  %more.j = icmp sgt i64 %j, 0
  br i1 %more.j, label %dimension, label %placed
dimension:
  %j.next = sub i64 %j, 1
  %at.size = getelementptr i64, ptr %outer, i64 %j.next
  %size = load i64, ptr %at.size
  %kj = add i64 %k.outer, %j.next
  %at.outer.step = getelementptr i64, ptr %outer.steps, i64 %kj
  %outer.step = load i64, ptr %at.outer.step
  %index.next = udiv i64 %index, %size
  %own = urem i64 %index, %size
  %further = mul i64 %own, %outer.step
  %place.next = add i64 %place, %further
  br label %test
placed:
  %begin = getelementptr i8, ptr %pointer, i64 %place
  %at.moved = getelementptr ptr, ptr %moved, i64 %k
  store ptr %begin, ptr %at.moved
  %k.next = add i64 %k, 1
  %more.k = icmp ult i64 %k.next, %total
  br i1 %more.k, label %array, label %called
called:
  call void %loop(ptr %moved, ptr %count, ptr %steps, ptr %word)
  %at.next = add i64 %at, %here
  %left.next = sub i64 %left, %here
  %more = icmp sgt i64 %left.next, 0
  br i1 %more, label %row, label %finish
finish:
; as before
  br label %end
end:
  %noted = load i64, ptr %word
  %bad = icmp eq i64 %noted, -1
  ret i1 %bad
}
"""
