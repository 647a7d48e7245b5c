target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.copysign.f64(double, double)
define ptx_kernel void @kinetree_kernel(i64 %count, ptr addrspace(1) %scratch, ptr addrspace(1) noalias readonly %a0, i64 %a0.step, i64 %a0.stride.0, ptr addrspace(1) noalias %r0, i64 %r0.step, i64 %r0.stride.0) {
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
  %memory.offset = mul i32 %warp, 2304
  %memory = getelementptr i8, ptr addrspace(3) @shared, i32 %memory.offset
  %r0.rows = getelementptr double, ptr addrspace(3) %memory, i32 0
  %r0.at = mul i32 %lane, 9
  %r0.own = getelementptr double, ptr addrspace(3) %r0.rows, i32 %r0.at
  %a0.first.offset = mul i64 %first, %a0.step
  %a0.first = getelementptr i8, ptr addrspace(1) %a0, i64 %a0.first.offset
  %r0.first.offset = mul i64 %first, %r0.step
  %r0.first = getelementptr i8, ptr addrspace(1) %r0, i64 %r0.first.offset
  %a0.row.offset = mul i64 %state, %a0.step
  %a0.row = getelementptr i8, ptr addrspace(1) %a0, i64 %a0.row.offset
  %r0.row.offset = mul i64 %state, %r0.step
  %r0.row = getelementptr i8, ptr addrspace(1) %r0, i64 %r0.row.offset
  %v0.1.p.o0 = mul i64 0, %a0.stride.0
  %v0.1.p.p0 = getelementptr i8, ptr addrspace(1) %a0.row, i64 %v0.1.p.o0
  %v0.1.p = getelementptr i8, ptr addrspace(1) %v0.1.p.p0, i64 0
  %v0.1 = load double, ptr addrspace(1) %v0.1.p, align 8, !invariant.load !0
  %v20.2 = fmul contract double %v0.1, 0x7CD0000000000000
  %v23.3 = call double @llvm.fma.f64(double %v20.2, double 0x03045F306DC9C883, double 0x4338000000000000)
  %v25.4 = fadd contract double %v23.3, 0xC338000000000000
  %v27.5 = call double @llvm.fma.f64(double %v25.4, double 0xBFF921FB54442D18, double %v0.1)
  %v29.6 = call double @llvm.fma.f64(double %v25.4, double 0x3C91A62633145C07, double 0x0000000000000000)
  %v30.7 = fsub contract double %v27.5, %v29.6
  %v31.8 = fsub contract double %v27.5, %v30.7
  %v32.9 = fsub contract double %v29.6, %v31.8
  %v33.10 = fneg double %v29.6
  %v34.11 = call double @llvm.fma.f64(double %v25.4, double 0x3C91A62633145C07, double %v33.10)
  %v35.12 = fadd contract double %v32.9, %v34.11
  %v37.13 = call double @llvm.fma.f64(double %v25.4, double 0xB91F1976B7ED8FBC, double %v35.12)
  %v38.14 = fadd contract double %v30.7, %v30.7
  %v39.15 = fmul contract double %v37.13, %v38.14
  %v40.16 = fneg double %v39.15
  %v41.17 = call double @llvm.fma.f64(double %v30.7, double %v30.7, double %v40.16)
  %v44.18 = call double @llvm.fma.f64(double %v41.17, double 0xBDE5CE4354EC0388, double 0x3E5AE5BE5DF0D66B)
  %v46.19 = call double @llvm.fma.f64(double %v41.17, double %v44.18, double 0xBEC71DE321351225)
  %v48.20 = call double @llvm.fma.f64(double %v41.17, double %v46.19, double 0x3F2A01A0197EB64E)
  %v50.21 = call double @llvm.fma.f64(double %v41.17, double %v48.20, double 0xBF8111111110D559)
  %v52.22 = call double @llvm.fma.f64(double %v41.17, double %v50.21, double 0x3FC5555555555531)
  %v53.23 = fmul contract double %v41.17, %v52.22
  %v54.24 = call double @llvm.fma.f64(double %v30.7, double %v53.23, double %v37.13)
  %v55.25 = fsub contract double %v30.7, %v54.24
  %v58.26 = call double @llvm.fma.f64(double %v41.17, double 0xBDA8EE55813FF0D3, double 0x3E21EE84C761BCA2)
  %v60.27 = call double @llvm.fma.f64(double %v41.17, double %v58.26, double 0xBE927E4F57BC2C8C)
  %v62.28 = call double @llvm.fma.f64(double %v41.17, double %v60.27, double 0x3EFA01A0198E7416)
  %v64.29 = call double @llvm.fma.f64(double %v41.17, double %v62.28, double 0xBF56C16C16C127D4)
  %v66.30 = call double @llvm.fma.f64(double %v41.17, double %v64.29, double 0x3FA5555555555537)
  %v68.31 = call double @llvm.fma.f64(double %v41.17, double %v66.30, double 0xBFE0000000000000)
  %v70.32 = call double @llvm.fma.f64(double %v41.17, double %v68.31, double 0x3FF0000000000000)
  %v72.33 = fmul contract double %v25.4, 0x3FE0000000000000
  %v73.34 = call double @llvm.floor.f64(double %v72.33)
  %v74.35 = fcmp oeq double %v72.33, %v73.34
  %v80.36 = select i1 %v74.35, double %v55.25, double %v70.32
  %v1.37.p.o0 = mul i64 1, %a0.stride.0
  %v1.37.p.p0 = getelementptr i8, ptr addrspace(1) %a0.row, i64 %v1.37.p.o0
  %v1.37.p = getelementptr i8, ptr addrspace(1) %v1.37.p.p0, i64 0
  %v1.37 = load double, ptr addrspace(1) %v1.37.p, align 8, !invariant.load !0
  %v82.38 = fmul contract double %v1.37, 0x7CD0000000000000
  %v83.39 = call double @llvm.fma.f64(double %v82.38, double 0x03045F306DC9C883, double 0x4338000000000000)
  %v84.40 = fadd contract double %v83.39, 0xC338000000000000
  %v85.41 = call double @llvm.fma.f64(double %v84.40, double 0xBFF921FB54442D18, double %v1.37)
  %v86.42 = call double @llvm.fma.f64(double %v84.40, double 0x3C91A62633145C07, double 0x0000000000000000)
  %v87.43 = fsub contract double %v85.41, %v86.42
  %v88.44 = fsub contract double %v85.41, %v87.43
  %v89.45 = fsub contract double %v86.42, %v88.44
  %v90.46 = fneg double %v86.42
  %v91.47 = call double @llvm.fma.f64(double %v84.40, double 0x3C91A62633145C07, double %v90.46)
  %v92.48 = fadd contract double %v89.45, %v91.47
  %v93.49 = call double @llvm.fma.f64(double %v84.40, double 0xB91F1976B7ED8FBC, double %v92.48)
  %v94.50 = fadd contract double %v87.43, %v87.43
  %v95.51 = fmul contract double %v93.49, %v94.50
  %v96.52 = fneg double %v95.51
  %v97.53 = call double @llvm.fma.f64(double %v87.43, double %v87.43, double %v96.52)
  %v98.54 = call double @llvm.fma.f64(double %v97.53, double 0xBDE5CE4354EC0388, double 0x3E5AE5BE5DF0D66B)
  %v99.55 = call double @llvm.fma.f64(double %v97.53, double %v98.54, double 0xBEC71DE321351225)
  %v100.56 = call double @llvm.fma.f64(double %v97.53, double %v99.55, double 0x3F2A01A0197EB64E)
  %v101.57 = call double @llvm.fma.f64(double %v97.53, double %v100.56, double 0xBF8111111110D559)
  %v102.58 = call double @llvm.fma.f64(double %v97.53, double %v101.57, double 0x3FC5555555555531)
  %v103.59 = fmul contract double %v97.53, %v102.58
  %v104.60 = call double @llvm.fma.f64(double %v87.43, double %v103.59, double %v93.49)
  %v106.61 = call double @llvm.fma.f64(double %v97.53, double 0xBDA8EE55813FF0D3, double 0x3E21EE84C761BCA2)
  %v107.62 = call double @llvm.fma.f64(double %v97.53, double %v106.61, double 0xBE927E4F57BC2C8C)
  %v108.63 = call double @llvm.fma.f64(double %v97.53, double %v107.62, double 0x3EFA01A0198E7416)
  %v109.64 = call double @llvm.fma.f64(double %v97.53, double %v108.63, double 0xBF56C16C16C127D4)
  %v110.65 = call double @llvm.fma.f64(double %v97.53, double %v109.64, double 0x3FA5555555555537)
  %v111.66 = call double @llvm.fma.f64(double %v97.53, double %v110.65, double 0xBFE0000000000000)
  %v112.67 = call double @llvm.fma.f64(double %v97.53, double %v111.66, double 0x3FF0000000000000)
  %v120.68 = fsub contract double %v104.60, %v87.43
  %v113.69 = fmul contract double %v84.40, 0x3FE0000000000000
  %v114.70 = call double @llvm.floor.f64(double %v113.69)
  %v115.71 = fcmp oeq double %v113.69, %v114.70
  %v121.72 = select i1 %v115.71, double %v112.67, double %v120.68
  %v2.73.p.o0 = mul i64 2, %a0.stride.0
  %v2.73.p.p0 = getelementptr i8, ptr addrspace(1) %a0.row, i64 %v2.73.p.o0
  %v2.73.p = getelementptr i8, ptr addrspace(1) %v2.73.p.p0, i64 0
  %v2.73 = load double, ptr addrspace(1) %v2.73.p, align 8, !invariant.load !0
  %v5.74 = fcmp oeq double %v0.1, %v2.73
  %v7.75 = fcmp olt double %v2.73, 0x0000000000000000
  %v8.76 = xor i1 %v5.74, %v7.75
  %v4.77 = fcmp ole double %v1.37, %v2.73
  %v9.78 = or i1 %v4.77, %v8.76
  %v10.79 = xor i1 %v9.78, true
  %v3.80 = fcmp olt double %v0.1, %v1.37
  %v11.81 = and i1 %v3.80, %v10.79
  %v12.82 = fadd contract double %v0.1, %v1.37
  %v14.83 = fmul contract double %v2.73, 0x4000000000000000
  %v15.84 = fsub contract double %v12.82, %v14.83
  %at.85 = getelementptr double, ptr addrspace(3) %r0.own, i32 0
  store double %v15.84, ptr addrspace(3) %at.85, align 8
  %v75.86 = fmul contract double %v73.34, 0x3FE0000000000000
  %v76.87 = call double @llvm.floor.f64(double %v75.86)
  %v77.88 = fcmp oeq double %v75.86, %v76.87
  %v79.89 = select i1 %v77.88, double 0x3FF0000000000000, double 0xBFF0000000000000
  %v81.90 = fmul contract double %v79.89, %v80.36
  %v116.91 = fmul contract double %v114.70, 0x3FE0000000000000
  %v117.92 = call double @llvm.floor.f64(double %v116.91)
  %v118.93 = fcmp oeq double %v116.91, %v117.92
  %v119.94 = select i1 %v118.93, double 0x3FF0000000000000, double 0xBFF0000000000000
  %v122.95 = fmul contract double %v119.94, %v121.72
  %v123.96 = fadd contract double %v81.90, %v122.95
  %at.97 = getelementptr double, ptr addrspace(3) %r0.own, i32 3
  store double %v123.96, ptr addrspace(3) %at.97, align 8
  %v124.98 = call double @llvm.fabs.f64(double %v1.37)
  %v125.99 = call double @llvm.fabs.f64(double %v0.1)
  %v127.100 = fsub contract double %v124.98, %v125.99
  %v128.101 = fneg double %v127.100
  %v131.102 = call double @llvm.fabs.f64(double %v127.100)
  %v133.103 = fmul contract double %v131.102, 0x4008000000000000
  %v129.104 = fadd contract double %v124.98, %v125.99
  %v134.105 = fcmp ole double %v129.104, %v133.103
  %v126.106 = fneg double %v1.37
  %v130.107 = fcmp olt double %v124.98, %v125.99
  %v135.108 = select i1 %v130.107, double %v126.106, double %v125.99
  %v136.109 = select i1 %v134.105, double %v135.108, double %v128.101
  %v138.110 = call double @llvm.copysign.f64(double %v129.104, double %v1.37)
  %v137.111 = select i1 %v130.107, double %v125.99, double %v1.37
  %v139.112 = select i1 %v134.105, double %v137.111, double %v138.110
  %v141.113 = fdiv double %v136.109, %v139.112
  %v140.114 = fcmp oeq double %v124.98, %v125.99
  %v142.115 = select i1 %v140.114, double 0x0000000000000000, double %v141.113
  %v143.116 = select i1 %v130.107, double 0x0000000000000000, double 0x4000000000000000
  %v144.117 = select i1 %v134.105, double %v143.116, double 0x3FF0000000000000
  %v145.118 = call double @llvm.copysign.f64(double %v144.117, double %v126.106)
  %v147.119 = fmul contract double %v142.115, %v142.115
  %v150.120 = call double @llvm.fma.f64(double %v147.119, double 0x3F84B7C7D2BDBE27, double 0xBF9C17A5DC162E7F)
  %v152.121 = call double @llvm.fma.f64(double %v147.119, double %v150.120, double 0x3FA56F410E890BDC)
  %v154.122 = call double @llvm.fma.f64(double %v147.119, double %v152.121, double 0xBFAA397CA2D0AF94)
  %v156.123 = call double @llvm.fma.f64(double %v147.119, double %v154.122, double 0x3FADFE954F682529)
  %v158.124 = call double @llvm.fma.f64(double %v147.119, double %v156.123, double 0xBFB10F31C910AA86)
  %v160.125 = call double @llvm.fma.f64(double %v147.119, double %v158.124, double 0x3FB3B113D82D90C3)
  %v162.126 = call double @llvm.fma.f64(double %v147.119, double %v160.125, double 0xBFB745CF4C7691B0)
  %v164.127 = call double @llvm.fma.f64(double %v147.119, double %v162.126, double 0x3FBC71C7090C513E)
  %v166.128 = call double @llvm.fma.f64(double %v147.119, double %v164.127, double 0xBFC249249215D8A2)
  %v168.129 = call double @llvm.fma.f64(double %v147.119, double %v166.128, double 0x3FC9999999991137)
  %v170.130 = call double @llvm.fma.f64(double %v147.119, double %v168.129, double 0xBFD5555555555516)
  %v171.131 = fmul contract double %v147.119, %v170.130
  %v146.132 = fadd contract double %v145.118, 0x4000000000000000
  %v173.133 = fmul contract double %v146.132, 0x3C81A62633145C07
  %v174.134 = call double @llvm.fma.f64(double %v142.115, double %v171.131, double %v173.133)
  %v175.135 = fadd contract double %v142.115, %v174.134
  %v177.136 = call double @llvm.fma.f64(double %v146.132, double 0x3FE921FB54442D18, double %v175.135)
  %v181.137 = fcmp olt double %v1.37, 0x0000000000000000
  %v182.138 = select i1 %v181.137, double 0xBFF0000000000000, double %v1.37
  %v180.139 = fcmp olt double 0x0000000000000000, %v1.37
  %v183.140 = select i1 %v180.139, double 0x3FF0000000000000, double %v182.138
  %v179.141 = call double @llvm.sqrt.f64(double %v125.99)
  %v184.142 = fmul contract double %v179.141, %v183.140
  %at.143 = getelementptr double, ptr addrspace(3) %r0.own, i32 5
  store double %v184.142, ptr addrspace(3) %at.143, align 8
  %v185.144 = call double @llvm.floor.f64(double %v0.1)
  %v186.145 = call double @llvm.rint.f64(double %v1.37)
  %v187.146 = call double @llvm.copysign.f64(double %v185.144, double %v186.145)
  %at.147 = getelementptr double, ptr addrspace(3) %r0.own, i32 6
  store double %v187.146, ptr addrspace(3) %at.147, align 8
  %v16.148 = fdiv double %v0.1, %v1.37
  %v17.149 = fneg double %v16.148
  %at.150 = getelementptr double, ptr addrspace(3) %r0.own, i32 1
  store double %v17.149, ptr addrspace(3) %at.150, align 8
  %v178.151 = call double @llvm.copysign.f64(double %v177.136, double %v0.1)
  %at.152 = getelementptr double, ptr addrspace(3) %r0.own, i32 4
  store double %v178.151, ptr addrspace(3) %at.152, align 8
  %v188.153 = select i1 %v11.81, double %v0.1, double %v1.37
  %at.154 = getelementptr double, ptr addrspace(3) %r0.own, i32 7
  store double %v188.153, ptr addrspace(3) %at.154, align 8
  %v18.155 = call double @llvm.fma.f64(double %v0.1, double %v1.37, double %v2.73)
  %at.156 = getelementptr double, ptr addrspace(3) %r0.own, i32 2
  store double %v18.155, ptr addrspace(3) %at.156, align 8
  %v189.157 = fmul contract double %v0.1, %v1.37
  %at.158 = getelementptr double, ptr addrspace(3) %r0.own, i32 8
  store double %v189.157, ptr addrspace(3) %at.158, align 8
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %r0.out.s0 = getelementptr double, ptr addrspace(3) %r0.own, i32 0
  %r0.out.g1 = getelementptr i8, ptr addrspace(1) %r0.row, i64 %r0.stride.0
  %r0.out.s1 = getelementptr double, ptr addrspace(3) %r0.own, i32 1
  %r0.out.g2 = getelementptr i8, ptr addrspace(1) %r0.out.g1, i64 %r0.stride.0
  %r0.out.s2 = getelementptr double, ptr addrspace(3) %r0.own, i32 2
  %r0.out.g3 = getelementptr i8, ptr addrspace(1) %r0.out.g2, i64 %r0.stride.0
  %r0.out.s3 = getelementptr double, ptr addrspace(3) %r0.own, i32 3
  %r0.out.g4 = getelementptr i8, ptr addrspace(1) %r0.out.g3, i64 %r0.stride.0
  %r0.out.s4 = getelementptr double, ptr addrspace(3) %r0.own, i32 4
  %r0.out.g5 = getelementptr i8, ptr addrspace(1) %r0.out.g4, i64 %r0.stride.0
  %r0.out.s5 = getelementptr double, ptr addrspace(3) %r0.own, i32 5
  %r0.out.g6 = getelementptr i8, ptr addrspace(1) %r0.out.g5, i64 %r0.stride.0
  %r0.out.s6 = getelementptr double, ptr addrspace(3) %r0.own, i32 6
  %r0.out.g7 = getelementptr i8, ptr addrspace(1) %r0.out.g6, i64 %r0.stride.0
  %r0.out.s7 = getelementptr double, ptr addrspace(3) %r0.own, i32 7
  %r0.out.g8 = getelementptr i8, ptr addrspace(1) %r0.out.g7, i64 %r0.stride.0
  %r0.out.s8 = getelementptr double, ptr addrspace(3) %r0.own, i32 8
  %r0.out.x0 = load double, ptr addrspace(3) %r0.out.s0, align 8
  %r0.out.x1 = load double, ptr addrspace(3) %r0.out.s1, align 8
  %r0.out.x2 = load double, ptr addrspace(3) %r0.out.s2, align 8
  %r0.out.x3 = load double, ptr addrspace(3) %r0.out.s3, align 8
  %r0.out.x4 = load double, ptr addrspace(3) %r0.out.s4, align 8
  %r0.out.x5 = load double, ptr addrspace(3) %r0.out.s5, align 8
  %r0.out.x6 = load double, ptr addrspace(3) %r0.out.s6, align 8
  %r0.out.x7 = load double, ptr addrspace(3) %r0.out.s7, align 8
  store double %r0.out.x0, ptr addrspace(1) %r0.row, align 8
  store double %r0.out.x1, ptr addrspace(1) %r0.out.g1, align 8
  store double %r0.out.x2, ptr addrspace(1) %r0.out.g2, align 8
  store double %r0.out.x3, ptr addrspace(1) %r0.out.g3, align 8
  store double %r0.out.x4, ptr addrspace(1) %r0.out.g4, align 8
  store double %r0.out.x5, ptr addrspace(1) %r0.out.g5, align 8
  store double %r0.out.x6, ptr addrspace(1) %r0.out.g6, align 8
  store double %r0.out.x7, ptr addrspace(1) %r0.out.g7, align 8
  %r0.out.x8 = load double, ptr addrspace(3) %r0.out.s8, align 8
  store double %r0.out.x8, ptr addrspace(1) %r0.out.g8, align 8
  ret void
}
!0 = !{}
