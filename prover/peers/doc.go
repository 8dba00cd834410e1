// Package peers lets API processes fetch results from each other: a poll that
// reaches a process which does not hold the result is forwarded to the holder.
//
// A request is authenticated by an HMAC under a secret of the deployment. It names
// the holder, so that no other process answers it, and has a time and a nonce, so that
// it is answered once. The answer is authenticated in the same way. The HMAC does not
// encrypt: connections that leave the loopback interface use TLS.
package peers
