package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/starknet"
)

// Error codes of the node that mean that there is no trace.
const (
	noTraceAvailable    = 10
	transactionNotFound = 29
)

// Trace returns the trace of a transaction by the rules of
// starknet_traceTransaction, for facades that do not speak JSON-RPC, and the
// state of the rate limit afterwards.
func (g *Gateway) Trace(ctx context.Context, hash starknet.Felt) (json.RawMessage, account.Decision, error) {
	m, _ := Lookup("starknet_traceTransaction")
	a := g.Answer(ctx, Request{ID: json.RawMessage("1"), Method: m.Name, Params: json.RawMessage(`["` + hash.String() + `"]`)})
	switch {
	case a.Err != nil:
		return nil, a.Decision, a.Err.public(m)
	case a.NodeError != nil:
		return nil, a.Decision, noTrace(hash, a.NodeError)
	}
	return a.Result, a.Decision, nil
}

// noTrace converts the node's error about a trace.
func noTrace(hash starknet.Felt, raw json.RawMessage) error {
	var refused struct {
		Code int `json:"code"`
	}
	_ = json.Unmarshal(raw, &refused) // a *NodeError is valid JSON
	switch refused.Code {
	case transactionNotFound:
		return domain.Errorf(domain.CodeNotFound, "The node does not know the transaction %s.", hash)
	case noTraceAvailable:
		return domain.Errorf(domain.CodeNotFound, "The transaction %s has no trace: it was received or rejected, but not executed.", hash)
	}
	return domain.Unavailable(retryLater, errors.New(string(raw)), "The node could not trace the transaction. Retry.")
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
