target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
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
  %block = zext i32 %ctaid to i64
  %threads = zext i32 %ntid to i64
  %before = mul i64 %block, %threads
  %warps.before = mul i32 %warp, 32
  %inside = zext i32 %warps.before to i64
  %own.first = add i64 %before, %inside
  %very.last = sub i64 %count, 1
  %some = icmp ule i64 %own.first, %very.last
  %first = select i1 %some, i64 %own.first, i64 %very.last
  %left = sub i64 %count, %first
  %full = icmp sge i64 %left, 32
  %rest = trunc i64 %left to i32
  %valid = select i1 %full, i32 32, i32 %rest
  %last = sub i32 %valid, 1
  %exists = icmp ult i32 %lane, %last
  %mine = select i1 %exists, i32 %lane, i32 %last
  %mine.wide = zext i32 %mine to i64
  %state = add i64 %first, %mine.wide
  %memory.offset = mul i32 %warp, 0
  %memory = getelementptr i8, ptr addrspace(3) @shared, i32 %memory.offset
  %a0.first.offset = mul i64 %first, %a0.step
  %a0.first = getelementptr i8, ptr addrspace(1) %a0, i64 %a0.first.offset
  %r0.first.offset = mul i64 %first, %r0.step
  %r0.first = getelementptr i8, ptr addrspace(1) %r0, i64 %r0.first.offset
  %a0.row.offset = mul i64 %state, %a0.step
  %a0.row = getelementptr i8, ptr addrspace(1) %a0, i64 %a0.row.offset
  %r0.row.offset = mul i64 %state, %r0.step
  %r0.row = getelementptr i8, ptr addrspace(1) %r0, i64 %r0.row.offset
  %v0.1.p = getelementptr float, ptr addrspace(1) %a0.row, i32 0
  %v0.1 = load float, ptr addrspace(1) %v0.1.p, align 4, !invariant.load !0
  %v1.2.p = getelementptr float, ptr addrspace(1) %a0.row, i32 1
  %v1.2 = load float, ptr addrspace(1) %v1.2.p, align 4, !invariant.load !0
  %v2.3.p = getelementptr float, ptr addrspace(1) %a0.row, i32 2
  %v2.3 = load float, ptr addrspace(1) %v2.3.p, align 4, !invariant.load !0
  %v19.4 = fpext float %v0.1 to double
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
  %v52.22 = fmul contract double %v26.7, 0x3FE0000000000000
  %v53.23 = call double @llvm.floor.f64(double %v52.22)
  %v54.24 = fcmp oeq double %v52.22, %v53.23
  %v60.25 = select i1 %v54.24, float %v41.17, float %v50.21
  %v62.26 = fpext float %v1.2 to double
  %v63.27 = fmul contract double %v62.26, 0x7CD0000000000000
  %v64.28 = call double @llvm.fma.f64(double %v63.27, double 0x03045F306DC9C883, double 0x4338000000000000)
  %v65.29 = fadd contract double %v64.28, 0xC338000000000000
  %v66.30 = call double @llvm.fma.f64(double %v65.29, double 0xBFF921FB54442D18, double %v62.26)
  %v67.31 = call double @llvm.fma.f64(double %v65.29, double 0xBC91A62633145C07, double %v66.30)
  %v68.32 = fptrunc double %v67.31 to float
  %v69.33 = call float @llvm.fma.f32(float %v68.32, float 0x0000000000000000, float %v68.32)
  %v70.34 = fmul contract float %v69.33, %v69.33
  %v71.35 = call float @llvm.fma.f32(float %v70.34, float 0x3F297F8C20000000, float 0xBF81103220000000)
  %v72.36 = call float @llvm.fma.f32(float %v70.34, float %v71.35, float 0x3FC55553A0000000)
  %v73.37 = fmul contract float %v70.34, %v72.36
  %v74.38 = call float @llvm.fma.f32(float %v69.33, float %v73.37, float 0x0000000000000000)
  %v75.39 = call float @llvm.fma.f32(float %v70.34, float 0x3EF98B6520000000, float 0xBF56C07A60000000)
  %v76.40 = call float @llvm.fma.f32(float %v70.34, float %v75.39, float 0x3FA5555420000000)
  %v77.41 = call float @llvm.fma.f32(float %v70.34, float %v76.40, float 0xBFE0000000000000)
  %v78.42 = call float @llvm.fma.f32(float %v70.34, float %v77.41, float 0x3FF0000000000000)
  %v86.43 = fsub contract float %v74.38, %v69.33
  %v79.44 = fmul contract double %v65.29, 0x3FE0000000000000
  %v80.45 = call double @llvm.floor.f64(double %v79.44)
  %v81.46 = fcmp oeq double %v79.44, %v80.45
  %v87.47 = select i1 %v81.46, float %v78.42, float %v86.43
  %v5.48 = fcmp oeq float %v0.1, %v2.3
  %v7.49 = fcmp olt float %v2.3, 0x0000000000000000
  %v8.50 = xor i1 %v5.48, %v7.49
  %v4.51 = fcmp ole float %v1.2, %v2.3
  %v9.52 = or i1 %v4.51, %v8.50
  %v10.53 = xor i1 %v9.52, true
  %v3.54 = fcmp olt float %v0.1, %v1.2
  %v11.55 = and i1 %v3.54, %v10.53
  %v12.56 = fadd contract float %v0.1, %v1.2
  %v14.57 = fmul contract float %v2.3, 0x4000000000000000
  %v15.58 = fsub contract float %v12.56, %v14.57
  %v55.59 = fmul contract double %v53.23, 0x3FE0000000000000
  %v56.60 = call double @llvm.floor.f64(double %v55.59)
  %v57.61 = fcmp oeq double %v55.59, %v56.60
  %v59.62 = select i1 %v57.61, float 0x3FF0000000000000, float 0xBFF0000000000000
  %v61.63 = fmul contract float %v59.62, %v60.25
  %v82.64 = fmul contract double %v80.45, 0x3FE0000000000000
  %v83.65 = call double @llvm.floor.f64(double %v82.64)
  %v84.66 = fcmp oeq double %v82.64, %v83.65
  %v85.67 = select i1 %v84.66, float 0x3FF0000000000000, float 0xBFF0000000000000
  %v88.68 = fmul contract float %v85.67, %v87.47
  %v89.69 = fadd contract float %v61.63, %v88.68
  %v90.70 = call float @llvm.fabs.f32(float %v1.2)
  %v91.71 = call float @llvm.fabs.f32(float %v0.1)
  %v93.72 = fsub contract float %v90.70, %v91.71
  %v94.73 = fneg float %v93.72
  %v97.74 = call float @llvm.fabs.f32(float %v93.72)
  %v99.75 = fmul contract float %v97.74, 0x4008000000000000
  %v95.76 = fadd contract float %v90.70, %v91.71
  %v100.77 = fcmp ole float %v95.76, %v99.75
  %v92.78 = fneg float %v1.2
  %v96.79 = fcmp olt float %v90.70, %v91.71
  %v101.80 = select i1 %v96.79, float %v92.78, float %v91.71
  %v102.81 = select i1 %v100.77, float %v101.80, float %v94.73
  %v104.82 = call float @llvm.copysign.f32(float %v95.76, float %v1.2)
  %v103.83 = select i1 %v96.79, float %v91.71, float %v1.2
  %v105.84 = select i1 %v100.77, float %v103.83, float %v104.82
  %v107.85 = fdiv float %v102.81, %v105.84
  %v106.86 = fcmp oeq float %v90.70, %v91.71
  %v108.87 = select i1 %v106.86, float 0x0000000000000000, float %v107.85
  %v109.88 = select i1 %v96.79, float 0x0000000000000000, float 0x4000000000000000
  %v110.89 = select i1 %v100.77, float %v109.88, float 0x3FF0000000000000
  %v111.90 = call float @llvm.copysign.f32(float %v110.89, float %v92.78)
  %v113.91 = fmul contract float %v108.87, %v108.87
  %v116.92 = call float @llvm.fma.f32(float %v113.91, float 0xBFAA3CA7C0000000, float 0x3FB9FF86E0000000)
  %v118.93 = call float @llvm.fma.f32(float %v113.91, float %v116.92, float 0xBFC2249800000000)
  %v120.94 = call float @llvm.fma.f32(float %v113.91, float %v118.93, float 0x3FC997B040000000)
  %v122.95 = call float @llvm.fma.f32(float %v113.91, float %v120.94, float 0xBFD5555120000000)
  %v123.96 = fmul contract float %v113.91, %v122.95
  %v112.97 = fadd contract float %v111.90, 0x4000000000000000
  %v125.98 = fmul contract float %v112.97, 0xBE5777A5C0000000
  %v126.99 = call float @llvm.fma.f32(float %v108.87, float %v123.96, float %v125.98)
  %v127.100 = fadd contract float %v108.87, %v126.99
  %v129.101 = call float @llvm.fma.f32(float %v112.97, float 0x3FE921FB60000000, float %v127.100)
  %v133.102 = fcmp olt float %v1.2, 0x0000000000000000
  %v134.103 = select i1 %v133.102, float 0xBFF0000000000000, float %v1.2
  %v132.104 = fcmp olt float 0x0000000000000000, %v1.2
  %v135.105 = select i1 %v132.104, float 0x3FF0000000000000, float %v134.103
  %v131.106 = call float @llvm.sqrt.f32(float %v91.71)
  %v136.107 = fmul contract float %v131.106, %v135.105
  %v137.108 = call float @llvm.floor.f32(float %v0.1)
  %v138.109 = call float @llvm.rint.f32(float %v1.2)
  %v139.110 = call float @llvm.copysign.f32(float %v137.108, float %v138.109)
  %v141.111 = fmul contract double %v19.4, %v62.26
  %v16.112 = fdiv float %v0.1, %v1.2
  %v17.113 = fneg float %v16.112
  %v130.114 = call float @llvm.copysign.f32(float %v129.101, float %v0.1)
  %v140.115 = select i1 %v11.55, float %v0.1, float %v1.2
  %v142.116 = fptrunc double %v141.111 to float
  %v18.117 = call float @llvm.fma.f32(float %v0.1, float %v1.2, float %v2.3)
  %to.118 = getelementptr float, ptr addrspace(1) %r0.row, i32 0
  store float %v15.58, ptr addrspace(1) %to.118, align 4
  %to.119 = getelementptr float, ptr addrspace(1) %r0.row, i32 1
  store float %v17.113, ptr addrspace(1) %to.119, align 4
  %to.120 = getelementptr float, ptr addrspace(1) %r0.row, i32 2
  store float %v18.117, ptr addrspace(1) %to.120, align 4
  %to.121 = getelementptr float, ptr addrspace(1) %r0.row, i32 3
  store float %v89.69, ptr addrspace(1) %to.121, align 4
  %to.122 = getelementptr float, ptr addrspace(1) %r0.row, i32 4
  store float %v130.114, ptr addrspace(1) %to.122, align 4
  %to.123 = getelementptr float, ptr addrspace(1) %r0.row, i32 5
  store float %v136.107, ptr addrspace(1) %to.123, align 4
  %to.124 = getelementptr float, ptr addrspace(1) %r0.row, i32 6
  store float %v139.110, ptr addrspace(1) %to.124, align 4
  %to.125 = getelementptr float, ptr addrspace(1) %r0.row, i32 7
  store float %v140.115, ptr addrspace(1) %to.125, align 4
  %to.126 = getelementptr float, ptr addrspace(1) %r0.row, i32 8
  store float %v142.116, ptr addrspace(1) %to.126, align 4
  ret void
}
!0 = !{}
