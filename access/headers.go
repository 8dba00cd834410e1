package access

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Challenge sets WWW-Authenticate for a failure that a better credential
// could avoid: unauthorized, or forbidden for lack of a permission. Where there
// were too many, it sets the pacing headers. Other failures get none.
func Challenge(header http.Header, err error, needs account.Permission) {
	if refused, ok := errors.AsType[*tooOften](err); ok {
		Pace(header, refused.decision)
	}
	switch domain.CodeOf(err) {
	case domain.CodeUnauthorized:
		header.Set("WWW-Authenticate", `Bearer realm="service", error="invalid_token"`)
	case domain.CodeForbidden:
		if needs == "" { // a session is needed in another form
			header.Set("WWW-Authenticate", `Bearer realm="service"`)
			return
		}
		header.Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="service", error="insufficient_scope", scope="%s"`, needs))
	}
}

// Pace sets the pacing headers of a budgeted answer.
func Pace(header http.Header, d account.Decision) {
	if !d.Budgeted() {
		return
	}
	header["X-Ratelimit-Limit"] = []string{strconv.Itoa(d.Limit)}
	header["X-Ratelimit-Remaining"] = []string{strconv.Itoa(d.Remaining)}
	header["X-Ratelimit-Policy"] = []string{d.Policy}
}
