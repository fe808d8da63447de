"""What nodes, edges and the timeline show at each step."""
