"""The page's parts: each a function that takes data and a key."""
