package rpc

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/gateway"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

// fail writes an error that answers a whole body.
func (h Handlers) fail(w http.ResponseWriter, r *http.Request, e *gateway.Error) {
	closeUnread(w, r, e)
	h.log(r.Context(), e)
	h.refuse(w, r, gateway.Answer{ID: json.RawMessage("null"), Err: e})
}

// closeUnread closes the connection of a request whose body may be unread: else
// the server would read the rest of it.
func closeUnread(w http.ResponseWriter, r *http.Request, e *gateway.Error) {
	if r.ContentLength != 0 && e.Status != http.StatusOK {
		w.Header().Set("Connection", "close")
	}
}

// refuse writes an error with its status and headers.
func (h Handlers) refuse(w http.ResponseWriter, r *http.Request, a gateway.Answer) {
	access.RecordOf(r.Context()).Code = domain.Code(a.Err.Reason)
	if seconds := a.Err.RetrySeconds(); seconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	if a.Required != "" {
		access.Challenge(w.Header(), domain.Errorf(domain.CodeForbidden, "%s", a.Err.Message), a.Required)
	}
	frame.Write(w, r, a.Err.Status, frame.JSONMedia, encode(nil, a, telemetry.RequestID(r.Context())))
}

// encodeBatch returns the answers as an array, nil if there is none.
func encodeBatch(ctx context.Context, answers []gateway.Answer) []byte {
	size := 2
	for _, a := range answers {
		size += len(a.Result) + len(a.NodeError) + len(a.ID) + 64
	}
	body := append(make([]byte, 0, size), '[')
	for _, a := range answers {
		if a.ID == nil {
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = encode(body, a, telemetry.RequestID(ctx))
	}
	if len(body) == 1 {
		return nil
	}
	return append(body, ']')
}

// encode appends a response object. Results and errors of the node are copied
// byte for byte.
func encode(b []byte, a gateway.Answer, requestID string) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, a.ID...)
	switch {
	case a.Err != nil:
		b = append(b, `,"error":`...)
		b = append(b, frame.Encode(errorObject{a.Err.Code, a.Err.Message, a.Err.Data(requestID)})...)
	case a.NodeError != nil:
		b = append(b, `,"error":`...)
		b = append(b, a.NodeError...)
	default:
		b = append(b, `,"result":`...)
		b = append(b, a.Result...)
	}
	return append(b, '}')
}

type errorObject struct {
	Code    int               `json:"code"`
	Message string            `json:"message"`
	Data    gateway.ErrorData `json:"data"`
}
