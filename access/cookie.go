package access

import "strings"

// SessionCookie holds the session of a signed-in user. CookieName returns its
// name at an origin.
const SessionCookie = "service_session"

// hostOnly is the prefix of a cookie that browsers accept over HTTPS from this
// host only, so that other hosts of the domain cannot set it.
const hostOnly = "__Host-"

// CookieName returns the name of a cookie at an origin of this service.
func CookieName(name, origin string) string {
	if strings.HasPrefix(origin, "https://") {
		return hostOnly + name
	}
	return name
}
