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
  %v52 = fmul contract <4 x double> %v26, splat (double 0x3FE0000000000000)
  %v53 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v52)
  %v54 = fcmp oeq <4 x double> %v52, %v53
  %v60 = select <4 x i1> %v54, <4 x float> %v41, <4 x float> %v50
  %p1 = getelementptr inbounds i8, ptr %s, i64 16
  %v1 = load <4 x float>, ptr %p1, align 16
  %v62 = fpext <4 x float> %v1 to <4 x double>
  %v63 = fmul contract <4 x double> %v62, splat (double 0x7CD0000000000000)
  %v64 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v63, <4 x double> splat (double 0x03045F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %v65 = fadd contract <4 x double> %v64, splat (double 0xC338000000000000)
  %v66 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v65, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %v62)
  %v67 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v65, <4 x double> splat (double 0xBC91A62633145C07), <4 x double> %v66)
  %v68 = fptrunc <4 x double> %v67 to <4 x float>
  %v69 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v68, <4 x float> splat (float 0x0000000000000000), <4 x float> %v68)
  %v70 = fmul contract <4 x float> %v69, %v69
  %v71 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v70, <4 x float> splat (float 0x3F297F8C20000000), <4 x float> splat (float 0xBF81103220000000))
  %v72 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v70, <4 x float> %v71, <4 x float> splat (float 0x3FC55553A0000000))
  %v73 = fmul contract <4 x float> %v70, %v72
  %v74 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v69, <4 x float> %v73, <4 x float> splat (float 0x0000000000000000))
  %v75 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v70, <4 x float> splat (float 0x3EF98B6520000000), <4 x float> splat (float 0xBF56C07A60000000))
  %v76 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v70, <4 x float> %v75, <4 x float> splat (float 0x3FA5555420000000))
  %v77 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v70, <4 x float> %v76, <4 x float> splat (float 0xBFE0000000000000))
  %v78 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v70, <4 x float> %v77, <4 x float> splat (float 0x3FF0000000000000))
  %v86 = fsub contract <4 x float> %v74, %v69
  %v79 = fmul contract <4 x double> %v65, splat (double 0x3FE0000000000000)
  %v80 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v79)
  %v81 = fcmp oeq <4 x double> %v79, %v80
  %v87 = select <4 x i1> %v81, <4 x float> %v78, <4 x float> %v86
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
  %v55 = fmul contract <4 x double> %v53, splat (double 0x3FE0000000000000)
  %v56 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v55)
  %v57 = fcmp oeq <4 x double> %v55, %v56
  %v59 = select <4 x i1> %v57, <4 x float> splat (float 0x3FF0000000000000), <4 x float> splat (float 0xBFF0000000000000)
  %v61 = fmul contract <4 x float> %v59, %v60
  %v82 = fmul contract <4 x double> %v80, splat (double 0x3FE0000000000000)
  %v83 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v82)
  %v84 = fcmp oeq <4 x double> %v82, %v83
  %v85 = select <4 x i1> %v84, <4 x float> splat (float 0x3FF0000000000000), <4 x float> splat (float 0xBFF0000000000000)
  %v88 = fmul contract <4 x float> %v85, %v87
  %v89 = fadd contract <4 x float> %v61, %v88
  %s89_7 = getelementptr inbounds i8, ptr %s, i64 112
  store <4 x float> %v89, ptr %s89_7, align 16
  %v90 = call <4 x float> @llvm.fabs.v4f32(<4 x float> %v1)
  %v91 = call <4 x float> @llvm.fabs.v4f32(<4 x float> %v0)
  %v93 = fsub contract <4 x float> %v90, %v91
  %v94 = fneg <4 x float> %v93
  %v97 = call <4 x float> @llvm.fabs.v4f32(<4 x float> %v93)
  %v99 = fmul contract <4 x float> %v97, splat (float 0x4008000000000000)
  %v95 = fadd contract <4 x float> %v90, %v91
  %v100 = fcmp ole <4 x float> %v95, %v99
  %v92 = fneg <4 x float> %v1
  %v96 = fcmp olt <4 x float> %v90, %v91
  %v101 = select <4 x i1> %v96, <4 x float> %v92, <4 x float> %v91
  %v102 = select <4 x i1> %v100, <4 x float> %v101, <4 x float> %v94
  %v104 = call <4 x float> @llvm.copysign.v4f32(<4 x float> %v95, <4 x float> %v1)
  %v103 = select <4 x i1> %v96, <4 x float> %v91, <4 x float> %v1
  %v105 = select <4 x i1> %v100, <4 x float> %v103, <4 x float> %v104
  %v107 = fdiv <4 x float> %v102, %v105
  %v106 = fcmp oeq <4 x float> %v90, %v91
  %v108 = select <4 x i1> %v106, <4 x float> splat (float 0x0000000000000000), <4 x float> %v107
  %v109 = select <4 x i1> %v96, <4 x float> splat (float 0x0000000000000000), <4 x float> splat (float 0x4000000000000000)
  %v110 = select <4 x i1> %v100, <4 x float> %v109, <4 x float> splat (float 0x3FF0000000000000)
  %v111 = call <4 x float> @llvm.copysign.v4f32(<4 x float> %v110, <4 x float> %v92)
  %v113 = fmul contract <4 x float> %v108, %v108
  %v116 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v113, <4 x float> splat (float 0xBFAA3CA7C0000000), <4 x float> splat (float 0x3FB9FF86E0000000))
  %v118 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v113, <4 x float> %v116, <4 x float> splat (float 0xBFC2249800000000))
  %v120 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v113, <4 x float> %v118, <4 x float> splat (float 0x3FC997B040000000))
  %v122 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v113, <4 x float> %v120, <4 x float> splat (float 0xBFD5555120000000))
  %v123 = fmul contract <4 x float> %v113, %v122
  %v112 = fadd contract <4 x float> %v111, splat (float 0x4000000000000000)
  %v125 = fmul contract <4 x float> %v112, splat (float 0xBE5777A5C0000000)
  %v126 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v108, <4 x float> %v123, <4 x float> %v125)
  %v127 = fadd contract <4 x float> %v108, %v126
  %v129 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v112, <4 x float> splat (float 0x3FE921FB60000000), <4 x float> %v127)
  %v133 = fcmp olt <4 x float> %v1, splat (float 0x0000000000000000)
  %v134 = select <4 x i1> %v133, <4 x float> splat (float 0xBFF0000000000000), <4 x float> %v1
  %v132 = fcmp olt <4 x float> splat (float 0x0000000000000000), %v1
  %v135 = select <4 x i1> %v132, <4 x float> splat (float 0x3FF0000000000000), <4 x float> %v134
  %v131 = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %v91)
  %v136 = fmul contract <4 x float> %v131, %v135
  %s136_9 = getelementptr inbounds i8, ptr %s, i64 144
  store <4 x float> %v136, ptr %s136_9, align 16
  %v137 = call <4 x float> @llvm.floor.v4f32(<4 x float> %v0)
  %v138 = call <4 x float> @llvm.rint.v4f32(<4 x float> %v1)
  %v139 = call <4 x float> @llvm.copysign.v4f32(<4 x float> %v137, <4 x float> %v138)
  %s139_10 = getelementptr inbounds i8, ptr %s, i64 160
  store <4 x float> %v139, ptr %s139_10, align 16
  %v141 = fmul contract <4 x double> %v19, %v62
  %v16 = fdiv <4 x float> %v0, %v1
  %v17 = fneg <4 x float> %v16
  %s17_5 = getelementptr inbounds i8, ptr %s, i64 80
  store <4 x float> %v17, ptr %s17_5, align 16
  %v130 = call <4 x float> @llvm.copysign.v4f32(<4 x float> %v129, <4 x float> %v0)
  %s130_8 = getelementptr inbounds i8, ptr %s, i64 128
  store <4 x float> %v130, ptr %s130_8, align 16
  %v140 = select <4 x i1> %v11, <4 x float> %v0, <4 x float> %v1
  %s140_11 = getelementptr inbounds i8, ptr %s, i64 176
  store <4 x float> %v140, ptr %s140_11, align 16
  %v142 = fptrunc <4 x double> %v141 to <4 x float>
  %s142_12 = getelementptr inbounds i8, ptr %s, i64 192
  store <4 x float> %v142, ptr %s142_12, align 16
  %v18 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v0, <4 x float> %v1, <4 x float> %v2)
  %s18_6 = getelementptr inbounds i8, ptr %s, i64 96
  store <4 x float> %v18, ptr %s18_6, align 16
  ret void
}
