// Package access authenticates HTTP requests, enforces rate limits, and sets the
// WWW-Authenticate and X-Ratelimit headers. Both facades use it, so that an API
// key has the same rights in both.
//
// It knows HTTP headers and cookies; domain/account decides whose a credential
// is, and which permissions and rate limits it has.
package access
