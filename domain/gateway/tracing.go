package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Error codes of the node that mean that there is no trace.
const (
	noTraceAvailable    = 10
	transactionNotFound = 29
)

// Trace returns the trace of a transaction by the rules of
// starknet_traceTransaction, for facades that do not speak JSON-RPC.
func (g *Gateway) Trace(ctx context.Context, hash starknet.Felt) (json.RawMessage, error) {
	m, _ := Lookup("starknet_traceTransaction")
	a := g.Answer(ctx, Request{ID: json.RawMessage("1"), Method: m.Name, Params: json.RawMessage(`["` + hash.String() + `"]`)})
	if a.Err != nil {
		return nil, a.Err.public(m)
	}
	if a.NodeError == nil {
		return a.Result, nil
	}
	var refused struct {
		Code int `json:"code"`
	}
	_ = json.Unmarshal(a.NodeError, &refused) // a *NodeError is valid JSON
	switch refused.Code {
	case transactionNotFound:
		return nil, domain.Errorf(domain.CodeNotFound, "The node does not know the transaction %s.", hash)
	case noTraceAvailable:
		return nil, domain.Errorf(domain.CodeNotFound, "The transaction %s has no trace: it was received or rejected, but not executed.", hash)
	}
	return nil, domain.Unavailable(retryLater, errors.New(string(a.NodeError)), "The node could not trace the transaction. Retry.")
}

// public returns the error as other facades show it.
func (e *Error) public(m Method) error {
	switch e.Reason {
	case ReasonRateLimited, ReasonAuthorizer:
		var cause *domain.Error
		if errors.As(e.cause, &cause) {
			return cause
		}
	case ReasonScope, ReasonWriteScope:
		return domain.Errorf(domain.CodeForbidden, "This operation requires the permission %s, which the API key does not have.", m.Permission)
	case ReasonTraceTooLarge, ReasonTraceIncomplete:
		return domain.Unavailable(0, e, "%s", e.Message)
	case ReasonInternal:
		return e
	}
	return domain.Unavailable(e.RetryAfter, e, "%s", e.Message)
}
