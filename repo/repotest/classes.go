package repotest

import (
	"context"
	"sync"

	"astrolabe/node"
	"astrolabe/starknet"
)

// OnceRead is a node that reads each class once per process: simulated chains
// share their classes, and reading one takes longer than indexing its block.
type OnceRead struct{ node.Source }

var classesRead sync.Map // of starknet.Class by starknet.Felt

// Class implements the index's node.
func (n OnceRead) Class(ctx context.Context, at, hash starknet.Felt) (starknet.Class, error) {
	if class, read := classesRead.Load(hash); read {
		return class.(starknet.Class), nil
	}
	class, err := n.Source.Class(ctx, at, hash)
	if err == nil {
		classesRead.Store(hash, class)
	}
	return class, err
}
