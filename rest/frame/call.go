package frame

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-chi/chi/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Call is a request to an operation, with validated parameters in canonical
// form.
type Call struct {
	Chain     domain.Chain // of operations with a chain segment
	request   *http.Request
	cursors   *domain.Cursors
	operation *Operation
	path      map[string]string
	query     url.Values
}

// Text returns a parameter as text, empty if it is absent.
func (c *Call) Text(name string) string {
	if text, ok := c.path[name]; ok {
		return text
	}
	return c.query.Get(name)
}

// Head reports whether the method is HEAD, whose answer has no body.
func (c *Call) Head() bool { return c.request.Method == http.MethodHead }

// Given reports whether the query contains the parameter.
func (c *Call) Given(name string) bool { return len(c.query[name]) > 0 }

// Felt returns a parameter of FeltKind, zero when it is absent.
func (c *Call) Felt(name string) starknet.Felt {
	felt, _ := starknet.ParseFelt(c.Text(name)) // valid or absent
	return felt
}

// Felts returns all values of a repeatable parameter of FeltKind, in the order
// of the request.
func (c *Call) Felts(name string) []starknet.Felt {
	felts := make([]starknet.Felt, len(c.query[name]))
	for i, text := range c.query[name] {
		felts[i], _ = starknet.ParseFelt(text) // valid
	}
	return felts
}

// Int returns a parameter of IntegerKind, zero when it is absent.
func (c *Call) Int(name string) int {
	n, _ := strconv.Atoi(c.Text(name)) // valid or absent
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

// State returns the block that BlockTagParam names.
func (c *Call) State() chain.BlockID {
	id, _ := chain.ParseBlockID(c.Text(BlockTagParam.Name), chain.StateTags...) // valid
	return id
}

// AsWritten returns a path parameter as the caller wrote it, not in canonical
// form.
func (c *Call) AsWritten(name string) string {
	text, _ := url.PathUnescape(chi.URLParam(c.request, name)) // valid
	return text
}
