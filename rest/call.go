package rest

import (
	"net/http"
	"net/url"
	"strconv"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Call is one request to one operation, its parameters checked.
type Call struct {
	Request *http.Request
	Chain   domain.Chain // of operations with a chain segment
	path    map[string]string
	query   url.Values
	header  http.Header
}

// Text returns a parameter's text, empty when it is absent.
func (c *Call) Text(name string) string {
	if text, ok := c.path[name]; ok {
		return text
	}
	return c.query.Get(name)
}

// Texts returns every value of a repeatable parameter.
func (c *Call) Texts(name string) []string { return c.query[name] }

// Felt returns a felt parameter, and false when it is absent.
func (c *Call) Felt(name string) (starknet.Felt, bool) {
	f, err := starknet.ParseFelt(c.Text(name))
	return f, err == nil
}

// Integer returns an integer parameter, and false when it is absent.
func (c *Call) Integer(name string) (int64, bool) {
	v, err := strconv.ParseInt(c.Text(name), 10, 64)
	return v, err == nil
}

// SetHeader adds a header to the answer.
func (c *Call) SetHeader(name, value string) { c.header.Set(name, value) }
