"""What mends the findings of rules, a file for each theme of `engine/diagnosis/findings`; it is tried before it is offered."""
