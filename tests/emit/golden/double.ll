declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare <4 x double> @llvm.floor.v4f64(<4 x double>)
declare <4 x double> @llvm.rint.v4f64(<4 x double>)
declare <4 x double> @llvm.copysign.v4f64(<4 x double>, <4 x double>)
define internal void @part0(ptr noalias nocapture %s) #0 {
  %p0 = getelementptr inbounds i8, ptr %s, i64 0
  %v0 = load <4 x double>, ptr %p0, align 32
  %v20 = fmul contract <4 x double> %v0, splat (double 0x7CD0000000000000)
  %v23 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v20, <4 x double> splat (double 0x03045F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %v25 = fadd contract <4 x double> %v23, splat (double 0xC338000000000000)
  %v27 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v25, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %v0)
  %v29 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v25, <4 x double> splat (double 0x3C91A62633145C07), <4 x double> splat (double 0x0000000000000000))
  %v32 = fsub contract <4 x double> %v27, %v29
  %v33 = fsub contract <4 x double> %v27, %v32
  %v34 = fsub contract <4 x double> %v29, %v33
  %v30 = fneg <4 x double> %v29
  %v31 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v25, <4 x double> splat (double 0x3C91A62633145C07), <4 x double> %v30)
  %v35 = fadd contract <4 x double> %v31, %v34
  %v37 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v25, <4 x double> splat (double 0xB91F1976B7ED8FBC), <4 x double> %v35)
  %v38 = fadd contract <4 x double> %v32, %v32
  %v39 = fmul contract <4 x double> %v37, %v38
  %v40 = fneg <4 x double> %v39
  %v41 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v32, <4 x double> %v32, <4 x double> %v40)
  %v44 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> splat (double 0xBDE5CE4354EC0388), <4 x double> splat (double 0x3E5AE5BE5DF0D66B))
  %v46 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v44, <4 x double> splat (double 0xBEC71DE321351225))
  %v48 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v46, <4 x double> splat (double 0x3F2A01A0197EB64E))
  %v50 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v48, <4 x double> splat (double 0xBF8111111110D559))
  %v52 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v50, <4 x double> splat (double 0x3FC5555555555531))
  %v53 = fmul contract <4 x double> %v41, %v52
  %v54 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v32, <4 x double> %v53, <4 x double> %v37)
  %v55 = fsub contract <4 x double> %v32, %v54
  %v58 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> splat (double 0xBDA8EE55813FF0D3), <4 x double> splat (double 0x3E21EE84C761BCA2))
  %v60 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v58, <4 x double> splat (double 0xBE927E4F57BC2C8C))
  %v62 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v60, <4 x double> splat (double 0x3EFA01A0198E7416))
  %v64 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v62, <4 x double> splat (double 0xBF56C16C16C127D4))
  %v66 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v64, <4 x double> splat (double 0x3FA5555555555537))
  %v68 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v66, <4 x double> splat (double 0xBFE0000000000000))
  %v70 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v68, <4 x double> splat (double 0x3FF0000000000000))
  %v71.t = bitcast <4 x double> %v23 to <4 x i64>
  %v71 = trunc <4 x i64> %v71.t to <4 x i1>
  %v72 = select <4 x i1> %v71, <4 x double> %v70, <4 x double> %v55
  %p1 = getelementptr inbounds i8, ptr %s, i64 32
  %v1 = load <4 x double>, ptr %p1, align 32
  %v74 = fmul contract <4 x double> %v1, splat (double 0x7CD0000000000000)
  %v75 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v74, <4 x double> splat (double 0x03045F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %v76 = fadd contract <4 x double> %v75, splat (double 0xC338000000000000)
  %v77 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v76, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %v1)
  %v78 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v76, <4 x double> splat (double 0x3C91A62633145C07), <4 x double> splat (double 0x0000000000000000))
  %v81 = fsub contract <4 x double> %v77, %v78
  %v82 = fsub contract <4 x double> %v77, %v81
  %v83 = fsub contract <4 x double> %v78, %v82
  %v79 = fneg <4 x double> %v78
  %v80 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v76, <4 x double> splat (double 0x3C91A62633145C07), <4 x double> %v79)
  %v84 = fadd contract <4 x double> %v80, %v83
  %v85 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v76, <4 x double> splat (double 0xB91F1976B7ED8FBC), <4 x double> %v84)
  %v86 = fadd contract <4 x double> %v81, %v81
  %v87 = fmul contract <4 x double> %v85, %v86
  %v88 = fneg <4 x double> %v87
  %v89 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v81, <4 x double> %v81, <4 x double> %v88)
  %v90 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> splat (double 0xBDE5CE4354EC0388), <4 x double> splat (double 0x3E5AE5BE5DF0D66B))
  %v91 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v90, <4 x double> splat (double 0xBEC71DE321351225))
  %v92 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v91, <4 x double> splat (double 0x3F2A01A0197EB64E))
  %v93 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v92, <4 x double> splat (double 0xBF8111111110D559))
  %v94 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v93, <4 x double> splat (double 0x3FC5555555555531))
  %v95 = fmul contract <4 x double> %v89, %v94
  %v96 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v81, <4 x double> %v95, <4 x double> %v85)
  %v98 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> splat (double 0xBDA8EE55813FF0D3), <4 x double> splat (double 0x3E21EE84C761BCA2))
  %v99 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v98, <4 x double> splat (double 0xBE927E4F57BC2C8C))
  %v100 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v99, <4 x double> splat (double 0x3EFA01A0198E7416))
  %v101 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v100, <4 x double> splat (double 0xBF56C16C16C127D4))
  %v102 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v101, <4 x double> splat (double 0x3FA5555555555537))
  %v103 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v102, <4 x double> splat (double 0xBFE0000000000000))
  %v104 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v89, <4 x double> %v103, <4 x double> splat (double 0x3FF0000000000000))
  %v106 = fsub contract <4 x double> %v96, %v81
  %v105.t = bitcast <4 x double> %v75 to <4 x i64>
  %v105 = trunc <4 x i64> %v105.t to <4 x i1>
  %v107 = select <4 x i1> %v105, <4 x double> %v106, <4 x double> %v104
  %p2 = getelementptr inbounds i8, ptr %s, i64 64
  %v2 = load <4 x double>, ptr %p2, align 32
  %v5 = fcmp oeq <4 x double> %v0, %v2
  %v7 = fcmp olt <4 x double> %v2, splat (double 0x0000000000000000)
  %v8 = xor <4 x i1> %v5, %v7
  %v4 = fcmp ole <4 x double> %v1, %v2
  %v9 = or <4 x i1> %v4, %v8
  %v10 = xor <4 x i1> %v9, splat (i1 true)
  %v3 = fcmp olt <4 x double> %v0, %v1
  %v11 = and <4 x i1> %v3, %v10
  %v12 = fadd contract <4 x double> %v0, %v1
  %v14 = fmul contract <4 x double> %v2, splat (double 0x4000000000000000)
  %v15 = fsub contract <4 x double> %v12, %v14
  %s15_4 = getelementptr inbounds i8, ptr %s, i64 128
  store <4 x double> %v15, ptr %s15_4, align 32
  %v73.t = bitcast <4 x double> %v23 to <4 x i64>
  %v73.u = shl <4 x i64> %v73.t, splat (i64 62)
  %v73.s = and <4 x i64> %v73.u, splat (i64 -9223372036854775808)
  %v73.x = bitcast <4 x double> %v72 to <4 x i64>
  %v73.y = xor <4 x i64> %v73.x, %v73.s
  %v73 = bitcast <4 x i64> %v73.y to <4 x double>
  %v108.t = bitcast <4 x double> %v75 to <4 x i64>
  %v108.u = shl <4 x i64> %v108.t, splat (i64 62)
  %v108.s = and <4 x i64> %v108.u, splat (i64 -9223372036854775808)
  %v108.x = bitcast <4 x double> %v107 to <4 x i64>
  %v108.y = xor <4 x i64> %v108.x, %v108.s
  %v108 = bitcast <4 x i64> %v108.y to <4 x double>
  %v109 = fadd contract <4 x double> %v73, %v108
  %s109_7 = getelementptr inbounds i8, ptr %s, i64 224
  store <4 x double> %v109, ptr %s109_7, align 32
  %v110 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %v1)
  %v111 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %v0)
  %v113 = fsub contract <4 x double> %v110, %v111
  %v114 = fneg <4 x double> %v113
  %v117 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %v113)
  %v119 = fmul contract <4 x double> %v117, splat (double 0x4008000000000000)
  %v115 = fadd contract <4 x double> %v110, %v111
  %v120 = fcmp ole <4 x double> %v115, %v119
  %v112 = fneg <4 x double> %v1
  %v116 = fcmp olt <4 x double> %v110, %v111
  %v121 = select <4 x i1> %v116, <4 x double> %v112, <4 x double> %v111
  %v122 = select <4 x i1> %v120, <4 x double> %v121, <4 x double> %v114
  %v124 = call <4 x double> @llvm.copysign.v4f64(<4 x double> %v115, <4 x double> %v1)
  %v123 = select <4 x i1> %v116, <4 x double> %v111, <4 x double> %v1
  %v125 = select <4 x i1> %v120, <4 x double> %v123, <4 x double> %v124
  %v127 = fdiv <4 x double> %v122, %v125
  %v126 = fcmp oeq <4 x double> %v110, %v111
  %v128 = select <4 x i1> %v126, <4 x double> splat (double 0x0000000000000000), <4 x double> %v127
  %v129 = select <4 x i1> %v116, <4 x double> splat (double 0x0000000000000000), <4 x double> splat (double 0x4000000000000000)
  %v130 = select <4 x i1> %v120, <4 x double> %v129, <4 x double> splat (double 0x3FF0000000000000)
  %v131 = call <4 x double> @llvm.copysign.v4f64(<4 x double> %v130, <4 x double> %v112)
  %v133 = fmul contract <4 x double> %v128, %v128
  %v136 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> splat (double 0x3F84B7C7D2BDBE27), <4 x double> splat (double 0xBF9C17A5DC162E7F))
  %v138 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v136, <4 x double> splat (double 0x3FA56F410E890BDC))
  %v140 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v138, <4 x double> splat (double 0xBFAA397CA2D0AF94))
  %v142 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v140, <4 x double> splat (double 0x3FADFE954F682529))
  %v144 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v142, <4 x double> splat (double 0xBFB10F31C910AA86))
  %v146 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v144, <4 x double> splat (double 0x3FB3B113D82D90C3))
  %v148 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v146, <4 x double> splat (double 0xBFB745CF4C7691B0))
  %v150 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v148, <4 x double> splat (double 0x3FBC71C7090C513E))
  %v152 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v150, <4 x double> splat (double 0xBFC249249215D8A2))
  %v154 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v152, <4 x double> splat (double 0x3FC9999999991137))
  %v156 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v133, <4 x double> %v154, <4 x double> splat (double 0xBFD5555555555516))
  %v157 = fmul contract <4 x double> %v133, %v156
  %v132 = fadd contract <4 x double> %v131, splat (double 0x4000000000000000)
  %v159 = fmul contract <4 x double> %v132, splat (double 0x3C81A62633145C07)
  %v160 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v128, <4 x double> %v157, <4 x double> %v159)
  %v161 = fadd contract <4 x double> %v128, %v160
  %v163 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v132, <4 x double> splat (double 0x3FE921FB54442D18), <4 x double> %v161)
  %v167 = fcmp olt <4 x double> %v1, splat (double 0x0000000000000000)
  %v169 = select <4 x i1> %v167, <4 x double> splat (double 0xBFF0000000000000), <4 x double> %v1
  %v166 = fcmp olt <4 x double> splat (double 0x0000000000000000), %v1
  %v170 = select <4 x i1> %v166, <4 x double> splat (double 0x3FF0000000000000), <4 x double> %v169
  %v165 = call <4 x double> @llvm.sqrt.v4f64(<4 x double> %v111)
  %v171 = fmul contract <4 x double> %v165, %v170
  %s171_9 = getelementptr inbounds i8, ptr %s, i64 288
  store <4 x double> %v171, ptr %s171_9, align 32
  %v172 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v0)
  %v173 = call <4 x double> @llvm.rint.v4f64(<4 x double> %v1)
  %v174 = call <4 x double> @llvm.copysign.v4f64(<4 x double> %v172, <4 x double> %v173)
  %s174_10 = getelementptr inbounds i8, ptr %s, i64 320
  store <4 x double> %v174, ptr %s174_10, align 32
  %v16 = fdiv <4 x double> %v0, %v1
  %v17 = fneg <4 x double> %v16
  %s17_5 = getelementptr inbounds i8, ptr %s, i64 160
  store <4 x double> %v17, ptr %s17_5, align 32
  %v164 = call <4 x double> @llvm.copysign.v4f64(<4 x double> %v163, <4 x double> %v0)
  %s164_8 = getelementptr inbounds i8, ptr %s, i64 256
  store <4 x double> %v164, ptr %s164_8, align 32
  %v175 = select <4 x i1> %v11, <4 x double> %v0, <4 x double> %v1
  %s175_11 = getelementptr inbounds i8, ptr %s, i64 352
  store <4 x double> %v175, ptr %s175_11, align 32
  %v18 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v0, <4 x double> %v1, <4 x double> %v2)
  %s18_6 = getelementptr inbounds i8, ptr %s, i64 192
  store <4 x double> %v18, ptr %s18_6, align 32
  %v176 = fmul contract <4 x double> %v0, %v1
  %s176_12 = getelementptr inbounds i8, ptr %s, i64 384
  store <4 x double> %v176, ptr %s176_12, align 32
  ret void
}
