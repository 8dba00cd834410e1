package rpc

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"astrolabe/sim/chain"
	"astrolabe/sim/contract"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// Server serves JSON-RPC for one chain.
type Server struct {
	chain       *chain.Chain
	library     *contract.Library
	chainID     starknet.Felt
	otherID     starknet.Felt
	specVersion string
	faults      *fault.Set
	rendered    string
	hub         *hub
	devnet      Devnet
	minted      atomic.Uint64

	mu     sync.Mutex
	counts map[string]uint64
}

// Options configure a server.
type Options struct {
	Chain   *chain.Chain
	Library *contract.Library
	// ChainID is the chain's id, OtherID the one that it returns while the fault
	// OtherChain is active.
	ChainID, OtherID starknet.Felt
	SpecVersion      string
	Faults           *fault.Set
	// Rendered is a folder of responses that Render has filled; empty means
	// none.
	Rendered string
	// Devnet configures the methods of starknet-devnet.
	Devnet Devnet
}

// NewServer returns a server, which watches the chain for its subscribers from now on.
func NewServer(o Options) *Server {
	s := &Server{
		chain: o.Chain, library: o.Library, chainID: o.ChainID, otherID: o.OtherID,
		specVersion: o.SpecVersion, faults: o.Faults, rendered: o.Rendered, hub: newHub(), devnet: o.Devnet, counts: map[string]uint64{},
	}
	o.Chain.Watch(s.hub.publish)
	return s
}

// Close ends all WebSocket connections. Calls over HTTP are still served.
func (s *Server) Close() { s.hub.close() }

// Counts returns how many calls of each method were received, unknown methods included
// under "unknown".
func (s *Server) Counts() map[string]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.counts)
}

func (s *Server) count(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := methods[method]; !known && !subscribing(method) {
		method = "unknown"
	}
	s.counts[method]++
}

// request is one JSON-RPC call.
type request struct {
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
}

// response is the response to a request.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

func (s *Server) answer(r *request, result any, err error) response {
	a := response{Version: "2.0", ID: r.ID, Result: result}
	if len(a.ID) == 0 {
		a.ID = json.RawMessage("null")
	}
	if err != nil {
		a.Result, a.Error = nil, asError(err)
	}
	return a
}

// call runs one method.
func (s *Server) call(r *request) response {
	s.count(r.Method)
	if f, struck := s.faults.Strike(fault.RPCError, r.Method); struck {
		return s.answer(r, nil, faultError(f))
	}
	if r.Version != "2.0" || r.Method == "" {
		return s.answer(r, nil, errInvalidRequest)
	}
	m, ok := methods[r.Method]
	if !ok {
		return s.answer(r, nil, errMethod)
	}
	p, err := readParams(r.Params, m.params)
	if err != nil {
		return s.answer(r, nil, err)
	}
	result, err := m.run(s, r.Method, p)
	if err == nil && s.faults.Lying(r.Method) {
		result, err = s.falsified(r.Method, p, result)
	}
	return s.answer(r, result, err)
}

func faultError(f fault.Fault) *Error {
	e := &Error{Code: f.Code, Message: f.Message}
	if e.Code == 0 {
		e.Code = -32603
	}
	if e.Message == "" {
		e.Message = fmt.Sprintf("Error %d on demand", e.Code)
	}
	return e
}
