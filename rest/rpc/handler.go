package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/gateway"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

const (
	maxBody = 10 << 20
	timeout = 30 * time.Second
)

// Handlers serve the gateways of all chains.
type Handlers struct {
	Logger *slog.Logger
	// Gate authenticates callers.
	Gate *access.Gate
	// Gateways are the gateways by chain; chains without a node have none.
	Gateways map[domain.Chain]*gateway.Gateway
	// Origins are those whose pages may open a WebSocket.
	Origins []string
	// Sockets are the open WebSockets.
	Sockets *Sockets
	// Bodies are those that are being read and answered.
	Bodies *Bodies
	// Usage records the messages of WebSockets; nil records nothing.
	Usage *account.Usage
}

// Serve answers a JSON-RPC request or batch.
func (h Handlers) Serve(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := domain.WithTimeLimit(r.Context(), timeout)
	defer cancel()
	r, g := h.admit(w, r.WithContext(ctx), gateway.RefusedClass)
	if g == nil {
		return
	}
	body, release, refused := h.readBody(w, r)
	switch {
	case refused != nil && refused.Reason == gateway.ReasonSaturated:
		h.fail(w, r, refused) // is not charged
		return
	case refused != nil:
		h.refuseBody(w, r, g, refused)
		return
	}
	defer release()
	requests, batch, refused := gateway.Parse(body)
	switch {
	case refused != nil:
		h.refuseBody(w, r, g, refused)
	case batch:
		h.answerBatch(r.Context(), w, r, g, requests)
	default:
		h.answerOne(w, r, g.Answer(r.Context(), requests[0]))
	}
}

// admit authenticates a request, and returns it with its caller and the gateway
// of its chain. The gateway is nil if the request was refused. Usage has the
// class unless the request turns out to be of another one.
func (h Handlers) admit(w http.ResponseWriter, r *http.Request, class account.Class) (*http.Request, *gateway.Gateway) {
	w.Header().Set("Cache-Control", frame.CacheControl("no-store"))
	caller, err := h.caller(r)
	if err != nil {
		access.Challenge(w.Header(), err, account.Read)
		h.fail(w, r, gateway.Refusal(r.Context(), err))
		return r, nil
	}
	record := access.RecordOf(r.Context())
	record.Caller, record.Class = caller, class
	r = r.WithContext(account.WithCaller(r.Context(), caller))
	g, ok := h.Gateways[domain.Chain(chi.URLParam(r, "chain"))]
	if !ok {
		h.fail(w, r, gateway.ChainNotServed())
		return r, nil
	}
	return r, g
}

// caller authenticates a request by the key in a header or in the URL.
func (h Handlers) caller(r *http.Request) (*account.Caller, error) {
	return h.callerBy(h.Gate, r)
}

func (h Handlers) callerBy(gate *access.Gate, r *http.Request) (*account.Caller, error) {
	caller, err := gate.Caller(r, access.Credentials{Key: chi.URLParam(r, "key"), Place: "URL"})
	if err == nil && caller.Kind == account.ByFirstParty {
		err = domain.Errorf(domain.CodeUnauthorized, "The JSON-RPC gateway requires an API key.")
	}
	return caller, err
}

// refuseBody answers a whole body with an error, and charges for it.
func (h Handlers) refuseBody(w http.ResponseWriter, r *http.Request, g *gateway.Gateway, why *gateway.Error) {
	a := g.Refused(r.Context(), why)
	closeUnread(w, r, a.Err)
	h.answerOne(w, r, a)
}

// readBody reads a body of the right type and size. It counts among the bodies
// until release is called.
func (h Handlers) readBody(w http.ResponseWriter, r *http.Request) (body []byte, release func(), refused *gateway.Error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != frame.JSONMedia || r.Header.Get("Content-Encoding") != "" {
		return nil, nil, gateway.BadBody(http.StatusUnsupportedMediaType, "The request body must have the Content-Type application/json and no Content-Encoding.")
	}
	body, release, err = h.Bodies.read(http.MaxBytesReader(w, r.Body, maxBody), account.CallerOf(r.Context()))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, nil, gateway.BadBody(http.StatusRequestEntityTooLarge, fmt.Sprintf("The request body exceeds the limit of %d bytes.", maxBody))
	}
	if errors.Is(err, errSaturated) {
		return nil, nil, saturated(tooManyBodies)
	}
	if err != nil {
		return nil, nil, gateway.BadBody(http.StatusOK, "The request body ended before it was complete.")
	}
	return body, release, nil
}

// answerOne writes the answer to a single request.
func (h Handlers) answerOne(w http.ResponseWriter, r *http.Request, a gateway.Answer) {
	access.RecordOf(r.Context()).Class = a.Class
	access.Pace(w.Header(), a.Decision)
	setClass(w.Header(), a.Class)
	h.log(r.Context(), a.Err)
	switch {
	case a.ID == nil:
		w.WriteHeader(http.StatusNoContent)
	case a.Err != nil:
		h.refuse(w, r, a)
	default:
		h.deliver(w, r, a.ID, a.Class == account.RPCWrite, encode(nil, a, ""))
	}
}

// answerBatch writes the answers to a batch. The headers name a class and a
// rate limit only if all requests share them.
func (h Handlers) answerBatch(ctx context.Context, w http.ResponseWriter, r *http.Request, g *gateway.Gateway, requests []gateway.Request) {
	answers, refused := g.AnswerBatch(ctx, requests)
	if refused != nil {
		h.fail(w, r, refused)
		return
	}
	class, wrote := answers[0].Class, false
	last := answers[0].Decision
	for _, a := range answers {
		h.log(ctx, a.Err)
		wrote = wrote || a.Class == account.RPCWrite
		if a.Class != class {
			class = ""
		}
		if a.Decision.Budgeted() && a.Decision.Remaining < last.Remaining {
			last = a.Decision
		}
	}
	if class != "" {
		access.RecordOf(ctx).Class = class
		access.Pace(w.Header(), last)
		setClass(w.Header(), class)
	}
	body := encodeBatch(ctx, answers)
	if body == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.deliver(w, r, json.RawMessage("null"), wrote, body)
}

// setClass sets X-Service-Rpc-Class for the classes that the contract reports there.
func setClass(header http.Header, class account.Class) {
	switch class {
	case account.RPCWrite, account.RPCTrace, account.RPCWebSocket, account.RPCProve:
		header.Set("X-Service-Rpc-Class", string(class))
	}
}

// log logs what the operator must look at.
func (h Handlers) log(ctx context.Context, e *gateway.Error) {
	if e != nil && e.Code == gateway.InternalError {
		h.Logger.ErrorContext(ctx, "an RPC request failed", "requestId", telemetry.RequestID(ctx), "error", e)
	}
}
