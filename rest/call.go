package rest

import (
	"net/http"
	"net/url"
	"strconv"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Call is one request to one operation, its parameters checked and in
// canonical form.
type Call struct {
	Request   *http.Request
	Chain     domain.Chain // of operations with a chain segment
	operation *Operation
	path      map[string]string
	query     url.Values
}

// Text returns a parameter's text, empty when it is absent.
func (c *Call) Text(name string) string {
	if text, ok := c.path[name]; ok {
		return text
	}
	return c.query.Get(name)
}

// Given reports whether the query has the parameter.
func (c *Call) Given(name string) bool { return len(c.query[name]) > 0 }

// Felt returns a parameter of FeltKind, zero when it is absent.
func (c *Call) Felt(name string) starknet.Felt {
	felt, _ := starknet.ParseFelt(c.Text(name)) // it was checked, or is absent
	return felt
}

// Felts returns all values of a repeatable parameter of FeltKind, in the order
// of the request.
func (c *Call) Felts(name string) []starknet.Felt {
	felts := make([]starknet.Felt, len(c.query[name]))
	for i, text := range c.query[name] {
		felts[i], _ = starknet.ParseFelt(text) // it was checked
	}
	return felts
}

// Int returns a parameter of IntegerKind, zero when it is absent.
func (c *Call) Int(name string) int {
	n, _ := strconv.Atoi(c.Text(name)) // it was checked, or is absent
	return n
}

// Number returns a parameter of IntegerKind, nil when it is absent.
func (c *Call) Number(name string) *uint64 {
	n, err := strconv.ParseUint(c.Text(name), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }
