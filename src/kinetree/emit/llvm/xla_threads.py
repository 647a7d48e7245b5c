"""A call from XLA on the processor, in the words of `xla`, and the task of its threads.

A job is what the threads of one call share: how many know of it, the next piece, how many are done, whether one failed,
the future, XLA's functions, the number of pieces, their size, the number of states; then the pointers and steps of all
arrays. Who does the last piece completes the future; threads that come later find nothing to do, and the last of all
frees the job.
"""

JOB = {
    name: 8 * k
    for k, name in enumerate(("LEFT", "NEXT", "DONE", "FAILED", "FUTURE", "API", "PIECES", "SIZE", "STATES", "ARRAYS"))
}

TEXT = """
; pieces until none is left
define internal void @task(ptr %job) {
entry:
  %call = alloca [8 x i64]
  %pieces = get i64 %job $PIECES
  %size = get i64 %job $SIZE
  %states = get i64 %job $STATES
  %arrays = getelementptr i8, ptr %job, i64 $ARRAYS
  %next = getelementptr i8, ptr %job, i64 $NEXT
  %done = getelementptr i8, ptr %job, i64 $DONE
  %lost = getelementptr i8, ptr %job, i64 $FAILED
  %left = getelementptr i8, ptr %job, i64 $LEFT
  br label %take
take:
  %k = atomicrmw add ptr %next, i64 1 monotonic
  %more = icmp ult i64 %k, %pieces
  br i1 %more, label %piece, label %leave
piece:
  %first = mul i64 %k, %size
  %rest = sub i64 %states, %first
  %states.here = call i64 @llvm.umin.i64(i64 %rest, i64 %size)
  %bad = call i1 @run(ptr %arrays, i64 %first, i64 %states.here, i64 %states)
  br i1 %bad, label %note, label %count
note:
  store atomic i64 1, ptr %lost monotonic, align 8
  br label %count
count:
  %done.before = atomicrmw add ptr %done, i64 1 acq_rel
  %done.now = add i64 %done.before, 1
  %is.all = icmp eq i64 %done.now, %pieces
  br i1 %is.all, label %finish, label %take
finish:
  %future = get ptr %job $FUTURE
  %api = get ptr %job $API
  %any = load atomic i64, ptr %lost monotonic, align 8
  %is.bad = icmp ne i64 %any, 0
  br i1 %is.bad, label %tell, label %available
tell:
  %error = call ptr @error(ptr %api, ptr @no_memory, i32 $Error_Code_RESOURCE_EXHAUSTED)
  %e1 = ask Future_SetError future=ptr %future, error=ptr %error
  %f1 = call i1 @failed(ptr %api, ptr %e1)
  br label %leave
available:
  %e2 = ask Future_SetAvailable future=ptr %future
  %f2 = call i1 @failed(ptr %api, ptr %e2)
  br label %leave
leave:
  %left.before = atomicrmw sub ptr %left, i64 1 acq_rel
  %is.last = icmp eq i64 %left.before, 1
  br i1 %is.last, label %free, label %end
free:
  call void @PyMem_RawFree(ptr %job)
  br label %end
end:
  ret void
}

define internal ptr @compute(ptr %frame, ptr %args, ptr %rets) {
entry:
  %call = alloca [8 x i64]
  %cores = alloca i64
  %api = get ptr %frame $CallFrame.api
  %d = load ptr, ptr @description
  %n = get i64 %d 8
  %m = get i64 %d 16
  %rows = get i64 %d 32
  %strides = get i64 %d 48
  %first.result = load ptr, ptr %rets
  %states = call i64 @states_of(ptr %first.result, i64 %n)
  %rank = get i64 %first.result $Buffer.rank
  %sizes = get ptr %first.result $Buffer.dims
  %n16 = mul i64 %n, 16
  %of.result = getelementptr i8, ptr %d, i64 %n16
  %core = get i64 %of.result $FIRST
  %batch = sub i64 %rank, %core
  %last = sub i64 %batch, 1
  %outer = call i64 @llvm.smax.i64(i64 %last, i64 0)
; two words; pointers, steps and strides; sizes of dimensions and the steps along them
  %total = add i64 %n, %m
  %more.each = add i64 %outer, 2
  %each = mul i64 %total, %more.each
  %w1 = add i64 %each, %strides
  %w2 = add i64 %w1, %outer
  %words = add i64 %w2, 2
  %arrays = alloca i64, i64 %words
  %rows.of.arrays = call i32 @take(ptr %args, ptr %rets, ptr %arrays, i64 %states)
  switch i32 %rows.of.arrays, label %refused [
    i32 1, label %choose
    i32 2, label %several
  ]
several:
  %has.batch = icmp sge i64 %last, 0
  br i1 %has.batch, label %spread, label %refused
spread:
  %good = call i1 @spread(ptr %args, ptr %rets, ptr %arrays, i64 %last, ptr %sizes)
  br i1 %good, label %choose, label %refused
choose:
  %most = udiv i64 %states, %rows
  %is.large = icmp ugt i64 %most, 1
  br i1 %is.large, label %large, label %alone

; where there are no threads to spare, or no memory for it, this one does it alone
large:
  %context = get ptr %frame $CallFrame.ctx
  store i64 1, ptr %cores
  %e1 = ask ThreadPool_NumThreads ctx=ptr %context, num_threads=ptr %cores
  %f1 = call i1 @failed(ptr %api, ptr %e1)
  br i1 %f1, label %alone, label %counted
counted:
  %all = load i64, ptr %cores
  %threads = call i64 @llvm.umin.i64(i64 %all, i64 %most)
  %is.several = icmp sgt i64 %threads, 1
  br i1 %is.several, label %share, label %alone
share:
  %size.arrays = mul i64 %words, 8
  %bytes = add i64 %size.arrays, $ARRAYS
  %job = call ptr @PyMem_RawMalloc(i64 %bytes)
  %is.none = icmp eq ptr %job, null
  br i1 %is.none, label %alone, label %given
given:
  %e2 = ask Future_Create
  %f2 = call i1 @failed(ptr %api, ptr %e2)
  br i1 %f2, label %free, label %begin
free:
  call void @PyMem_RawFree(ptr %job)
  br label %alone
begin:
  %future = get ptr %call $Future_Create_Args.future
; sixteen pieces for each thread, if they are large enough: who comes late takes fewer, and the last is soon done
  %sixteen = mul i64 %threads, 16
  %finest = mul i64 %most, 4
  %about = call i64 @llvm.umin.i64(i64 %sixteen, i64 %finest)
  %share.of = udiv i64 %states, %about
  %each.up = add i64 %share.of, $ROWS
  %size = and i64 %each.up, $MASK
  %up = add i64 %states, %size
  %up1 = sub i64 %up, 1
  %pieces = udiv i64 %up1, %size
  put i64 %threads %job $LEFT
  put i64 0 %job $NEXT
  put i64 0 %job $DONE
  put i64 0 %job $FAILED
  put ptr %future %job $FUTURE
  put ptr %api %job $API
  put i64 %pieces %job $PIECES
  put i64 %size %job $SIZE
  put i64 %states %job $STATES
  %copy = getelementptr i8, ptr %job, i64 $ARRAYS
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %arrays, i64 %size.arrays, i1 false)
  %left = getelementptr i8, ptr %job, i64 $LEFT
  put ptr %future %frame $CallFrame.future
  br label %deal
deal:
  %j = phi i64 [1, %begin], [%j.next, %dealt]
  %j.next = add i64 %j, 1
  %e3 = ask ThreadPool_Schedule ctx=ptr %context, task=ptr @task, data=ptr %job
  %f3 = call i1 @failed(ptr %api, ptr %e3)
  br i1 %f3, label %without, label %dealt
without:
  %one.less = atomicrmw sub ptr %left, i64 1 acq_rel
  br label %dealt
dealt:
  %more = icmp ult i64 %j.next, %threads
  br i1 %more, label %deal, label %own
own:
  call void @task(ptr %job)
  ret ptr null

alone:
  %bad = call i1 @run(ptr %arrays, i64 0, i64 %states, i64 %states)
  br i1 %bad, label %exhausted, label %done
done:
  ret ptr null
exhausted:
  %e4 = call ptr @error(ptr %api, ptr @no_memory, i32 $Error_Code_RESOURCE_EXHAUSTED)
  ret ptr %e4
refused:
  %e5 = call ptr @error(ptr %api, ptr @wrong, i32 $Error_Code_INVALID_ARGUMENT)
  ret ptr %e5
}
"""
