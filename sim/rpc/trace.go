package rpc

import (
	"errors"
	"slices"

	"astrolabe/sim/chain"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

func (s *Server) trace(method string, p params) (any, error) {
	f, err := s.findParam(method, p)
	if err != nil {
		return nil, err
	}
	if !f.sealed {
		return nil, &Error{errNoTrace.Code, errNoTrace.Message, map[string]string{"status": "RECEIVED"}}
	}
	traces, err := s.traces(f.block.Header.BlockNumber)
	if err != nil || f.index >= len(traces) {
		return nil, errNoTrace
	}
	return traces[f.index], nil
}

// blockTrace is one transaction's trace in a block.
type blockTrace struct {
	Hash  starknet.Felt `json:"transaction_hash"`
	Trace *vm.Trace     `json:"trace_root"`
}

func (s *Server) traceBlock(method string, p params) (any, error) {
	var id blockID
	var flags []string
	if err := required(p, 0, &id); err != nil {
		return nil, err
	}
	if err := optional(p, 1, &flags); err != nil {
		return nil, err
	}
	if id.preConfirmed() {
		return nil, invalidParams("a block in the making has no traces")
	}
	b, err := s.sealed(method, id)
	if err != nil {
		return nil, err
	}
	traces, err := s.traces(b.Header.BlockNumber)
	if err != nil {
		return nil, err
	}
	result := make([]blockTrace, len(traces))
	for i, trace := range traces {
		result[i] = blockTrace{b.Transactions[i].Hash, trace}
	}
	if slices.Contains(flags, "RETURN_INITIAL_READS") {
		return map[string]any{"traces": result, "initial_reads": struct{}{}}, nil
	}
	return result, nil
}

// traces executes a block again; the state before it must be retained.
func (s *Server) traces(number uint64) ([]*vm.Trace, error) {
	traces, err := s.chain.Traces(number)
	if errors.Is(err, chain.ErrNotRetained) {
		return nil, errNoTrace
	}
	return traces, err
}
