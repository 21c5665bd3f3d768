"""What a snapshot shows: values, sharing, differences, lanes, the graph's layout, and why."""
