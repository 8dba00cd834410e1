package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"astrolabe/strictjson"
)

// MaxItems is the maximum number of requests in a batch.
const MaxItems = 50

// MaxMembers is the maximum number of members of an object in a request. No
// method needs nearly as many.
const MaxMembers = 4096

// Request is one JSON-RPC request of a body.
type Request struct {
	// ID is the id as the sender wrote it; nil for a notification, which is not
	// answered.
	ID     json.RawMessage
	Method string
	// Params are the params as the sender wrote them; nil if there are none.
	Params json.RawMessage
	// Invalid is why this is not a request; nil if it is one.
	Invalid *Error
}

// envelope is the request object. Other members are ignored: only method and
// params are forwarded.
type envelope struct {
	JSONRPC strictjson.Raw `json:"jsonrpc,omitempty"`
	ID      strictjson.Raw `json:"id,omitempty"`
	Method  strictjson.Raw `json:"method,omitempty"`
	Params  strictjson.Raw `json:"params,omitempty"`
}

// Parse splits a body into requests and reports whether it is a batch. The
// error is the answer to the whole body, with the id null.
func Parse(body []byte) (requests []Request, batch bool, err *Error) {
	if strictjson.Crowded(body, MaxMembers) {
		return nil, false, invalid(InvalidRequest, ReasonInvalidRequest, "An object of the request has more than %d members.", MaxMembers)
	}
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		r := parseRequest(body)
		if r.Invalid != nil && r.Invalid.Code == ParseError {
			return nil, false, r.Invalid
		}
		return []Request{r}, false, nil
	}
	elements, count, failure := strictjson.Elements(body, MaxItems)
	switch {
	case failure != nil:
		return nil, true, unreadable(failure)
	case len(elements) == 0:
		return nil, true, invalid(InvalidRequest, ReasonInvalidRequest, "The batch is empty.")
	case count > MaxItems:
		e := invalid(InvalidRequest, ReasonBatchTooLarge, "The batch has %d requests. The limit is %d.", count, MaxItems)
		e.MaxItems = MaxItems
		return nil, true, e
	}
	requests = make([]Request, len(elements))
	for i, element := range elements {
		requests[i] = parseRequest(element)
	}
	return requests, true, nil
}

func parseRequest(text []byte) Request {
	var e envelope
	if err := strictjson.Decode(text, &e, strictjson.AllowUnknownKeys()); err != nil {
		return Request{ID: readableID(text), Invalid: unreadable(err)}
	}
	r := Request{ID: json.RawMessage(e.ID), Params: json.RawMessage(e.Params)}
	method, named := plainString(e.Method)
	switch {
	case r.ID != nil && !validID(r.ID):
		r.ID = null
		r.Invalid = invalid(InvalidRequest, ReasonInvalidRequest, "The id must be a string, a number or null.")
	case string(e.JSONRPC) != `"2.0"`:
		r.Invalid = invalid(InvalidRequest, ReasonInvalidRequest, `The member jsonrpc must be "2.0".`)
	case !named:
		r.Invalid = invalid(InvalidRequest, ReasonInvalidRequest, "The member method must be a string without escapes.")
	case r.Params != nil && !strings.ContainsRune("[{n", rune(r.Params[0])): // some clients send null for none
		r.Invalid = invalid(InvalidRequest, ReasonInvalidRequest, "The member params must be an array, an object or null.")
	}
	if r.Invalid != nil && r.ID == nil {
		r.ID = null // not a notification, so it is answered
	}
	r.Method = method
	return r
}

// readableID returns the id of a request that is refused, null if it has none
// that can be read.
func readableID(text []byte) json.RawMessage {
	if id, found := strictjson.Member(text, "id"); found && validID(json.RawMessage(id)) {
		return json.RawMessage(id)
	}
	return null
}

var null = json.RawMessage("null")

// unreadable converts an error of reading the body or one request of a batch.
func unreadable(err error) *Error {
	e, ok := errors.AsType[*strictjson.Error](err)
	if !ok {
		return invalid(ParseError, ReasonParse, "The body is not JSON.")
	}
	switch e.Kind {
	case strictjson.DuplicateKey:
		if strings.HasPrefix(e.Path, "/params/") {
			return invalid(InvalidParams, ReasonParams, "The params are ambiguous: %s.", e.Message)
		}
		return invalid(InvalidRequest, ReasonInvalidRequest, "The request is ambiguous: %s.", e.Message)
	case strictjson.TypeMismatch:
		return invalid(InvalidRequest, ReasonInvalidRequest, "A request must be an object.")
	case strictjson.TooDeep:
		return invalid(InvalidRequest, ReasonInvalidRequest, "The body is %s.", e.Message)
	}
	return invalid(ParseError, ReasonParse, "The body is not JSON: %s.", e.Message)
}

// plainString returns the value of a JSON string without escapes. A method with
// escapes could be read differently by a node.
func plainString(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	text := string(raw[1 : len(raw)-1])
	return text, !strings.Contains(text, `\`)
}

// validID reports whether an id has one of the types of JSON-RPC.
func validID(raw json.RawMessage) bool {
	switch raw[0] {
	case '{', '[', 't', 'f':
		return false
	}
	return len(raw) <= maxID
}

// maxID bounds what an id adds to every answer.
const maxID = 256
