target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.rcp.approx.ftz.f(float)
declare double @llvm.nvvm.rcp.approx.ftz.d(double)
declare float @llvm.fma.f32(float, float, float)
declare double @llvm.fma.f64(double, double, double)
declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)
declare float @llvm.fabs.f32(float)
declare double @llvm.fabs.f64(double)
declare float @llvm.floor.f32(float)
declare double @llvm.floor.f64(double)
declare float @llvm.rint.f32(float)
declare double @llvm.rint.f64(double)
declare float @llvm.copysign.f32(float, float)
declare double @llvm.copysign.f64(double, double)
define ptx_kernel void @kinetree_kernel(i64 %count, ptr addrspace(1) %scratch, ptr addrspace(1) noalias readonly %a0, i64 %a0.step, ptr addrspace(1) noalias %r0, i64 %r0.step) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %lane = urem i32 %tid, 32
  %warp = udiv i32 %tid, 32
  %states = trunc i64 %count to i32
  %before = mul i32 %ctaid, %ntid
  %inside = mul i32 %warp, 32
  %own.first = add i32 %before, %inside
  %very.last = sub i32 %states, 1
  %some = icmp ule i32 %own.first, %very.last
  %first = select i1 %some, i32 %own.first, i32 %very.last
  %left = sub i32 %states, %first
  %full = icmp uge i32 %left, 32
  %valid = select i1 %full, i32 32, i32 %left
  %last = sub i32 %valid, 1
  %exists = icmp ult i32 %lane, %last
  %mine = select i1 %exists, i32 %lane, i32 %last
  %state = add i32 %first, %mine
  %memory.offset = mul i32 %warp, 1152
  %memory = getelementptr i8, ptr addrspace(3) @shared, i32 %memory.offset
  %r0.rows = getelementptr float, ptr addrspace(3) %memory, i32 0
  %r0.at = mul i32 %lane, 9
  %r0.own = getelementptr float, ptr addrspace(3) %r0.rows, i32 %r0.at
  %a0.first.state = sext i32 %first to i64
  %a0.first.short = trunc i64 %a0.step to i32
  %a0.first.step = sext i32 %a0.first.short to i64
  %a0.first.offset = mul nsw i64 %a0.first.state, %a0.first.step
  %a0.first = getelementptr i8, ptr addrspace(1) %a0, i64 %a0.first.offset
  %r0.first.state = sext i32 %first to i64
  %r0.first.short = trunc i64 %r0.step to i32
  %r0.first.step = sext i32 %r0.first.short to i64
  %r0.first.offset = mul nsw i64 %r0.first.state, %r0.first.step
  %r0.first = getelementptr i8, ptr addrspace(1) %r0, i64 %r0.first.offset
  %a0.row.state = sext i32 %state to i64
  %a0.row.short = trunc i64 %a0.step to i32
  %a0.row.step = sext i32 %a0.row.short to i64
  %a0.row.offset = mul nsw i64 %a0.row.state, %a0.row.step
  %a0.row = getelementptr i8, ptr addrspace(1) %a0, i64 %a0.row.offset
  %r0.row.state = sext i32 %state to i64
  %r0.row.short = trunc i64 %r0.step to i32
  %r0.row.step = sext i32 %r0.row.short to i64
  %r0.row.offset = mul nsw i64 %r0.row.state, %r0.row.step
  %r0.row = getelementptr i8, ptr addrspace(1) %r0, i64 %r0.row.offset
  %v2.1.p = getelementptr float, ptr addrspace(1) %a0.row, i32 2
  %v2.1 = load float, ptr addrspace(1) %v2.1.p, align 4, !invariant.load !0
  %v1.2.p = getelementptr float, ptr addrspace(1) %a0.row, i32 1
  %v1.2 = load float, ptr addrspace(1) %v1.2.p, align 4, !invariant.load !0
  %v0.3.p = getelementptr float, ptr addrspace(1) %a0.row, i32 0
  %v0.3 = load float, ptr addrspace(1) %v0.3.p, align 4, !invariant.load !0
  %v19.4 = fpext float %v0.3 to double
  %v21.5 = fmul contract double %v19.4, 0x7CD0000000000000
  %v24.6 = call double @llvm.fma.f64(double %v21.5, double 0x03045F306DC9C883, double 0x4338000000000000)
  %v26.7 = fadd contract double %v24.6, 0xC338000000000000
  %v28.8 = call double @llvm.fma.f64(double %v26.7, double 0xBFF921FB54442D18, double %v19.4)
  %v30.9 = call double @llvm.fma.f64(double %v26.7, double 0xBC91A62633145C07, double %v28.8)
  %v31.10 = fptrunc double %v30.9 to float
  %v32.11 = call float @llvm.fma.f32(float %v31.10, float 0x0000000000000000, float %v31.10)
  %v33.12 = fmul contract float %v32.11, %v32.11
  %v36.13 = call float @llvm.fma.f32(float %v33.12, float 0x3F297F8C20000000, float 0xBF81103220000000)
  %v38.14 = call float @llvm.fma.f32(float %v33.12, float %v36.13, float 0x3FC55553A0000000)
  %v39.15 = fmul contract float %v33.12, %v38.14
  %v40.16 = call float @llvm.fma.f32(float %v32.11, float %v39.15, float 0x0000000000000000)
  %v41.17 = fsub contract float %v32.11, %v40.16
  %v44.18 = call float @llvm.fma.f32(float %v33.12, float 0x3EF98B6520000000, float 0xBF56C07A60000000)
  %v46.19 = call float @llvm.fma.f32(float %v33.12, float %v44.18, float 0x3FA5555420000000)
  %v48.20 = call float @llvm.fma.f32(float %v33.12, float %v46.19, float 0xBFE0000000000000)
  %v50.21 = call float @llvm.fma.f32(float %v33.12, float %v48.20, float 0x3FF0000000000000)
  %v51.22.t = bitcast double %v24.6 to i64
  %v51.22 = trunc i64 %v51.22.t to i1
  %v52.23 = select i1 %v51.22, float %v50.21, float %v41.17
  %v54.24 = fpext float %v1.2 to double
  %v55.25 = fmul contract double %v54.24, 0x7CD0000000000000
  %v56.26 = call double @llvm.fma.f64(double %v55.25, double 0x03045F306DC9C883, double 0x4338000000000000)
  %v57.27 = fadd contract double %v56.26, 0xC338000000000000
  %v58.28 = call double @llvm.fma.f64(double %v57.27, double 0xBFF921FB54442D18, double %v54.24)
  %v59.29 = call double @llvm.fma.f64(double %v57.27, double 0xBC91A62633145C07, double %v58.28)
  %v60.30 = fptrunc double %v59.29 to float
  %v61.31 = call float @llvm.fma.f32(float %v60.30, float 0x0000000000000000, float %v60.30)
  %v62.32 = fmul contract float %v61.31, %v61.31
  %v63.33 = call float @llvm.fma.f32(float %v62.32, float 0x3F297F8C20000000, float 0xBF81103220000000)
  %v64.34 = call float @llvm.fma.f32(float %v62.32, float %v63.33, float 0x3FC55553A0000000)
  %v65.35 = fmul contract float %v62.32, %v64.34
  %v66.36 = call float @llvm.fma.f32(float %v61.31, float %v65.35, float 0x0000000000000000)
  %v67.37 = call float @llvm.fma.f32(float %v62.32, float 0x3EF98B6520000000, float 0xBF56C07A60000000)
  %v68.38 = call float @llvm.fma.f32(float %v62.32, float %v67.37, float 0x3FA5555420000000)
  %v69.39 = call float @llvm.fma.f32(float %v62.32, float %v68.38, float 0xBFE0000000000000)
  %v70.40 = call float @llvm.fma.f32(float %v62.32, float %v69.39, float 0x3FF0000000000000)
  %v72.41 = fsub contract float %v66.36, %v61.31
  %v71.42.t = bitcast double %v56.26 to i64
  %v71.42 = trunc i64 %v71.42.t to i1
  %v73.43 = select i1 %v71.42, float %v72.41, float %v70.40
  %v5.44 = fcmp oeq float %v0.3, %v2.1
  %v7.45 = fcmp olt float %v2.1, 0x0000000000000000
  %v8.46 = xor i1 %v5.44, %v7.45
  %v4.47 = fcmp ole float %v1.2, %v2.1
  %v9.48 = or i1 %v4.47, %v8.46
  %v10.49 = xor i1 %v9.48, true
  %v3.50 = fcmp olt float %v0.3, %v1.2
  %v11.51 = and i1 %v3.50, %v10.49
  %v12.52 = fadd contract float %v0.3, %v1.2
  %v14.53 = fmul contract float %v2.1, 0x4000000000000000
  %v15.54 = fsub contract float %v12.52, %v14.53
  %at.55 = getelementptr float, ptr addrspace(3) %r0.own, i32 0
  store float %v15.54, ptr addrspace(3) %at.55, align 4
  %v53.56.t = bitcast double %v24.6 to i64
  %v53.56.n = trunc i64 %v53.56.t to i32
  %v53.56.u = shl i32 %v53.56.n, 30
  %v53.56.s = and i32 %v53.56.u, -2147483648
  %v53.56.x = bitcast float %v52.23 to i32
  %v53.56.y = xor i32 %v53.56.x, %v53.56.s
  %v53.56 = bitcast i32 %v53.56.y to float
  %v74.57.t = bitcast double %v56.26 to i64
  %v74.57.n = trunc i64 %v74.57.t to i32
  %v74.57.u = shl i32 %v74.57.n, 30
  %v74.57.s = and i32 %v74.57.u, -2147483648
  %v74.57.x = bitcast float %v73.43 to i32
  %v74.57.y = xor i32 %v74.57.x, %v74.57.s
  %v74.57 = bitcast i32 %v74.57.y to float
  %v75.58 = fadd contract float %v53.56, %v74.57
  %at.59 = getelementptr float, ptr addrspace(3) %r0.own, i32 3
  store float %v75.58, ptr addrspace(3) %at.59, align 4
  %v76.60 = call float @llvm.fabs.f32(float %v1.2)
  %v77.61 = call float @llvm.fabs.f32(float %v0.3)
  %v79.62 = fsub contract float %v76.60, %v77.61
  %v80.63 = fneg float %v79.62
  %v83.64 = call float @llvm.fabs.f32(float %v79.62)
  %v85.65 = fmul contract float %v83.64, 0x4008000000000000
  %v81.66 = fadd contract float %v76.60, %v77.61
  %v86.67 = fcmp ole float %v81.66, %v85.65
  %v78.68 = fneg float %v1.2
  %v82.69 = fcmp olt float %v76.60, %v77.61
  %v87.70 = select i1 %v82.69, float %v78.68, float %v77.61
  %v88.71 = select i1 %v86.67, float %v87.70, float %v80.63
  %v90.72 = call float @llvm.copysign.f32(float %v81.66, float %v1.2)
  %v89.73 = select i1 %v82.69, float %v77.61, float %v1.2
  %v91.74 = select i1 %v86.67, float %v89.73, float %v90.72
  %v93.75.r = call float @llvm.nvvm.rcp.approx.ftz.f(float %v91.74)
  %v93.75 = fmul float %v88.71, %v93.75.r
  %v92.76 = fcmp oeq float %v76.60, %v77.61
  %v94.77 = select i1 %v92.76, float 0x0000000000000000, float %v93.75
  %v95.78 = select i1 %v82.69, float 0x0000000000000000, float 0x4000000000000000
  %v96.79 = select i1 %v86.67, float %v95.78, float 0x3FF0000000000000
  %v97.80 = call float @llvm.copysign.f32(float %v96.79, float %v78.68)
  %v99.81 = fmul contract float %v94.77, %v94.77
  %v102.82 = call float @llvm.fma.f32(float %v99.81, float 0xBFAA3CA7C0000000, float 0x3FB9FF86E0000000)
  %v104.83 = call float @llvm.fma.f32(float %v99.81, float %v102.82, float 0xBFC2249800000000)
  %v106.84 = call float @llvm.fma.f32(float %v99.81, float %v104.83, float 0x3FC997B040000000)
  %v108.85 = call float @llvm.fma.f32(float %v99.81, float %v106.84, float 0xBFD5555120000000)
  %v109.86 = fmul contract float %v99.81, %v108.85
  %v98.87 = fadd contract float %v97.80, 0x4000000000000000
  %v111.88 = fmul contract float %v98.87, 0xBE5777A5C0000000
  %v112.89 = call float @llvm.fma.f32(float %v94.77, float %v109.86, float %v111.88)
  %v113.90 = fadd contract float %v94.77, %v112.89
  %v115.91 = call float @llvm.fma.f32(float %v98.87, float 0x3FE921FB60000000, float %v113.90)
  %v119.92 = fcmp olt float %v1.2, 0x0000000000000000
  %v121.93 = select i1 %v119.92, float 0xBFF0000000000000, float %v1.2
  %v118.94 = fcmp olt float 0x0000000000000000, %v1.2
  %v122.95 = select i1 %v118.94, float 0x3FF0000000000000, float %v121.93
  %v117.96 = call float @llvm.sqrt.f32(float %v77.61)
  %v123.97 = fmul contract float %v117.96, %v122.95
  %at.98 = getelementptr float, ptr addrspace(3) %r0.own, i32 5
  store float %v123.97, ptr addrspace(3) %at.98, align 4
  %v124.99 = call float @llvm.floor.f32(float %v0.3)
  %v125.100 = call float @llvm.rint.f32(float %v1.2)
  %v126.101 = call float @llvm.copysign.f32(float %v124.99, float %v125.100)
  %at.102 = getelementptr float, ptr addrspace(3) %r0.own, i32 6
  store float %v126.101, ptr addrspace(3) %at.102, align 4
  %v128.103 = fmul contract double %v19.4, %v54.24
  %v16.104.r = call float @llvm.nvvm.rcp.approx.ftz.f(float %v1.2)
  %v16.104 = fmul float %v0.3, %v16.104.r
  %v17.105 = fneg float %v16.104
  %at.106 = getelementptr float, ptr addrspace(3) %r0.own, i32 1
  store float %v17.105, ptr addrspace(3) %at.106, align 4
  %v116.107 = call float @llvm.copysign.f32(float %v115.91, float %v0.3)
  %at.108 = getelementptr float, ptr addrspace(3) %r0.own, i32 4
  store float %v116.107, ptr addrspace(3) %at.108, align 4
  %v127.109 = select i1 %v11.51, float %v0.3, float %v1.2
  %at.110 = getelementptr float, ptr addrspace(3) %r0.own, i32 7
  store float %v127.109, ptr addrspace(3) %at.110, align 4
  %v129.111 = fptrunc double %v128.103 to float
  %at.112 = getelementptr float, ptr addrspace(3) %r0.own, i32 8
  store float %v129.111, ptr addrspace(3) %at.112, align 4
  %v18.113 = call float @llvm.fma.f32(float %v0.3, float %v1.2, float %v2.1)
  %at.114 = getelementptr float, ptr addrspace(3) %r0.own, i32 2
  store float %v18.113, ptr addrspace(3) %at.114, align 4
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %r0.out.count = mul i32 %valid, 9
  br i1 %full, label %r0.out.yes, label %r0.out.no
r0.out.yes:
  %r0.out.global = getelementptr float, ptr addrspace(1) %r0.first, i32 %lane
  %r0.out.place = add i32 %lane, 0
  %r0.out.shared = getelementptr float, ptr addrspace(3) %r0.rows, i32 %r0.out.place
  %r0.out.g0 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 0
  %r0.out.s0 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 0
  %r0.out.g1 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 32
  %r0.out.s1 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 32
  %r0.out.g2 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 64
  %r0.out.s2 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 64
  %r0.out.g3 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 96
  %r0.out.s3 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 96
  %r0.out.g4 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 128
  %r0.out.s4 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 128
  %r0.out.g5 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 160
  %r0.out.s5 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 160
  %r0.out.g6 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 192
  %r0.out.s6 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 192
  %r0.out.g7 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 224
  %r0.out.s7 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 224
  %r0.out.g8 = getelementptr float, ptr addrspace(1) %r0.out.global, i32 256
  %r0.out.s8 = getelementptr float, ptr addrspace(3) %r0.out.shared, i32 256
  %r0.out.x0 = load float, ptr addrspace(3) %r0.out.s0, align 4
  %r0.out.x1 = load float, ptr addrspace(3) %r0.out.s1, align 4
  %r0.out.x2 = load float, ptr addrspace(3) %r0.out.s2, align 4
  %r0.out.x3 = load float, ptr addrspace(3) %r0.out.s3, align 4
  %r0.out.x4 = load float, ptr addrspace(3) %r0.out.s4, align 4
  %r0.out.x5 = load float, ptr addrspace(3) %r0.out.s5, align 4
  %r0.out.x6 = load float, ptr addrspace(3) %r0.out.s6, align 4
  %r0.out.x7 = load float, ptr addrspace(3) %r0.out.s7, align 4
  store float %r0.out.x0, ptr addrspace(1) %r0.out.g0, align 4
  store float %r0.out.x1, ptr addrspace(1) %r0.out.g1, align 4
  store float %r0.out.x2, ptr addrspace(1) %r0.out.g2, align 4
  store float %r0.out.x3, ptr addrspace(1) %r0.out.g3, align 4
  store float %r0.out.x4, ptr addrspace(1) %r0.out.g4, align 4
  store float %r0.out.x5, ptr addrspace(1) %r0.out.g5, align 4
  store float %r0.out.x6, ptr addrspace(1) %r0.out.g6, align 4
  store float %r0.out.x7, ptr addrspace(1) %r0.out.g7, align 4
  %r0.out.x8 = load float, ptr addrspace(3) %r0.out.s8, align 4
  store float %r0.out.x8, ptr addrspace(1) %r0.out.g8, align 4
  br label %r0.out.end
r0.out.no:
  br label %r0.out.e.begin
r0.out.e.begin:
  br label %r0.out.e.test
r0.out.e.test:
  %r0.out.e = phi i32 [ %lane, %r0.out.e.begin ], [ %r0.out.e.next, %r0.out.e.body ]
  %r0.out.e.more = icmp slt i32 %r0.out.e, %r0.out.count
  br i1 %r0.out.e.more, label %r0.out.e.body, label %r0.out.e.end
r0.out.e.body:
  %r0.out.e.s = udiv i32 %r0.out.e, 9
  %r0.out.e.c = urem i32 %r0.out.e, 9
  %r0.out.e.exists = icmp ult i32 %r0.out.e.s, %valid
  %r0.out.e.last = sub i32 %valid, 1
  %r0.out.e.state = select i1 %r0.out.e.exists, i32 %r0.out.e.s, i32 %r0.out.e.last
  %r0.out.e.wide = zext i32 %r0.out.e.state to i64
  %r0.out.e.o = mul i64 %r0.out.e.wide, %r0.step
  %r0.out.e.p = getelementptr i8, ptr addrspace(1) %r0.first, i64 %r0.out.e.o
  %r0.out.e.g = getelementptr float, ptr addrspace(1) %r0.out.e.p, i32 %r0.out.e.c
  %r0.out.e.r = mul i32 %r0.out.e.s, 9
  %r0.out.e.u = add i32 %r0.out.e.r, %r0.out.e.c
  %r0.out.e.h = getelementptr float, ptr addrspace(3) %r0.rows, i32 %r0.out.e.u
  %r0.out.e.x0 = load float, ptr addrspace(3) %r0.out.e.h, align 4
  store float %r0.out.e.x0, ptr addrspace(1) %r0.out.e.g, align 4
  %r0.out.e.next = add i32 %r0.out.e, 32
  br label %r0.out.e.test
r0.out.e.end:
  br label %r0.out.end
r0.out.end:
  ret void
}
!0 = !{}
