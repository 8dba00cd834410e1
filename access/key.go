package access

import (
	"net/http"
	"strings"

	"astrolabe/domain"
)

// keyHeaders carry an API key; the second is for browsers.
var keyHeaders = []string{"X-Service-Api-Key", "X-Api-Key"}

// Key returns the API key of a request, or the empty string. A header that is
// empty, repeated, quoted or contains whitespace is malformed_api_key_header;
// two headers with different values are conflicting_api_key_headers.
func Key(header http.Header) (string, error) {
	key, found := "", false
	for _, name := range keyHeaders {
		values := header[name]
		if len(values) == 0 {
			continue
		}
		if len(values) > 1 || !wellFormed(values[0]) {
			return "", domain.Errorf(domain.CodeMalformedKeyHeader, "The header %s must contain one API key, without quotes or whitespace.", name)
		}
		if found && values[0] != key {
			return "", domain.Errorf(domain.CodeConflictingKeyHeaders, "The headers %s and %s contain different API keys. Send one of them.", keyHeaders[0], keyHeaders[1])
		}
		key, found = values[0], true
	}
	return key, nil
}

// wellFormed reports whether a header value can be one key. Proxies join
// repeated headers with commas.
func wellFormed(value string) bool {
	return value != "" && !strings.ContainsAny(value, " \t\"'`,")
}
