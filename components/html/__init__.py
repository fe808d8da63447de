"""What comes from programs, as HTML: every text is escaped."""
