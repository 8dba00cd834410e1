package rest

import (
	"net/http"
	"net/url"

	"astrolabe/domain"
)

// Call is one request to one operation, its parameters checked.
type Call struct {
	Request *http.Request
	Chain   domain.Chain // of operations with a chain segment
	path    map[string]string
	query   url.Values
}

// Text returns a parameter's text, empty when it is absent.
func (c *Call) Text(name string) string {
	if text, ok := c.path[name]; ok {
		return text
	}
	return c.query.Get(name)
}
