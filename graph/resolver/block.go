package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Block is a block.
type Block struct {
	onChain
	membership[*Block]
	facts *chain.Block
}

const (
	// blockType is the type of a block's global id.
	blockType = "Block"
	// blockNumberType is the type of a block that a search found by its number; no
	// global id has it.
	blockNumberType = "Block by number"
)

// IsNode marks the block as a Node.
func (b *Block) IsNode() {}

// ID returns the block's global id.
func (b *Block) ID() string { return b.id(blockType, b.facts.Hash.String()) }

// BlockNumber returns the block's number.
func (b *Block) BlockNumber() uint64 { return b.facts.Number }

// BlockHash returns the block's hash.
func (b *Block) BlockHash() starknet.Felt { return b.facts.Hash }

// ParentHash returns the hash of the block before it.
func (b *Block) ParentHash() starknet.Felt { return b.facts.ParentHash }

// TimestampIso returns when the block was made.
func (b *Block) TimestampIso() time.Time { return b.facts.Time() }

// TxCount returns how many transactions the block has.
func (b *Block) TxCount() int { return b.facts.Transactions }

// EventCount returns how many events the block has.
func (b *Block) EventCount() int { return b.facts.Events }

// FinalityStatus returns what the network says of the block.
func (b *Block) FinalityStatus() scalar.Enum { return scalar.Enum(b.facts.Finality) }

// SourceTier tells whether the block can still be replaced.
func (b *Block) SourceTier() scalar.Enum { return scalar.Enum(b.facts.Tier) }

// StateRoot returns the root of the state after the block.
func (b *Block) StateRoot() starknet.Felt { return b.facts.StateRoot }

// SequencerAddress returns who made the block.
func (b *Block) SequencerAddress() *starknet.Felt { return b.facts.KnownSequencer() }

// L1DataAvailabilityMode returns how the block's data is published on L1.
func (b *Block) L1DataAvailabilityMode() *scalar.Enum { return enumOrNil(b.facts.L1DAMode) }

// StarknetVersion returns the version of Starknet.
func (b *Block) StarknetVersion() *string { return textOrNil(b.facts.Version) }

// L1GasPrice returns what a unit of L1 gas cost.
func (b *Block) L1GasPrice() *GasPrice { return gasPrice(b.facts.L1Gas) }

// L2GasPrice returns what a unit of L2 gas cost.
func (b *Block) L2GasPrice() *GasPrice { return gasPrice(b.facts.L2Gas) }

// L1DataGasPrice returns what a unit of L1 data gas cost.
func (b *Block) L1DataGasPrice() *GasPrice { return gasPrice(b.facts.L1DataGas) }

// GasPrice is what a unit of gas cost.
type GasPrice struct {
	PriceInWei *domain.Amount
	PriceInFri *domain.Amount
}

func gasPrice(p starknet.ResourcePrice) *GasPrice {
	price := chain.GasPriceOf(p)
	if price == nil {
		return nil
	}
	return &GasPrice{amountOrNil(price.Wei), amountOrNil(price.Fri)}
}

// feltAmount is a felt that is an amount.
func feltAmount(f starknet.Felt) domain.Amount {
	return domain.AmountFromBig(starknet.Uint256(f).Big())
}

// Parent returns the block before it.
func (b *Block) Parent(ctx context.Context) (*Block, error) {
	return toOne(ctx, b, "Block.parent", func(b *Block) (starknet.Felt, bool) { return b.facts.ParentHash, b.facts.Number > 0 }, b.blocksByHash())
}

// Sequencer returns who made the block.
func (b *Block) Sequencer(context.Context) (*Address, error) {
	return toAddress(b, "Block.sequencer", optionalKey((*Block).SequencerAddress))
}

// Transactions returns the block's transactions.
func (b *Block) Transactions(ctx context.Context, first *int, after *string) (*TransactionConnection, error) {
	return connect(ctx, b, first, after, (*Block).ref, b.transactionsOfBlocks(b.peers), exactly(b.facts.Transactions))
}

// Events returns the block's events.
func (b *Block) Events(ctx context.Context, first *int, after *string) (*EventConnection, error) {
	page, l, err := toMany(ctx, b, first, after, (*Block).ref, b.eventsOfBlocks(b.peers))
	if err != nil {
		return nil, err
	}
	return page.connection(l, exactly(b.facts.Events)), nil
}

func (b *Block) ref() domain.BlockRef { return b.facts.Ref() }

// factsByRef finds the facts of a cohort of blocks.
func factsByRef(blocks *cohort.Cohort[*Block]) map[domain.BlockRef]*chain.Block {
	known := make(map[domain.BlockRef]*chain.Block, len(blocks.Members))
	for _, b := range blocks.Members {
		known[b.ref()] = b.facts
	}
	return known
}

// newBlocks makes a cohort of blocks. Whoever read them knows them by hash and
// by number.
func (on onChain) newBlocks(cache *cohort.Cache, found []*chain.Block) []*Block {
	byHash, byNumber := on.blocksByHash().Fact, on.blocksByNumber().Fact
	blocks, made := make([]*Block, len(found)), make([]Block, len(found))
	for i, facts := range found {
		if facts != nil {
			made[i] = Block{onChain: on, facts: facts}
			blocks[i] = &made[i]
			cohort.Prime(cache, byHash, facts.Hash, facts)
			cohort.Prime(cache, byNumber, facts.Number, facts)
		}
	}
	return joinCohort(cache, blocks)
}

func (on onChain) blocksByHash() lookup[starknet.Felt, *chain.Block, *Block] {
	return blocksBy(on, "block by hash", chain.HashID)
}

func (on onChain) blocksByNumber() lookup[uint64, *chain.Block, *Block] {
	return blocksBy(on, "block by number", chain.NumberID)
}

// blocksBy looks blocks up by one of their names.
func blocksBy[K comparable](on onChain, kind string, id func(K) chain.BlockID) lookup[K, *chain.Block, *Block] {
	return lookup[K, *chain.Block, *Block]{
		factOf(on, kind, func(ctx context.Context, c domain.Chain, keys []K) ([]*chain.Block, error) {
			return on.resolver.Blocks.ByID(ctx, c, convert(keys, id))
		}),
		func(b *cohort.Batch[K, *chain.Block]) []*Block { return on.newBlocks(b.Cache, b.Values) },
	}
}

// convert turns every item of a list into another thing.
func convert[A, B any](list []A, into func(A) B) []B {
	out := make([]B, len(list))
	for i, item := range list {
		out[i] = into(item)
	}
	return out
}

// BlockConnection is a page of blocks.
type BlockConnection = Connection[*Block]

// BlockEdge is a block in a list.
type BlockEdge = Edge[*Block]

// BlockFilter narrows a list of blocks.
type BlockFilter struct {
	FromBlock, ToBlock *uint64
	FromTime, ToTime   *time.Time
}

// BlockAtTimestamp is the block that was closest to a time.
type BlockAtTimestamp struct {
	Block, PreviousBlock, NextBlock *Block
}

// Block returns a block by one of its names.
func (r *Query) Block(ctx context.Context, id domain.Chain, number *int, hash *starknet.Felt) (*Block, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	name := chain.BlockID{Hash: hash}
	switch {
	case number != nil && *number < 0:
		return nil, domain.Errorf(domain.CodeInvalidRequest, "number must not be negative, got %d.", *number)
	case number != nil && hash != nil:
		return nil, domain.Errorf(domain.CodeInvalidRequest, "number and hash cannot be combined.")
	case number == nil && hash == nil:
		name.Tag = chain.Latest
	case number != nil:
		name = chain.NumberID(uint64(*number))
	}
	found, err := r.resolver.Blocks.At(ctx, id, name)
	if err != nil {
		return nil, err
	}
	return on.newBlocks(new(cohort.Cache), []*chain.Block{found})[0], nil
}

// Blocks pages through the blocks of a chain.
func (r *Query) Blocks(ctx context.Context, id domain.Chain, filter *BlockFilter, order scalar.Enum, first *int, after *string) (*BlockConnection, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	l, err := r.resolver.list(ctx, "", first, after)
	if err != nil {
		return nil, err
	}
	wanted := chain.BlockFilter{OldestFirst: order == "oldest_first"}
	if filter != nil {
		wanted.From, wanted.To, wanted.Since, wanted.Through = filter.FromBlock, filter.ToBlock, filter.FromTime, filter.ToTime
	}
	page, coverage, err := r.resolver.Blocks.List(ctx, id, wanted, l.request)
	if err != nil {
		return nil, err
	}
	list := slice[*Block]{items: on.newBlocks(new(cohort.Cache), page.Items), next: page.Next, coverage: coverageOf(coverage)}
	list.at = func(i int) domain.Position { return page.Items[i].Position() }
	c := &BlockConnection{slice: list, list: l}
	if filter == nil {
		c.count = on.countBlocks
	}
	return c, nil
}

// countBlocks counts the blocks that readers can see.
func (on onChain) countBlocks(ctx context.Context) (total, error) {
	status, err := on.resolver.statusOf(ctx, on.chain)
	if err != nil {
		return total{}, err
	}
	if status.IndexedBlockSpan == nil {
		return total{new(uint64(0)), true}, nil
	}
	return total{status.IndexedBlockSpan, true}, nil
}

// BlockAtTimestamp returns the block that is closest to a time.
func (r *Query) BlockAtTimestamp(ctx context.Context, id domain.Chain, timestamp time.Time, closest scalar.Enum) (*BlockAtTimestamp, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	found, err := r.resolver.Blocks.AtTime(ctx, id, timestamp, chain.Closest(closest))
	if err != nil {
		return nil, err
	}
	blocks := on.newBlocks(new(cohort.Cache), []*chain.Block{found.Block, found.Previous, found.Next})
	return &BlockAtTimestamp{blocks[0], blocks[1], blocks[2]}, nil
}
