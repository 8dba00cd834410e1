package frame

import "net/http"

// fixed is a header whose value never changes, so that setting it costs no
// allocation. Its one-element slice is shared by all answers: http.Header
// replaces or extends such a slice, it never writes into it.
type fixed struct {
	name  string // in canonical form
	value []string
}

// everyAnswer are the headers of the contract, and those that keep a browser
// from misusing an answer.
var everyAnswer = []fixed{
	{"Cache-Control", []string{CacheControl("no-cache")}},
	{"X-Service-Route-Class", []string{string(Light)}},
	{"Vary", []string{"Origin"}},
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"Referrer-Policy", []string{"no-referrer"}},
	{"Content-Security-Policy", []string{"default-src 'none'; frame-ancestors 'none'"}},
	{"Cross-Origin-Resource-Policy", []string{"cross-origin"}},
}

// SetDefaults sets the headers that every answer has until an operation or a
// page sets its own.
func SetDefaults(header http.Header) { setFixed(header, everyAnswer) }

func setFixed(header http.Header, fixed []fixed) {
	for _, f := range fixed {
		header[f.name] = f.value
	}
}

// CacheControl marks an answer as private, as every keyed answer is.
func CacheControl(directives string) string { return "private, " + directives }
