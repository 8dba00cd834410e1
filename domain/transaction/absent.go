package transaction

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

const (
	// nodeTime is the timeout of the node's lookup of a transaction.
	nodeTime = time.Second
	// nodeQuestions bounds concurrent lookups, because clients can invent
	// hashes at no cost. Beyond it the node is not called.
	nodeQuestions = 4
)

// Absent is the not_found of a transaction that is not indexed. The message
// begins with pending_indexing if the node has it.
func (s *Details) Absent(ctx context.Context, c domain.Chain, hash starknet.Felt) error {
	horizon, err := s.Statuses.Horizon(ctx, c)
	if err != nil {
		return err
	}
	return s.absent(ctx, c, hash, horizon)
}

func (s *Details) absent(ctx context.Context, c domain.Chain, hash starknet.Felt, h chain.Horizon) error {
	switch {
	case s.nodeKnows(ctx, c, hash):
		return domain.Errorf(domain.CodeNotFound, "pending_indexing: The upstream node has transaction %s, but it is not indexed yet. Retry, or call starknet_getTransactionByHash.", hash)
	case h.Coverage != nil && h.Coverage.First > 0:
		return domain.Errorf(domain.CodeNotFound, "Transaction %s is not indexed; the index begins with block %d.", hash, h.Coverage.First)
	}
	return domain.Errorf(domain.CodeNotFound, "Transaction %s is not indexed.", hash)
}

// nodeKnows reports whether the chain's node has a transaction. It is false
// without a node, on timeout, and beyond the concurrency limit.
func (s *Details) nodeKnows(ctx context.Context, c domain.Chain, hash starknet.Felt) bool {
	node, ok := s.Nodes[c]
	if !ok {
		return false
	}
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	default:
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, nodeTime)
	defer cancel()
	known, err := node.KnowsTransaction(ctx, hash)
	return err == nil && known
}
