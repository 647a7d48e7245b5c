"""From motions to nonlinear programs: bases, collocation blocks, their assembly, refinement and first guesses."""
