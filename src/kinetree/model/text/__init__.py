"""What the readers share: bounded files, XML with line numbers, formulas."""
