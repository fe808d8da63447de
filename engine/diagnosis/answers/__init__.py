"""Why a gradient is what it is: one question, and the answers by what became of it."""
