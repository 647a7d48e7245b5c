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
  %v30 = fsub contract <4 x double> %v27, %v29
  %v31 = fsub contract <4 x double> %v27, %v30
  %v32 = fsub contract <4 x double> %v29, %v31
  %v33 = fneg <4 x double> %v29
  %v34 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v25, <4 x double> splat (double 0x3C91A62633145C07), <4 x double> %v33)
  %v35 = fadd contract <4 x double> %v32, %v34
  %v37 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v25, <4 x double> splat (double 0xB91F1976B7ED8FBC), <4 x double> %v35)
  %v38 = fadd contract <4 x double> %v30, %v30
  %v39 = fmul contract <4 x double> %v37, %v38
  %v40 = fneg <4 x double> %v39
  %v41 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v30, <4 x double> %v30, <4 x double> %v40)
  %v44 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> splat (double 0xBDE5CE4354EC0388), <4 x double> splat (double 0x3E5AE5BE5DF0D66B))
  %v46 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v44, <4 x double> splat (double 0xBEC71DE321351225))
  %v48 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v46, <4 x double> splat (double 0x3F2A01A0197EB64E))
  %v50 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v48, <4 x double> splat (double 0xBF8111111110D559))
  %v52 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v50, <4 x double> splat (double 0x3FC5555555555531))
  %v53 = fmul contract <4 x double> %v41, %v52
  %v54 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v30, <4 x double> %v53, <4 x double> %v37)
  %v55 = fsub contract <4 x double> %v30, %v54
  %v58 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> splat (double 0xBDA8EE55813FF0D3), <4 x double> splat (double 0x3E21EE84C761BCA2))
  %v60 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v58, <4 x double> splat (double 0xBE927E4F57BC2C8C))
  %v62 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v60, <4 x double> splat (double 0x3EFA01A0198E7416))
  %v64 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v62, <4 x double> splat (double 0xBF56C16C16C127D4))
  %v66 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v64, <4 x double> splat (double 0x3FA5555555555537))
  %v68 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v66, <4 x double> splat (double 0xBFE0000000000000))
  %v70 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v68, <4 x double> splat (double 0x3FF0000000000000))
  %v72 = fmul contract <4 x double> %v25, splat (double 0x3FE0000000000000)
  %v73 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v72)
  %v74 = fcmp oeq <4 x double> %v72, %v73
  %v80 = select <4 x i1> %v74, <4 x double> %v55, <4 x double> %v70
  %p1 = getelementptr inbounds i8, ptr %s, i64 32
  %v1 = load <4 x double>, ptr %p1, align 32
  %v82 = fmul contract <4 x double> %v1, splat (double 0x7CD0000000000000)
  %v83 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v82, <4 x double> splat (double 0x03045F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %v84 = fadd contract <4 x double> %v83, splat (double 0xC338000000000000)
  %v85 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v84, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %v1)
  %v86 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v84, <4 x double> splat (double 0x3C91A62633145C07), <4 x double> splat (double 0x0000000000000000))
  %v87 = fsub contract <4 x double> %v85, %v86
  %v88 = fsub contract <4 x double> %v85, %v87
  %v89 = fsub contract <4 x double> %v86, %v88
  %v90 = fneg <4 x double> %v86
  %v91 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v84, <4 x double> splat (double 0x3C91A62633145C07), <4 x double> %v90)
  %v92 = fadd contract <4 x double> %v89, %v91
  %v93 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v84, <4 x double> splat (double 0xB91F1976B7ED8FBC), <4 x double> %v92)
  %v94 = fadd contract <4 x double> %v87, %v87
  %v95 = fmul contract <4 x double> %v93, %v94
  %v96 = fneg <4 x double> %v95
  %v97 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v87, <4 x double> %v87, <4 x double> %v96)
  %v98 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> splat (double 0xBDE5CE4354EC0388), <4 x double> splat (double 0x3E5AE5BE5DF0D66B))
  %v99 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v98, <4 x double> splat (double 0xBEC71DE321351225))
  %v100 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v99, <4 x double> splat (double 0x3F2A01A0197EB64E))
  %v101 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v100, <4 x double> splat (double 0xBF8111111110D559))
  %v102 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v101, <4 x double> splat (double 0x3FC5555555555531))
  %v103 = fmul contract <4 x double> %v97, %v102
  %v104 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v87, <4 x double> %v103, <4 x double> %v93)
  %v106 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> splat (double 0xBDA8EE55813FF0D3), <4 x double> splat (double 0x3E21EE84C761BCA2))
  %v107 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v106, <4 x double> splat (double 0xBE927E4F57BC2C8C))
  %v108 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v107, <4 x double> splat (double 0x3EFA01A0198E7416))
  %v109 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v108, <4 x double> splat (double 0xBF56C16C16C127D4))
  %v110 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v109, <4 x double> splat (double 0x3FA5555555555537))
  %v111 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v110, <4 x double> splat (double 0xBFE0000000000000))
  %v112 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v97, <4 x double> %v111, <4 x double> splat (double 0x3FF0000000000000))
  %v120 = fsub contract <4 x double> %v104, %v87
  %v113 = fmul contract <4 x double> %v84, splat (double 0x3FE0000000000000)
  %v114 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v113)
  %v115 = fcmp oeq <4 x double> %v113, %v114
  %v121 = select <4 x i1> %v115, <4 x double> %v112, <4 x double> %v120
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
  %v75 = fmul contract <4 x double> %v73, splat (double 0x3FE0000000000000)
  %v76 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v75)
  %v77 = fcmp oeq <4 x double> %v75, %v76
  %v79 = select <4 x i1> %v77, <4 x double> splat (double 0x3FF0000000000000), <4 x double> splat (double 0xBFF0000000000000)
  %v81 = fmul contract <4 x double> %v79, %v80
  %v116 = fmul contract <4 x double> %v114, splat (double 0x3FE0000000000000)
  %v117 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v116)
  %v118 = fcmp oeq <4 x double> %v116, %v117
  %v119 = select <4 x i1> %v118, <4 x double> splat (double 0x3FF0000000000000), <4 x double> splat (double 0xBFF0000000000000)
  %v122 = fmul contract <4 x double> %v119, %v121
  %v123 = fadd contract <4 x double> %v81, %v122
  %s123_7 = getelementptr inbounds i8, ptr %s, i64 224
  store <4 x double> %v123, ptr %s123_7, align 32
  %v124 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %v1)
  %v125 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %v0)
  %v127 = fsub contract <4 x double> %v124, %v125
  %v128 = fneg <4 x double> %v127
  %v131 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %v127)
  %v133 = fmul contract <4 x double> %v131, splat (double 0x4008000000000000)
  %v129 = fadd contract <4 x double> %v124, %v125
  %v134 = fcmp ole <4 x double> %v129, %v133
  %v126 = fneg <4 x double> %v1
  %v130 = fcmp olt <4 x double> %v124, %v125
  %v135 = select <4 x i1> %v130, <4 x double> %v126, <4 x double> %v125
  %v136 = select <4 x i1> %v134, <4 x double> %v135, <4 x double> %v128
  %v138 = call <4 x double> @llvm.copysign.v4f64(<4 x double> %v129, <4 x double> %v1)
  %v137 = select <4 x i1> %v130, <4 x double> %v125, <4 x double> %v1
  %v139 = select <4 x i1> %v134, <4 x double> %v137, <4 x double> %v138
  %v141 = fdiv <4 x double> %v136, %v139
  %v140 = fcmp oeq <4 x double> %v124, %v125
  %v142 = select <4 x i1> %v140, <4 x double> splat (double 0x0000000000000000), <4 x double> %v141
  %v143 = select <4 x i1> %v130, <4 x double> splat (double 0x0000000000000000), <4 x double> splat (double 0x4000000000000000)
  %v144 = select <4 x i1> %v134, <4 x double> %v143, <4 x double> splat (double 0x3FF0000000000000)
  %v145 = call <4 x double> @llvm.copysign.v4f64(<4 x double> %v144, <4 x double> %v126)
  %v147 = fmul contract <4 x double> %v142, %v142
  %v150 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> splat (double 0x3F84B7C7D2BDBE27), <4 x double> splat (double 0xBF9C17A5DC162E7F))
  %v152 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v150, <4 x double> splat (double 0x3FA56F410E890BDC))
  %v154 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v152, <4 x double> splat (double 0xBFAA397CA2D0AF94))
  %v156 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v154, <4 x double> splat (double 0x3FADFE954F682529))
  %v158 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v156, <4 x double> splat (double 0xBFB10F31C910AA86))
  %v160 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v158, <4 x double> splat (double 0x3FB3B113D82D90C3))
  %v162 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v160, <4 x double> splat (double 0xBFB745CF4C7691B0))
  %v164 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v162, <4 x double> splat (double 0x3FBC71C7090C513E))
  %v166 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v164, <4 x double> splat (double 0xBFC249249215D8A2))
  %v168 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v166, <4 x double> splat (double 0x3FC9999999991137))
  %v170 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v147, <4 x double> %v168, <4 x double> splat (double 0xBFD5555555555516))
  %v171 = fmul contract <4 x double> %v147, %v170
  %v146 = fadd contract <4 x double> %v145, splat (double 0x4000000000000000)
  %v173 = fmul contract <4 x double> %v146, splat (double 0x3C81A62633145C07)
  %v174 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v142, <4 x double> %v171, <4 x double> %v173)
  %v175 = fadd contract <4 x double> %v142, %v174
  %v177 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v146, <4 x double> splat (double 0x3FE921FB54442D18), <4 x double> %v175)
  %v181 = fcmp olt <4 x double> %v1, splat (double 0x0000000000000000)
  %v182 = select <4 x i1> %v181, <4 x double> splat (double 0xBFF0000000000000), <4 x double> %v1
  %v180 = fcmp olt <4 x double> splat (double 0x0000000000000000), %v1
  %v183 = select <4 x i1> %v180, <4 x double> splat (double 0x3FF0000000000000), <4 x double> %v182
  %v179 = call <4 x double> @llvm.sqrt.v4f64(<4 x double> %v125)
  %v184 = fmul contract <4 x double> %v179, %v183
  %s184_9 = getelementptr inbounds i8, ptr %s, i64 288
  store <4 x double> %v184, ptr %s184_9, align 32
  %v185 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v0)
  %v186 = call <4 x double> @llvm.rint.v4f64(<4 x double> %v1)
  %v187 = call <4 x double> @llvm.copysign.v4f64(<4 x double> %v185, <4 x double> %v186)
  %s187_10 = getelementptr inbounds i8, ptr %s, i64 320
  store <4 x double> %v187, ptr %s187_10, align 32
  %v16 = fdiv <4 x double> %v0, %v1
  %v17 = fneg <4 x double> %v16
  %s17_5 = getelementptr inbounds i8, ptr %s, i64 160
  store <4 x double> %v17, ptr %s17_5, align 32
  %v178 = call <4 x double> @llvm.copysign.v4f64(<4 x double> %v177, <4 x double> %v0)
  %s178_8 = getelementptr inbounds i8, ptr %s, i64 256
  store <4 x double> %v178, ptr %s178_8, align 32
  %v188 = select <4 x i1> %v11, <4 x double> %v0, <4 x double> %v1
  %s188_11 = getelementptr inbounds i8, ptr %s, i64 352
  store <4 x double> %v188, ptr %s188_11, align 32
  %v18 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v0, <4 x double> %v1, <4 x double> %v2)
  %s18_6 = getelementptr inbounds i8, ptr %s, i64 192
  store <4 x double> %v18, ptr %s18_6, align 32
  %v189 = fmul contract <4 x double> %v0, %v1
  %s189_12 = getelementptr inbounds i8, ptr %s, i64 384
  store <4 x double> %v189, ptr %s189_12, align 32
  ret void
}
