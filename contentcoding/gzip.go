package contentcoding

import (
	"net/http"
	"strconv"
	"strings"
)

// AcceptsGzip reports whether a request's Accept-Encoding allows gzip: by name
// or by the star, with a weight above zero. The name wins over the star.
func AcceptsGzip(r *http.Request) bool {
	return accepts(strings.Join(r.Header.Values("Accept-Encoding"), ","))
}

func accepts(header string) bool {
	accepted := false
	for coding := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			return weight(parameters) > 0
		case "*":
			accepted = weight(parameters) > 0
		}
	}
	return accepted
}

// weight reads the q parameter of a coding; without one it is 1, and one that
// is no number counts as a refusal.
func weight(parameters string) float64 {
	name, value, found := strings.Cut(strings.TrimSpace(parameters), "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return 0
	}
	return q
}
