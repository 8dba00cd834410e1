package chain

import (
	"context"
	"errors"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/starknet"
)

// FinalizedBlocks finds blocks of the finalized tier.
type FinalizedBlocks interface {
	// FinalizedBlock returns the block with a number or a hash, nil when the
	// finalized tier does not hold it.
	FinalizedBlock(ctx context.Context, c domain.Chain, id BlockID) (*domain.BlockRef, error)
}

// States reads the state of contracts from the chains' nodes. A value comes
// from the node, at a block that the answer names, or there is an error.
type States struct {
	nodes    map[domain.Chain]Node
	blocks   FinalizedBlocks
	statuses *Statuses
	answers  *lru.Cache[callKey, Answer] // at finalized blocks
}

type callKey struct {
	chain              domain.Chain
	at                 starknet.Felt
	contract, selector starknet.Felt
	calldata           string
}

const (
	keptAnswers = 8192
	keptFelts   = 32 // a longer result, or calldata, is not kept

	tries        = 3                // how often a block is looked up that leaves the chain meanwhile
	nodeRetry    = 2 * time.Second  // Retry-After of a failing node
	nodeAbsence  = time.Minute      // where no node is configured
	longestRetry = 30 * time.Second // limit of a node's own Retry-After
)

// NewStates makes the service over the nodes that there are.
func NewStates(nodes map[domain.Chain]Node, blocks FinalizedBlocks, statuses *Statuses) *States {
	return &States{nodes: nodes, blocks: blocks, statuses: statuses, answers: cache.Must(lru.New[callKey, Answer](keptAnswers))}
}

// ErrBlockMoved means that a block left the chain while its state was read.
var ErrBlockMoved = errors.New("the block left the node's chain")

// State is the state after one block.
type State struct {
	StateBlock
	states    *States
	chain     domain.Chain
	node      Node
	finalized bool
}

// Read resolves a block ID and reads from the state after that block. If a
// reorg removes the block meanwhile, it resolves the ID again and repeats the
// read, unless the ID is a hash. It is not_found if the node has no such block.
func (s *States) Read(ctx context.Context, c domain.Chain, id BlockID, read func(ctx context.Context, at State) error) (StateBlock, error) {
	node, ok := s.nodes[c]
	if !ok {
		absent := domain.Errorf(domain.CodeServiceUnavailable, "This deployment has no upstream node for %s, so it cannot read contract state.", c)
		absent.RetryAfter = nodeAbsence
		return StateBlock{}, absent
	}
	for range tries {
		at, err := s.find(ctx, c, node, id)
		if err != nil {
			return StateBlock{}, err
		}
		err = read(ctx, at)
		if err == nil && at.Hash == nil {
			err = s.stayed(ctx, at, id)
		}
		switch {
		case err == nil:
			return at.StateBlock, nil
		case !errors.Is(err, ErrBlockMoved):
			return StateBlock{}, err
		case id.Hash != nil:
			return StateBlock{}, unknownBlock(id)
		}
	}
	return StateBlock{}, domain.Unavailable(nodeRetry, ErrBlockMoved, "Reorgs kept replacing the requested block during the read. Retry.")
}

// find resolves a block ID. It does not call the node for finalized blocks,
// which cannot have changed.
func (s *States) find(ctx context.Context, c domain.Chain, node Node, id BlockID) (State, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return State{}, err
	}
	at := State{states: s, chain: c, node: node}
	if id.Tag == "" {
		block, err := s.blocks.FinalizedBlock(ctx, c, id)
		if err != nil {
			return State{}, err
		}
		if block != nil {
			at.StateBlock, at.finalized = StateBlock{block.Number, &block.Hash, horizon.Finality(block.Number)}, true
			return at, nil
		}
	}
	block, found, err := node.Find(ctx, id)
	if err != nil {
		return State{}, unavailable(c, err)
	}
	if !found {
		return State{}, unknownBlock(id)
	}
	at.StateBlock, at.finalized = block, block.Hash != nil && horizon.Tier(block.Number) == FinalizedTier
	return at, nil
}

// stayed returns ErrBlockMoved if the pre-confirmed block, which has no hash to
// read by, has changed.
func (s *States) stayed(ctx context.Context, at State, id BlockID) error {
	now, found, err := at.node.Find(ctx, id)
	switch {
	case err != nil:
		return unavailable(at.chain, err)
	case !found || now.Number != at.Number:
		return ErrBlockMoved
	}
	return nil
}

// Call calls a view function. Results at finalized blocks are cached.
func (s State) Call(ctx context.Context, call ViewCall) (Answer, error) {
	key, keep := s.key(call)
	if keep {
		if answer, known := s.states.answers.Get(key); known {
			return answer, nil
		}
	}
	answer, err := s.node.Call(ctx, s.StateBlock, call)
	switch {
	case err != nil:
		return Answer{}, unavailable(s.chain, err)
	case answer.NoBlock:
		return Answer{}, ErrBlockMoved
	}
	if keep && len(answer.Result) <= keptFelts && !answer.Reverted && !answer.TooLarge { // another node may have other limits
		s.states.answers.Add(key, answer)
	}
	return answer, nil
}

// key returns the cache key of a call; false if its result is not cached.
func (s State) key(call ViewCall) (callKey, bool) {
	if !s.finalized || len(call.Calldata) > keptFelts {
		return callKey{}, false
	}
	calldata := make([]byte, 0, len(call.Calldata)*len(starknet.Felt{}))
	for _, felt := range call.Calldata {
		calldata = append(calldata, felt[:]...)
	}
	return callKey{s.chain, *s.Hash, call.Contract, call.Selector, string(calldata)}, true
}

func unknownBlock(id BlockID) error {
	if id.Tag != "" {
		return domain.Errorf(domain.CodeNotFound, "The upstream node has no %s block now. Name a block by its number or hash.", id.Tag)
	}
	return domain.Errorf(domain.CodeNotFound, "The upstream node has no block %s.", id)
}

// unavailable is the service_unavailable of a failing node, with the node's own
// Retry-After if it sent one.
func unavailable(c domain.Chain, err error) error {
	retry := nodeRetry
	if asked, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok && asked.RetryAfter() > 0 {
		retry = min(asked.RetryAfter(), longestRetry)
	}
	return domain.Unavailable(retry, err, "The upstream node of %s did not answer. Retry.", c)
}
