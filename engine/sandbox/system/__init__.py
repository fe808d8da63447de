"""What a process gives up before it meets a program, and how far system and interpreter can be relied on."""
