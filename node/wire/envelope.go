package wire

import (
	"encoding/json"
	"strconv"
)

// EncodeRequest encodes a JSON-RPC request with the params byte for byte. Nil
// params are omitted.
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

// Answer is a parsed JSON-RPC response or notification. Its members are raw
// JSON, nil if absent.
type Answer struct {
	version, id, result, failure, method, params []byte
}

// SplitAnswer parses a response or notification. A duplicate member is an
// error: two readers of one response must not see different values.
func SplitAnswer(text []byte) (Answer, error) {
	var a Answer
	parts := map[string]*[]byte{
		"jsonrpc": &a.version, "id": &a.id, "result": &a.result,
		"error": &a.failure, "method": &a.method, "params": &a.params,
	}
	s := scanner{text: text}
	s.object(func(key []byte) {
		value := s.value()
		part, known := parts[string(key)]
		switch {
		case !known:
		case *part != nil:
			s.fail("member %q occurs twice", key)
		default:
			*part = value
		}
	})
	s.end()
	if s.err == nil && string(a.version) != `"2.0"` {
		s.fail("not JSON-RPC 2.0 but %s", Clip(string(a.version), 20))
	}
	if s.err != nil {
		return Answer{}, Invalid("%w", s.err)
	}
	return a, nil
}

// DecodeAnswer returns the result of the response to request id, or its
// *RPCError. The result is not decoded, so it may still be invalid JSON.
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

// Result returns the result of the response to request id, or its *RPCError.
func (a Answer) Result(id uint64) (json.RawMessage, error) {
	switch {
	case string(a.id) != strconv.FormatUint(id, 10):
		return nil, Invalid("the id is %s, asked was %d", Clip(string(a.id), 40), id)
	case a.result != nil && a.failure != nil:
		return nil, Invalid("both a result and an error")
	case a.failure != nil:
		return nil, decodeFailure(a.failure)
	case a.result == nil:
		return nil, Invalid("neither a result nor an error")
	}
	return a.result, nil
}

// decodeFailure decodes an *RPCError.
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
