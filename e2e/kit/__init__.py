"""The harness of the stories: a cluster, the operator, objects, and checks on the API server's records."""
