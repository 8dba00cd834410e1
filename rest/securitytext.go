package rest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// SecurityTextPath is where RFC 9116 places the contacts for security reports.
const SecurityTextPath = "/.well-known/security.txt"

// securityTextLasts is how long clients may rely on the contacts. RFC 9116
// recommends less than a year.
const securityTextLasts = 180 * 24 * time.Hour

// SecurityText serves the contacts for security reports (RFC 9116). The origin
// is that of the service as browsers see it; it may be empty.
func SecurityText(contacts []string, origin string, now func() time.Time) http.Handler {
	var fixed strings.Builder
	for _, contact := range contacts {
		fmt.Fprintf(&fixed, "Contact: %s\n", contact)
	}
	if origin != "" {
		fmt.Fprintf(&fixed, "Canonical: %s\n", origin+SecurityTextPath)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		expires := now().UTC().Truncate(24 * time.Hour).Add(securityTextLasts)
		_, _ = io.WriteString(w, fixed.String()+"Expires: "+expires.Format(time.RFC3339)+"\n") // the client may have gone
	})
}

// IsContact reports whether a text is a contact as RFC 9116 asks for: a mailto,
// https or tel URI.
func IsContact(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil || strings.ContainsAny(text, " \r\n\t") {
		return false
	}
	switch parsed.Scheme {
	case "mailto", "tel":
		return parsed.Opaque != ""
	case "https":
		return parsed.Host != ""
	default:
		return false
	}
}
