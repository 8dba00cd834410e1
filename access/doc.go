// Package access turns what a request shows into who calls, and tells callers
// in headers what they lack or how much they have left. Both facades stand on
// it, so a key means the same in both.
//
// It knows HTTP headers and cookies; who a key belongs to, what it may do and
// how much is decided in domain/account.
package access
