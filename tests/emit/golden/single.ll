declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x float> @llvm.sqrt.v4f32(<4 x float>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x float> @llvm.fabs.v4f32(<4 x float>)
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare <4 x float> @llvm.floor.v4f32(<4 x float>)
declare <4 x double> @llvm.floor.v4f64(<4 x double>)
declare <4 x float> @llvm.rint.v4f32(<4 x float>)
declare <4 x double> @llvm.rint.v4f64(<4 x double>)
declare <4 x float> @llvm.copysign.v4f32(<4 x float>, <4 x float>)
declare <4 x double> @llvm.copysign.v4f64(<4 x double>, <4 x double>)
define internal void @part0(ptr noalias nocapture %s) #0 {
  %p0 = getelementptr inbounds i8, ptr %s, i64 0
  %v0 = load <4 x float>, ptr %p0, align 16
  %v19 = fpext <4 x float> %v0 to <4 x double>
  %v21 = fmul contract <4 x double> %v19, splat (double 0x7CD0000000000000)
  %v24 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v21, <4 x double> splat (double 0x03045F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %v26 = fadd contract <4 x double> %v24, splat (double 0xC338000000000000)
  %v28 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v26, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %v19)
  %v30 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v26, <4 x double> splat (double 0xBC91A62633145C07), <4 x double> %v28)
  %v31 = fptrunc <4 x double> %v30 to <4 x float>
  %v32 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v31, <4 x float> splat (float 0x0000000000000000), <4 x float> %v31)
  %v33 = fmul contract <4 x float> %v32, %v32
  %v36 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v33, <4 x float> splat (float 0x3F297F8C20000000), <4 x float> splat (float 0xBF81103220000000))
  %v38 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v33, <4 x float> %v36, <4 x float> splat (float 0x3FC55553A0000000))
  %v39 = fmul contract <4 x float> %v33, %v38
  %v40 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v32, <4 x float> %v39, <4 x float> splat (float 0x0000000000000000))
  %v41 = fsub contract <4 x float> %v32, %v40
  %v44 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v33, <4 x float> splat (float 0x3EF98B6520000000), <4 x float> splat (float 0xBF56C07A60000000))
  %v46 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v33, <4 x float> %v44, <4 x float> splat (float 0x3FA5555420000000))
  %v48 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v33, <4 x float> %v46, <4 x float> splat (float 0xBFE0000000000000))
  %v50 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v33, <4 x float> %v48, <4 x float> splat (float 0x3FF0000000000000))
  %v51.t = bitcast <4 x double> %v24 to <4 x i64>
  %v51 = trunc <4 x i64> %v51.t to <4 x i1>
  %v52 = select <4 x i1> %v51, <4 x float> %v50, <4 x float> %v41
  %p1 = getelementptr inbounds i8, ptr %s, i64 16
  %v1 = load <4 x float>, ptr %p1, align 16
  %v54 = fpext <4 x float> %v1 to <4 x double>
  %v55 = fmul contract <4 x double> %v54, splat (double 0x7CD0000000000000)
  %v56 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v55, <4 x double> splat (double 0x03045F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %v57 = fadd contract <4 x double> %v56, splat (double 0xC338000000000000)
  %v58 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v57, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %v54)
  %v59 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v57, <4 x double> splat (double 0xBC91A62633145C07), <4 x double> %v58)
  %v60 = fptrunc <4 x double> %v59 to <4 x float>
  %v61 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v60, <4 x float> splat (float 0x0000000000000000), <4 x float> %v60)
  %v62 = fmul contract <4 x float> %v61, %v61
  %v63 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v62, <4 x float> splat (float 0x3F297F8C20000000), <4 x float> splat (float 0xBF81103220000000))
  %v64 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v62, <4 x float> %v63, <4 x float> splat (float 0x3FC55553A0000000))
  %v65 = fmul contract <4 x float> %v62, %v64
  %v66 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v61, <4 x float> %v65, <4 x float> splat (float 0x0000000000000000))
  %v67 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v62, <4 x float> splat (float 0x3EF98B6520000000), <4 x float> splat (float 0xBF56C07A60000000))
  %v68 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v62, <4 x float> %v67, <4 x float> splat (float 0x3FA5555420000000))
  %v69 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v62, <4 x float> %v68, <4 x float> splat (float 0xBFE0000000000000))
  %v70 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v62, <4 x float> %v69, <4 x float> splat (float 0x3FF0000000000000))
  %v72 = fsub contract <4 x float> %v66, %v61
  %v71.t = bitcast <4 x double> %v56 to <4 x i64>
  %v71 = trunc <4 x i64> %v71.t to <4 x i1>
  %v73 = select <4 x i1> %v71, <4 x float> %v72, <4 x float> %v70
  %p2 = getelementptr inbounds i8, ptr %s, i64 32
  %v2 = load <4 x float>, ptr %p2, align 16
  %v5 = fcmp oeq <4 x float> %v0, %v2
  %v7 = fcmp olt <4 x float> %v2, splat (float 0x0000000000000000)
  %v8 = xor <4 x i1> %v5, %v7
  %v4 = fcmp ole <4 x float> %v1, %v2
  %v9 = or <4 x i1> %v4, %v8
  %v10 = xor <4 x i1> %v9, splat (i1 true)
  %v3 = fcmp olt <4 x float> %v0, %v1
  %v11 = and <4 x i1> %v3, %v10
  %v12 = fadd contract <4 x float> %v0, %v1
  %v14 = fmul contract <4 x float> %v2, splat (float 0x4000000000000000)
  %v15 = fsub contract <4 x float> %v12, %v14
  %s15_4 = getelementptr inbounds i8, ptr %s, i64 64
  store <4 x float> %v15, ptr %s15_4, align 16
  %v53.t = bitcast <4 x double> %v24 to <4 x i64>
  %v53.n = trunc <4 x i64> %v53.t to <4 x i32>
  %v53.u = shl <4 x i32> %v53.n, splat (i32 30)
  %v53.s = and <4 x i32> %v53.u, splat (i32 -2147483648)
  %v53.x = bitcast <4 x float> %v52 to <4 x i32>
  %v53.y = xor <4 x i32> %v53.x, %v53.s
  %v53 = bitcast <4 x i32> %v53.y to <4 x float>
  %v74.t = bitcast <4 x double> %v56 to <4 x i64>
  %v74.n = trunc <4 x i64> %v74.t to <4 x i32>
  %v74.u = shl <4 x i32> %v74.n, splat (i32 30)
  %v74.s = and <4 x i32> %v74.u, splat (i32 -2147483648)
  %v74.x = bitcast <4 x float> %v73 to <4 x i32>
  %v74.y = xor <4 x i32> %v74.x, %v74.s
  %v74 = bitcast <4 x i32> %v74.y to <4 x float>
  %v75 = fadd contract <4 x float> %v53, %v74
  %s75_7 = getelementptr inbounds i8, ptr %s, i64 112
  store <4 x float> %v75, ptr %s75_7, align 16
  %v76 = call <4 x float> @llvm.fabs.v4f32(<4 x float> %v1)
  %v77 = call <4 x float> @llvm.fabs.v4f32(<4 x float> %v0)
  %v79 = fsub contract <4 x float> %v76, %v77
  %v80 = fneg <4 x float> %v79
  %v83 = call <4 x float> @llvm.fabs.v4f32(<4 x float> %v79)
  %v85 = fmul contract <4 x float> %v83, splat (float 0x4008000000000000)
  %v81 = fadd contract <4 x float> %v76, %v77
  %v86 = fcmp ole <4 x float> %v81, %v85
  %v78 = fneg <4 x float> %v1
  %v82 = fcmp olt <4 x float> %v76, %v77
  %v87 = select <4 x i1> %v82, <4 x float> %v78, <4 x float> %v77
  %v88 = select <4 x i1> %v86, <4 x float> %v87, <4 x float> %v80
  %v90 = call <4 x float> @llvm.copysign.v4f32(<4 x float> %v81, <4 x float> %v1)
  %v89 = select <4 x i1> %v82, <4 x float> %v77, <4 x float> %v1
  %v91 = select <4 x i1> %v86, <4 x float> %v89, <4 x float> %v90
  %v93 = fdiv <4 x float> %v88, %v91
  %v92 = fcmp oeq <4 x float> %v76, %v77
  %v94 = select <4 x i1> %v92, <4 x float> splat (float 0x0000000000000000), <4 x float> %v93
  %v95 = select <4 x i1> %v82, <4 x float> splat (float 0x0000000000000000), <4 x float> splat (float 0x4000000000000000)
  %v96 = select <4 x i1> %v86, <4 x float> %v95, <4 x float> splat (float 0x3FF0000000000000)
  %v97 = call <4 x float> @llvm.copysign.v4f32(<4 x float> %v96, <4 x float> %v78)
  %v99 = fmul contract <4 x float> %v94, %v94
  %v102 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v99, <4 x float> splat (float 0xBFAA3CA7C0000000), <4 x float> splat (float 0x3FB9FF86E0000000))
  %v104 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v99, <4 x float> %v102, <4 x float> splat (float 0xBFC2249800000000))
  %v106 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v99, <4 x float> %v104, <4 x float> splat (float 0x3FC997B040000000))
  %v108 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v99, <4 x float> %v106, <4 x float> splat (float 0xBFD5555120000000))
  %v109 = fmul contract <4 x float> %v99, %v108
  %v98 = fadd contract <4 x float> %v97, splat (float 0x4000000000000000)
  %v111 = fmul contract <4 x float> %v98, splat (float 0xBE5777A5C0000000)
  %v112 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v94, <4 x float> %v109, <4 x float> %v111)
  %v113 = fadd contract <4 x float> %v94, %v112
  %v115 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v98, <4 x float> splat (float 0x3FE921FB60000000), <4 x float> %v113)
  %v119 = fcmp olt <4 x float> %v1, splat (float 0x0000000000000000)
  %v121 = select <4 x i1> %v119, <4 x float> splat (float 0xBFF0000000000000), <4 x float> %v1
  %v118 = fcmp olt <4 x float> splat (float 0x0000000000000000), %v1
  %v122 = select <4 x i1> %v118, <4 x float> splat (float 0x3FF0000000000000), <4 x float> %v121
  %v117 = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %v77)
  %v123 = fmul contract <4 x float> %v117, %v122
  %s123_9 = getelementptr inbounds i8, ptr %s, i64 144
  store <4 x float> %v123, ptr %s123_9, align 16
  %v124 = call <4 x float> @llvm.floor.v4f32(<4 x float> %v0)
  %v125 = call <4 x float> @llvm.rint.v4f32(<4 x float> %v1)
  %v126 = call <4 x float> @llvm.copysign.v4f32(<4 x float> %v124, <4 x float> %v125)
  %s126_10 = getelementptr inbounds i8, ptr %s, i64 160
  store <4 x float> %v126, ptr %s126_10, align 16
  %v128 = fmul contract <4 x double> %v19, %v54
  %v16 = fdiv <4 x float> %v0, %v1
  %v17 = fneg <4 x float> %v16
  %s17_5 = getelementptr inbounds i8, ptr %s, i64 80
  store <4 x float> %v17, ptr %s17_5, align 16
  %v116 = call <4 x float> @llvm.copysign.v4f32(<4 x float> %v115, <4 x float> %v0)
  %s116_8 = getelementptr inbounds i8, ptr %s, i64 128
  store <4 x float> %v116, ptr %s116_8, align 16
  %v127 = select <4 x i1> %v11, <4 x float> %v0, <4 x float> %v1
  %s127_11 = getelementptr inbounds i8, ptr %s, i64 176
  store <4 x float> %v127, ptr %s127_11, align 16
  %v129 = fptrunc <4 x double> %v128 to <4 x float>
  %s129_12 = getelementptr inbounds i8, ptr %s, i64 192
  store <4 x float> %v129, ptr %s129_12, align 16
  %v18 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v0, <4 x float> %v1, <4 x float> %v2)
  %s18_6 = getelementptr inbounds i8, ptr %s, i64 96
  store <4 x float> %v18, ptr %s18_6, align 16
  ret void
}
