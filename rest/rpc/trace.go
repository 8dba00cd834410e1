package rpc

import (
	"context"
	"encoding/json"
	"net/http"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// TraceBody is the trace of a transaction, as the node returned it.
type TraceBody struct {
	ChainID domain.Chain    `json:"chainId"`
	TxHash  starknet.Felt   `json:"txHash"`
	Trace   json.RawMessage `json:"trace"`
}

func (h Handlers) trace(ctx context.Context, c *frame.Call) (any, error) {
	g, ok := h.Gateways[c.Chain]
	if !ok {
		return nil, domain.Unavailable(0, nil, "This deployment has no upstream node for this chain, so it cannot trace transactions.")
	}
	hash := c.Felt(frame.TransactionParam.Name)
	trace, decision, err := g.Trace(ctx, hash)
	if domain.CodeOf(err) == domain.CodeRateLimited {
		err = access.Denied(err, decision) // the headers are those of this class, not of the route's
	}
	return TraceBody{c.Chain, hash, trace}, err
}

// traceOperation is the route of traces.
func (h Handlers) traceOperation() frame.Operation {
	return frame.Operation{
		ID: "getTransactionTrace", Method: http.MethodGet, Path: "/v1/{chain}/tx/{tx_hash}/trace",
		Summary:    "Get the execution trace of a transaction.",
		Params:     []frame.Param{frame.ChainParam, frame.TransactionParam},
		Permission: account.Trace, Class: frame.Heavy, RPCClass: account.RPCTrace,
		Cert: frame.Beta, Audience: frame.External, Timeout: timeout, Cache: "no-cache",
		Success: http.StatusOK, Body: "TransactionTrace", Errors: []domain.Code{domain.CodeNotFound},
		Proof: []string{"TestTraceOfATransactionIsTheNodes"}, Handle: h.trace,
	}
}
