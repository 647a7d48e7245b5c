"""The handler that XLA calls, in the words of `xla`: what it answers, what it refuses; `compute` does the rest."""

from kinetree.emit.llvm.entries import HANDLER

TEXT = f"""
; an error of XLA's
define internal ptr @error(ptr %api, ptr %message, i32 %code) {{
  %call = alloca [8 x i64]
  %error = ask Error_Create message=ptr %message, errc=i32 %code
  ret ptr %error
}}

; whether there is an error, which is dropped then
define internal i1 @failed(ptr %api, ptr %error) {{
  %call = alloca [8 x i64]
  %any = icmp ne ptr %error, null
  br i1 %any, label %drop, label %done
drop:
  %none = ask Error_Destroy error=ptr %error
  br label %done
done:
  ret i1 %any
}}

define ptr @{HANDLER}(ptr %frame) {{
entry:
  %api = get ptr %frame $CallFrame.api
  %extension = get ptr %frame $CallFrame.extension_start
  %is.plain = icmp eq ptr %extension, null
  br i1 %is.plain, label %execute, label %extended
extended:
  %type = get i32 %extension $Extension_Base.type
  %is.asked = icmp eq i32 %type, $Extension_Metadata
  br i1 %is.asked, label %answer, label %execute

; at registration: for which version the handler is made; there may be no functions of XLA's yet
answer:
  %metadata = get ptr %extension $Metadata_Extension.metadata
  %version = getelementptr i8, ptr %metadata, i64 $Metadata.api_version
  put i64 $Api_Version %version $Api_Version.struct_size
  put ptr null %version $Api_Version.extension_start
  put i32 $API_MAJOR %version $Api_Version.major_version
  put i32 $API_MINOR %version $Api_Version.minor_version
  %asked = load ptr, ptr @description
  %traits = get i32 %asked 56
  put i32 %traits %metadata $Metadata.traits
  ret ptr null

execute:
  %args.list = getelementptr i8, ptr %frame, i64 $CallFrame.args
  %rets.list = getelementptr i8, ptr %frame, i64 $CallFrame.rets
  %frame.size = get i64 %frame $CallFrame.struct_size
  %args.size = get i64 %args.list $Args.struct_size
  %rets.size = get i64 %rets.list $Rets.struct_size
  %stage = get i32 %frame $CallFrame.stage
  %d = load ptr, ptr @description
  %n = get i64 %d 8
  %m = get i64 %d 16
  %args.n = get i64 %args.list $Args.size
  %rets.n = get i64 %rets.list $Rets.size
  %c0 = icmp eq i64 %frame.size, $CallFrame
  %c1 = icmp eq i64 %args.size, $Args
  %c2 = icmp eq i64 %rets.size, $Rets
  %c3 = icmp eq i32 %stage, $ExecutionStage_EXECUTE
  %c4 = icmp eq i64 %args.n, %n
  %c5 = icmp eq i64 %rets.n, %m
  %c01 = and i1 %c0, %c1
  %c23 = and i1 %c2, %c3
  %c45 = and i1 %c4, %c5
  %c03 = and i1 %c01, %c23
  %known = and i1 %c03, %c45
  br i1 %known, label %buffers, label %refused
buffers:
  %args = get ptr %args.list $Args.args
  %rets = get ptr %rets.list $Rets.rets
  %error = call ptr @compute(ptr %frame, ptr %args, ptr %rets)
  ret ptr %error
refused:
  %e = call ptr @error(ptr %api, ptr @wrong, i32 $Error_Code_INVALID_ARGUMENT)
  ret ptr %e
}}
"""
