package access

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Challenge sets WWW-Authenticate for unauthorized, and for forbidden with the
// permission that the operation requires. For too many failed authentications,
// and for an error of Denied, it sets the pacing headers. It does nothing for
// other errors.
func Challenge(header http.Header, err error, required account.Permission) {
	if limited, ok := errors.AsType[*limitError](err); ok {
		Pace(header, limited.decision)
	}
	switch domain.CodeOf(err) {
	case domain.CodeUnauthorized:
		header.Set("WWW-Authenticate", `Bearer realm="service", error="invalid_token"`)
	case domain.CodeForbidden:
		if required == "" { // a session cookie where a bearer token is required
			header.Set("WWW-Authenticate", `Bearer realm="service"`)
			return
		}
		header.Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="service", error="insufficient_scope", scope="%s"`, required))
	}
}

// Pace sets the X-Ratelimit headers of a rate-limited caller.
func Pace(header http.Header, d account.Decision) {
	if !d.Budgeted() {
		return
	}
	header["X-Ratelimit-Limit"] = []string{strconv.Itoa(d.Limit)}
	header["X-Ratelimit-Remaining"] = []string{strconv.Itoa(d.Remaining)}
	header["X-Ratelimit-Policy"] = []string{d.Policy}
}

// unpace adds what a charge took too much to the X-Ratelimit headers, or
// subtracts what it took too little.
func unpace(header http.Header, rest int) {
	limit, err := strconv.Atoi(header.Get("X-Ratelimit-Limit"))
	remaining, err2 := strconv.Atoi(header.Get("X-Ratelimit-Remaining"))
	if err == nil && err2 == nil {
		header["X-Ratelimit-Remaining"] = []string{strconv.Itoa(max(0, min(remaining+rest, limit)))}
	}
}
