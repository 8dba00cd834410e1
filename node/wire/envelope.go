package wire

import (
	"encoding/json"
	"strconv"
)

// EncodeRequest writes a JSON-RPC request with the params byte for byte. Nil
// params are left out.
func EncodeRequest(id uint64, method string, params json.RawMessage) []byte {
	name, _ := json.Marshal(method) // a string cannot fail
	b := make([]byte, 0, 64+len(name)+len(params))
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendUint(b, id, 10)
	b = append(b, `,"method":`...)
	b = append(b, name...)
	if params != nil {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	return append(b, '}')
}

// Answer is a JSON-RPC response or notification taken apart, its parts still
// as the node wrote them. A nil part was absent.
type Answer struct {
	version, id, result, failure, method, params []byte
}

// SplitAnswer takes a response or notification apart. A member that occurs
// twice is an error: two readers of one answer must not see different ones.
func SplitAnswer(text []byte) (Answer, error) {
	var a Answer
	parts := map[string]*[]byte{
		"jsonrpc": &a.version, "id": &a.id, "result": &a.result,
		"error": &a.failure, "method": &a.method, "params": &a.params,
	}
	r := newReader(text)
	r.object(func(name []byte) {
		part, known := parts[string(name)]
		switch value := r.value(); {
		case !known:
		case *part != nil:
			r.fail("member %q occurs twice", name)
		default:
			*part = value
		}
	})
	r.end()
	if r.err == nil && string(a.version) != `"2.0"` {
		r.fail("not JSON-RPC 2.0 but %s", Clip(string(a.version), 20))
	}
	if r.err != nil {
		return Answer{}, Invalid("%w", r.err)
	}
	return a, nil
}

// DecodeAnswer returns the result of the response to request id, or the
// *RPCError that it holds. The result is JSON, but not decoded.
func DecodeAnswer(text []byte, id uint64) (json.RawMessage, error) {
	a, err := SplitAnswer(text)
	if err != nil {
		return nil, err
	}
	return a.Result(id)
}

// IsNotification reports whether this is a message of a subscription and not a
// response.
func (a Answer) IsNotification() bool { return a.method != nil }

// ID returns the id of the request that this responds to; false if that is none
// of ours.
func (a Answer) ID() (uint64, bool) {
	id, err := strconv.ParseUint(string(a.id), 10, 64)
	return id, err == nil
}

// Result returns the result of the response to request id, or the *RPCError
// that it holds.
func (a Answer) Result(id uint64) (json.RawMessage, error) {
	switch {
	case string(a.id) != strconv.FormatUint(id, 10):
		return nil, Invalid("the response has the id %s, but the request had %d", Clip(string(a.id), 40), id)
	case a.result != nil && a.failure != nil:
		return nil, Invalid("both a result and an error")
	case a.failure != nil:
		return nil, decodeFailure(a.failure)
	case a.result == nil:
		return nil, Invalid("neither a result nor an error")
	}
	return a.result, nil
}

// decodeFailure returns the *RPCError that the text spells.
func decodeFailure(text []byte) error {
	var wire struct {
		Code    *int            `json:"code"`
		Message *string         `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &wire); err != nil {
		return Invalid("the error object: %w", err)
	}
	if wire.Code == nil || wire.Message == nil {
		return Invalid("an error without code or message")
	}
	return &RPCError{Code: *wire.Code, Message: *wire.Message, Data: wire.Data, Raw: text}
}
