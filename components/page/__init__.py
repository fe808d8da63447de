"""The page around its panels: state, session and address, and what is shown where a part fails."""
