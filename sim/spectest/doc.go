// Package spectest validates answers against the published OpenRPC documents of
// the node specification, which are beside the repository. Only tests import it.
package spectest
