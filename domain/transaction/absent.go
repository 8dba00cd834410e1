package transaction

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

const (
	// nodeTime is for how long the node is asked whether it knows a transaction.
	nodeTime = time.Second
	// nodeQuestions is how many such questions may be under way. Hashes cost
	// nothing to invent: beyond it nobody asks.
	nodeQuestions = 4
)

// Absent is the error of a transaction that the index does not hold. It is
// not_found; the message says pending_indexing when the node knows it.
func (s *Details) Absent(ctx context.Context, c domain.Chain, hash starknet.Felt) error {
	horizon, err := s.Statuses.Horizon(ctx, c)
	if err != nil {
		return err
	}
	return s.absent(ctx, c, hash, horizon)
}

// absent says that the index does not hold a transaction, and whether the node
// knows it.
func (s *Details) absent(ctx context.Context, c domain.Chain, hash starknet.Felt, h chain.Horizon) error {
	switch {
	case s.nodeKnows(ctx, c, hash):
		return domain.Errorf(domain.CodeNotFound, "pending_indexing: The upstream node has transaction %s, but it is not indexed yet. Retry, or call starknet_getTransactionByHash.", hash)
	case h.Coverage != nil && h.Coverage.First > 0:
		return domain.Errorf(domain.CodeNotFound, "Transaction %s is not indexed; the index begins with block %d.", hash, h.Coverage.First)
	}
	return domain.Errorf(domain.CodeNotFound, "Transaction %s is not indexed.", hash)
}

// nodeKnows asks the chain's node, if it has one. A node that does not answer in time, or that too
// many ask already, knows nothing.
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
