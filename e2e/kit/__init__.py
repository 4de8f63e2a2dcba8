"""What the stories are told with: a cluster, the operator, objects, and checks on what the API server recorded."""
