"""The recursions of the papers, each in its authors' own order, with its misprints corrected.

Nothing else in the package uses them: `kinetree.algorithms` covers what they compute, for more mechanisms. They are
here to check the papers' equations line by line, to compare operation counts, and to read code beside a paper.

    barman, barman_sensitivities    joint forces, internal forces and their derivatives of a standard DH table
    guarino                         joint forces and their rates
    hua                             arms with motors on any link, rigid and elastic joints
    khalil, khalil_links            forward dynamics, elastic joints, floating bases
    nasser                          forward dynamics by elimination of the six equations of each link
"""
