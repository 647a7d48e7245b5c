target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.rcp.approx.ftz.f(float)
declare double @llvm.nvvm.rcp.approx.ftz.d(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.rint.f64(double)
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
  %memory.offset = mul i32 %warp, 2304
  %memory = getelementptr i8, ptr addrspace(3) @shared, i32 %memory.offset
  %r0.rows = getelementptr double, ptr addrspace(3) %memory, i32 0
  %r0.at = mul i32 %lane, 9
  %r0.own = getelementptr double, ptr addrspace(3) %r0.rows, i32 %r0.at
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
  %v2.1.p = getelementptr double, ptr addrspace(1) %a0.row, i32 2
  %v2.1 = load double, ptr addrspace(1) %v2.1.p, align 8, !invariant.load !0
  %v1.2.p = getelementptr double, ptr addrspace(1) %a0.row, i32 1
  %v1.2 = load double, ptr addrspace(1) %v1.2.p, align 8, !invariant.load !0
  %v0.3.p = getelementptr double, ptr addrspace(1) %a0.row, i32 0
  %v0.3 = load double, ptr addrspace(1) %v0.3.p, align 8, !invariant.load !0
  %v20.4 = fmul contract double %v0.3, 0x7CD0000000000000
  %v23.5 = call double @llvm.fma.f64(double %v20.4, double 0x03045F306DC9C883, double 0x4338000000000000)
  %v25.6 = fadd contract double %v23.5, 0xC338000000000000
  %v27.7 = call double @llvm.fma.f64(double %v25.6, double 0xBFF921FB54442D18, double %v0.3)
  %v29.8 = call double @llvm.fma.f64(double %v25.6, double 0x3C91A62633145C07, double 0x0000000000000000)
  %v30.9 = fsub contract double %v27.7, %v29.8
  %v31.10 = fsub contract double %v27.7, %v30.9
  %v32.11 = fsub contract double %v29.8, %v31.10
  %v33.12 = fneg double %v29.8
  %v34.13 = call double @llvm.fma.f64(double %v25.6, double 0x3C91A62633145C07, double %v33.12)
  %v35.14 = fadd contract double %v32.11, %v34.13
  %v37.15 = call double @llvm.fma.f64(double %v25.6, double 0xB91F1976B7ED8FBC, double %v35.14)
  %v38.16 = fadd contract double %v30.9, %v30.9
  %v39.17 = fmul contract double %v37.15, %v38.16
  %v40.18 = fneg double %v39.17
  %v41.19 = call double @llvm.fma.f64(double %v30.9, double %v30.9, double %v40.18)
  %v44.20 = call double @llvm.fma.f64(double %v41.19, double 0xBDE5CE4354EC0388, double 0x3E5AE5BE5DF0D66B)
  %v46.21 = call double @llvm.fma.f64(double %v41.19, double %v44.20, double 0xBEC71DE321351225)
  %v48.22 = call double @llvm.fma.f64(double %v41.19, double %v46.21, double 0x3F2A01A0197EB64E)
  %v50.23 = call double @llvm.fma.f64(double %v41.19, double %v48.22, double 0xBF8111111110D559)
  %v52.24 = call double @llvm.fma.f64(double %v41.19, double %v50.23, double 0x3FC5555555555531)
  %v53.25 = fmul contract double %v41.19, %v52.24
  %v54.26 = call double @llvm.fma.f64(double %v30.9, double %v53.25, double %v37.15)
  %v55.27 = fsub contract double %v30.9, %v54.26
  %v58.28 = call double @llvm.fma.f64(double %v41.19, double 0xBDA8EE55813FF0D3, double 0x3E21EE84C761BCA2)
  %v60.29 = call double @llvm.fma.f64(double %v41.19, double %v58.28, double 0xBE927E4F57BC2C8C)
  %v62.30 = call double @llvm.fma.f64(double %v41.19, double %v60.29, double 0x3EFA01A0198E7416)
  %v64.31 = call double @llvm.fma.f64(double %v41.19, double %v62.30, double 0xBF56C16C16C127D4)
  %v66.32 = call double @llvm.fma.f64(double %v41.19, double %v64.31, double 0x3FA5555555555537)
  %v68.33 = call double @llvm.fma.f64(double %v41.19, double %v66.32, double 0xBFE0000000000000)
  %v70.34 = call double @llvm.fma.f64(double %v41.19, double %v68.33, double 0x3FF0000000000000)
  %v71.35.t = bitcast double %v23.5 to i64
  %v71.35 = trunc i64 %v71.35.t to i1
  %v72.36 = select i1 %v71.35, double %v70.34, double %v55.27
  %v74.37 = fmul contract double %v1.2, 0x7CD0000000000000
  %v75.38 = call double @llvm.fma.f64(double %v74.37, double 0x03045F306DC9C883, double 0x4338000000000000)
  %v76.39 = fadd contract double %v75.38, 0xC338000000000000
  %v77.40 = call double @llvm.fma.f64(double %v76.39, double 0xBFF921FB54442D18, double %v1.2)
  %v78.41 = call double @llvm.fma.f64(double %v76.39, double 0x3C91A62633145C07, double 0x0000000000000000)
  %v79.42 = fsub contract double %v77.40, %v78.41
  %v80.43 = fsub contract double %v77.40, %v79.42
  %v81.44 = fsub contract double %v78.41, %v80.43
  %v82.45 = fneg double %v78.41
  %v83.46 = call double @llvm.fma.f64(double %v76.39, double 0x3C91A62633145C07, double %v82.45)
  %v84.47 = fadd contract double %v81.44, %v83.46
  %v85.48 = call double @llvm.fma.f64(double %v76.39, double 0xB91F1976B7ED8FBC, double %v84.47)
  %v86.49 = fadd contract double %v79.42, %v79.42
  %v87.50 = fmul contract double %v85.48, %v86.49
  %v88.51 = fneg double %v87.50
  %v89.52 = call double @llvm.fma.f64(double %v79.42, double %v79.42, double %v88.51)
  %v90.53 = call double @llvm.fma.f64(double %v89.52, double 0xBDE5CE4354EC0388, double 0x3E5AE5BE5DF0D66B)
  %v91.54 = call double @llvm.fma.f64(double %v89.52, double %v90.53, double 0xBEC71DE321351225)
  %v92.55 = call double @llvm.fma.f64(double %v89.52, double %v91.54, double 0x3F2A01A0197EB64E)
  %v93.56 = call double @llvm.fma.f64(double %v89.52, double %v92.55, double 0xBF8111111110D559)
  %v94.57 = call double @llvm.fma.f64(double %v89.52, double %v93.56, double 0x3FC5555555555531)
  %v95.58 = fmul contract double %v89.52, %v94.57
  %v96.59 = call double @llvm.fma.f64(double %v79.42, double %v95.58, double %v85.48)
  %v98.60 = call double @llvm.fma.f64(double %v89.52, double 0xBDA8EE55813FF0D3, double 0x3E21EE84C761BCA2)
  %v99.61 = call double @llvm.fma.f64(double %v89.52, double %v98.60, double 0xBE927E4F57BC2C8C)
  %v100.62 = call double @llvm.fma.f64(double %v89.52, double %v99.61, double 0x3EFA01A0198E7416)
  %v101.63 = call double @llvm.fma.f64(double %v89.52, double %v100.62, double 0xBF56C16C16C127D4)
  %v102.64 = call double @llvm.fma.f64(double %v89.52, double %v101.63, double 0x3FA5555555555537)
  %v103.65 = call double @llvm.fma.f64(double %v89.52, double %v102.64, double 0xBFE0000000000000)
  %v104.66 = call double @llvm.fma.f64(double %v89.52, double %v103.65, double 0x3FF0000000000000)
  %v106.67 = fsub contract double %v96.59, %v79.42
  %v105.68.t = bitcast double %v75.38 to i64
  %v105.68 = trunc i64 %v105.68.t to i1
  %v107.69 = select i1 %v105.68, double %v106.67, double %v104.66
  %v5.70 = fcmp oeq double %v0.3, %v2.1
  %v7.71 = fcmp olt double %v2.1, 0x0000000000000000
  %v8.72 = xor i1 %v5.70, %v7.71
  %v4.73 = fcmp ole double %v1.2, %v2.1
  %v9.74 = or i1 %v4.73, %v8.72
  %v10.75 = xor i1 %v9.74, true
  %v3.76 = fcmp olt double %v0.3, %v1.2
  %v11.77 = and i1 %v3.76, %v10.75
  %v12.78 = fadd contract double %v0.3, %v1.2
  %v14.79 = fmul contract double %v2.1, 0x4000000000000000
  %v15.80 = fsub contract double %v12.78, %v14.79
  %at.81 = getelementptr double, ptr addrspace(3) %r0.own, i32 0
  store double %v15.80, ptr addrspace(3) %at.81, align 8
  %v73.82.t = bitcast double %v23.5 to i64
  %v73.82.u = shl i64 %v73.82.t, 62
  %v73.82.s = and i64 %v73.82.u, -9223372036854775808
  %v73.82.x = bitcast double %v72.36 to i64
  %v73.82.y = xor i64 %v73.82.x, %v73.82.s
  %v73.82 = bitcast i64 %v73.82.y to double
  %v108.83.t = bitcast double %v75.38 to i64
  %v108.83.u = shl i64 %v108.83.t, 62
  %v108.83.s = and i64 %v108.83.u, -9223372036854775808
  %v108.83.x = bitcast double %v107.69 to i64
  %v108.83.y = xor i64 %v108.83.x, %v108.83.s
  %v108.83 = bitcast i64 %v108.83.y to double
  %v109.84 = fadd contract double %v73.82, %v108.83
  %at.85 = getelementptr double, ptr addrspace(3) %r0.own, i32 3
  store double %v109.84, ptr addrspace(3) %at.85, align 8
  %v110.86 = call double @llvm.fabs.f64(double %v1.2)
  %v111.87 = call double @llvm.fabs.f64(double %v0.3)
  %v113.88 = fsub contract double %v110.86, %v111.87
  %v114.89 = fneg double %v113.88
  %v117.90 = call double @llvm.fabs.f64(double %v113.88)
  %v119.91 = fmul contract double %v117.90, 0x4008000000000000
  %v115.92 = fadd contract double %v110.86, %v111.87
  %v120.93 = fcmp ole double %v115.92, %v119.91
  %v112.94 = fneg double %v1.2
  %v116.95 = fcmp olt double %v110.86, %v111.87
  %v121.96 = select i1 %v116.95, double %v112.94, double %v111.87
  %v122.97 = select i1 %v120.93, double %v121.96, double %v114.89
  %v124.98 = call double @llvm.copysign.f64(double %v115.92, double %v1.2)
  %v123.99 = select i1 %v116.95, double %v111.87, double %v1.2
  %v125.100 = select i1 %v120.93, double %v123.99, double %v124.98
  %v127.101.r = call double @llvm.nvvm.rcp.approx.ftz.d(double %v125.100)
  %v127.101.m = fneg double %v125.100
  %v127.101.e = call double @llvm.fma.f64(double %v127.101.m, double %v127.101.r, double 1.0)
  %v127.101.f = call double @llvm.fma.f64(double %v127.101.e, double %v127.101.e, double %v127.101.e)
  %v127.101.s = call double @llvm.fma.f64(double %v127.101.r, double %v127.101.f, double %v127.101.r)
  %v127.101.ok = fcmp ord double %v127.101.s, %v127.101.s
  %v127.101.t = select i1 %v127.101.ok, double %v127.101.s, double %v127.101.r
  %v127.101 = fmul double %v122.97, %v127.101.t
  %v126.102 = fcmp oeq double %v110.86, %v111.87
  %v128.103 = select i1 %v126.102, double 0x0000000000000000, double %v127.101
  %v129.104 = select i1 %v116.95, double 0x0000000000000000, double 0x4000000000000000
  %v130.105 = select i1 %v120.93, double %v129.104, double 0x3FF0000000000000
  %v131.106 = call double @llvm.copysign.f64(double %v130.105, double %v112.94)
  %v133.107 = fmul contract double %v128.103, %v128.103
  %v136.108 = call double @llvm.fma.f64(double %v133.107, double 0x3F84B7C7D2BDBE27, double 0xBF9C17A5DC162E7F)
  %v138.109 = call double @llvm.fma.f64(double %v133.107, double %v136.108, double 0x3FA56F410E890BDC)
  %v140.110 = call double @llvm.fma.f64(double %v133.107, double %v138.109, double 0xBFAA397CA2D0AF94)
  %v142.111 = call double @llvm.fma.f64(double %v133.107, double %v140.110, double 0x3FADFE954F682529)
  %v144.112 = call double @llvm.fma.f64(double %v133.107, double %v142.111, double 0xBFB10F31C910AA86)
  %v146.113 = call double @llvm.fma.f64(double %v133.107, double %v144.112, double 0x3FB3B113D82D90C3)
  %v148.114 = call double @llvm.fma.f64(double %v133.107, double %v146.113, double 0xBFB745CF4C7691B0)
  %v150.115 = call double @llvm.fma.f64(double %v133.107, double %v148.114, double 0x3FBC71C7090C513E)
  %v152.116 = call double @llvm.fma.f64(double %v133.107, double %v150.115, double 0xBFC249249215D8A2)
  %v154.117 = call double @llvm.fma.f64(double %v133.107, double %v152.116, double 0x3FC9999999991137)
  %v156.118 = call double @llvm.fma.f64(double %v133.107, double %v154.117, double 0xBFD5555555555516)
  %v157.119 = fmul contract double %v133.107, %v156.118
  %v132.120 = fadd contract double %v131.106, 0x4000000000000000
  %v159.121 = fmul contract double %v132.120, 0x3C81A62633145C07
  %v160.122 = call double @llvm.fma.f64(double %v128.103, double %v157.119, double %v159.121)
  %v161.123 = fadd contract double %v128.103, %v160.122
  %v163.124 = call double @llvm.fma.f64(double %v132.120, double 0x3FE921FB54442D18, double %v161.123)
  %v167.125 = fcmp olt double %v1.2, 0x0000000000000000
  %v169.126 = select i1 %v167.125, double 0xBFF0000000000000, double %v1.2
  %v166.127 = fcmp olt double 0x0000000000000000, %v1.2
  %v170.128 = select i1 %v166.127, double 0x3FF0000000000000, double %v169.126
  %v165.129 = call double @llvm.sqrt.f64(double %v111.87)
  %v171.130 = fmul contract double %v165.129, %v170.128
  %at.131 = getelementptr double, ptr addrspace(3) %r0.own, i32 5
  store double %v171.130, ptr addrspace(3) %at.131, align 8
  %v172.132 = call double @llvm.floor.f64(double %v0.3)
  %v173.133 = call double @llvm.rint.f64(double %v1.2)
  %v174.134 = call double @llvm.copysign.f64(double %v172.132, double %v173.133)
  %at.135 = getelementptr double, ptr addrspace(3) %r0.own, i32 6
  store double %v174.134, ptr addrspace(3) %at.135, align 8
  %v16.136.r = call double @llvm.nvvm.rcp.approx.ftz.d(double %v1.2)
  %v16.136.m = fneg double %v1.2
  %v16.136.e = call double @llvm.fma.f64(double %v16.136.m, double %v16.136.r, double 1.0)
  %v16.136.f = call double @llvm.fma.f64(double %v16.136.e, double %v16.136.e, double %v16.136.e)
  %v16.136.s = call double @llvm.fma.f64(double %v16.136.r, double %v16.136.f, double %v16.136.r)
  %v16.136.ok = fcmp ord double %v16.136.s, %v16.136.s
  %v16.136.t = select i1 %v16.136.ok, double %v16.136.s, double %v16.136.r
  %v16.136 = fmul double %v0.3, %v16.136.t
  %v17.137 = fneg double %v16.136
  %at.138 = getelementptr double, ptr addrspace(3) %r0.own, i32 1
  store double %v17.137, ptr addrspace(3) %at.138, align 8
  %v164.139 = call double @llvm.copysign.f64(double %v163.124, double %v0.3)
  %at.140 = getelementptr double, ptr addrspace(3) %r0.own, i32 4
  store double %v164.139, ptr addrspace(3) %at.140, align 8
  %v175.141 = select i1 %v11.77, double %v0.3, double %v1.2
  %at.142 = getelementptr double, ptr addrspace(3) %r0.own, i32 7
  store double %v175.141, ptr addrspace(3) %at.142, align 8
  %v18.143 = call double @llvm.fma.f64(double %v0.3, double %v1.2, double %v2.1)
  %at.144 = getelementptr double, ptr addrspace(3) %r0.own, i32 2
  store double %v18.143, ptr addrspace(3) %at.144, align 8
  %v176.145 = fmul contract double %v0.3, %v1.2
  %at.146 = getelementptr double, ptr addrspace(3) %r0.own, i32 8
  store double %v176.145, ptr addrspace(3) %at.146, align 8
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %r0.out.count = mul i32 %valid, 9
  br i1 %full, label %r0.out.yes, label %r0.out.no
r0.out.yes:
  %r0.out.global = getelementptr double, ptr addrspace(1) %r0.first, i32 %lane
  %r0.out.place = add i32 %lane, 0
  %r0.out.shared = getelementptr double, ptr addrspace(3) %r0.rows, i32 %r0.out.place
  %r0.out.g0 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 0
  %r0.out.s0 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 0
  %r0.out.g1 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 32
  %r0.out.s1 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 32
  %r0.out.g2 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 64
  %r0.out.s2 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 64
  %r0.out.g3 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 96
  %r0.out.s3 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 96
  %r0.out.g4 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 128
  %r0.out.s4 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 128
  %r0.out.g5 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 160
  %r0.out.s5 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 160
  %r0.out.g6 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 192
  %r0.out.s6 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 192
  %r0.out.g7 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 224
  %r0.out.s7 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 224
  %r0.out.g8 = getelementptr double, ptr addrspace(1) %r0.out.global, i32 256
  %r0.out.s8 = getelementptr double, ptr addrspace(3) %r0.out.shared, i32 256
  %r0.out.x0 = load double, ptr addrspace(3) %r0.out.s0, align 8
  %r0.out.x1 = load double, ptr addrspace(3) %r0.out.s1, align 8
  %r0.out.x2 = load double, ptr addrspace(3) %r0.out.s2, align 8
  %r0.out.x3 = load double, ptr addrspace(3) %r0.out.s3, align 8
  %r0.out.x4 = load double, ptr addrspace(3) %r0.out.s4, align 8
  %r0.out.x5 = load double, ptr addrspace(3) %r0.out.s5, align 8
  %r0.out.x6 = load double, ptr addrspace(3) %r0.out.s6, align 8
  %r0.out.x7 = load double, ptr addrspace(3) %r0.out.s7, align 8
  store double %r0.out.x0, ptr addrspace(1) %r0.out.g0, align 8
  store double %r0.out.x1, ptr addrspace(1) %r0.out.g1, align 8
  store double %r0.out.x2, ptr addrspace(1) %r0.out.g2, align 8
  store double %r0.out.x3, ptr addrspace(1) %r0.out.g3, align 8
  store double %r0.out.x4, ptr addrspace(1) %r0.out.g4, align 8
  store double %r0.out.x5, ptr addrspace(1) %r0.out.g5, align 8
  store double %r0.out.x6, ptr addrspace(1) %r0.out.g6, align 8
  store double %r0.out.x7, ptr addrspace(1) %r0.out.g7, align 8
  %r0.out.x8 = load double, ptr addrspace(3) %r0.out.s8, align 8
  store double %r0.out.x8, ptr addrspace(1) %r0.out.g8, align 8
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
  %r0.out.e.g = getelementptr double, ptr addrspace(1) %r0.out.e.p, i32 %r0.out.e.c
  %r0.out.e.r = mul i32 %r0.out.e.s, 9
  %r0.out.e.u = add i32 %r0.out.e.r, %r0.out.e.c
  %r0.out.e.h = getelementptr double, ptr addrspace(3) %r0.rows, i32 %r0.out.e.u
  %r0.out.e.x0 = load double, ptr addrspace(3) %r0.out.e.h, align 8
  store double %r0.out.e.x0, ptr addrspace(1) %r0.out.e.g, align 8
  %r0.out.e.next = add i32 %r0.out.e, 32
  br label %r0.out.e.test
r0.out.e.end:
  br label %r0.out.end
r0.out.end:
  ret void
}
!0 = !{}
