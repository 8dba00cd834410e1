package chain

import (
	"context"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// NodeTransactions are the transactions that the nodes of chains know.
type NodeTransactions interface {
	// KnowsTransaction reports whether the node of a chain knows a transaction,
	// in whatever state. A chain without a node knows none.
	KnowsTransaction(ctx context.Context, c domain.Chain, hash starknet.Felt) (bool, error)
}
