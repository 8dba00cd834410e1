package frame

import "net/http"

// fixed is a header with a constant value. All responses share its one-element
// slice, so that setting it does not allocate: http.Header replaces or extends
// the slice and never writes into it.
type fixed struct {
	name  string // in canonical form
	value []string
}

// defaults are headers of the contract, and security headers for browsers.
var defaults = []fixed{
	{"Cache-Control", []string{CacheControl("no-cache")}},
	{"X-Service-Route-Class", []string{string(Light)}},
	{"Vary", []string{"Origin"}},
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"Referrer-Policy", []string{"no-referrer"}},
	{"Content-Security-Policy", []string{"default-src 'none'; frame-ancestors 'none'"}},
	{"Cross-Origin-Resource-Policy", []string{"cross-origin"}},
}

// SetDefaults sets the headers of every response. An operation or a page may
// override them.
func SetDefaults(header http.Header) { setFixed(header, defaults) }

// encrypted makes browsers use only TLS for this host for a year.
var encrypted = []fixed{{"Strict-Transport-Security", []string{"max-age=31536000"}}}

// SetEncrypted sets the headers of every response of a service that browsers
// reach over TLS.
func SetEncrypted(header http.Header) { setFixed(header, encrypted) }

func setFixed(header http.Header, fixed []fixed) {
	for _, f := range fixed {
		header[f.name] = f.value
	}
}

// CacheControl returns the directives with private, as all responses to keyed
// requests must be.
func CacheControl(directives string) string { return "private, " + directives }
