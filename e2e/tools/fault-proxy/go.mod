module lips.dev/e2e/fault-proxy

go 1.26
