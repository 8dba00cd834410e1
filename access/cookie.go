package access

import "strings"

// SessionCookie holds the session of a signed-in person. CookieName says under
// which name.
const SessionCookie = "service_session"

// hostOnly marks a cookie that a browser takes only over https, from this very
// host and for all of it: no other host of the domain can plant one.
const hostOnly = "__Host-"

// CookieName is the name of a cookie at an origin of ours.
func CookieName(name, origin string) string {
	if strings.HasPrefix(origin, "https://") {
		return hostOnly + name
	}
	return name
}
