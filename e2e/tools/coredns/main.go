// CoreDNS with the plugins that name the Services and pods of one cluster. A module of its own, because it wants other versions of gRPC,
// Prometheus and etcd's client than Kubernetes does.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
)

func init() {
	dnsserver.Directives = []string{"ready", "errors", "kubernetes"}
}

func main() {
	coremain.Run()
}
