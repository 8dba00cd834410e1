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
	// blockNumberType identifies a block that a search found by number. It occurs
	// in no global ID.
	blockNumberType = "Block by number"
)

// IsNode marks the block as a Node.
func (b *Block) IsNode() {}

// ID returns the block's global id.
func (b *Block) ID() string { return b.id(blockType, b.facts.Hash.String()) }

// BlockNumber returns the block number.
func (b *Block) BlockNumber() uint64 { return b.facts.Number }

// BlockHash returns the block hash.
func (b *Block) BlockHash() starknet.Felt { return b.facts.Hash }

// ParentHash returns the hash of the parent block.
func (b *Block) ParentHash() starknet.Felt { return b.facts.ParentHash }

// TimestampIso returns the block timestamp.
func (b *Block) TimestampIso() time.Time { return b.facts.Time() }

// TxCount returns the number of transactions in the block.
func (b *Block) TxCount() int { return b.facts.Transactions }

// EventCount returns the number of events in the block.
func (b *Block) EventCount() int { return b.facts.Events }

// FinalityStatus returns the finality of the block on Starknet.
func (b *Block) FinalityStatus() scalar.Enum { return scalar.Enum(b.facts.Finality) }

// SourceTier reports whether a reorg can still replace the block.
func (b *Block) SourceTier() scalar.Enum { return scalar.Enum(b.facts.Tier) }

// Verification returns how far the block was checked when it was indexed.
func (b *Block) Verification() scalar.Enum { return scalar.Enum(b.facts.Verification) }

// StateRoot returns the state root after the block.
func (b *Block) StateRoot() starknet.Felt { return b.facts.StateRoot }

// SequencerAddress returns the address of the sequencer.
func (b *Block) SequencerAddress() *starknet.Felt { return b.facts.KnownSequencer() }

// L1DataAvailabilityMode returns how the state diff of the block is published
// on L1.
func (b *Block) L1DataAvailabilityMode() *scalar.Enum { return enumOrNil(b.facts.L1DAMode) }

// StarknetVersion returns the version of the Starknet protocol.
func (b *Block) StarknetVersion() *string { return textOrNil(b.facts.Version) }

// L1GasPrice returns the price of L1 gas.
func (b *Block) L1GasPrice() *GasPrice { return gasPrice(b.facts.L1GasPrice()) }

// L2GasPrice returns the price of L2 gas.
func (b *Block) L2GasPrice() *GasPrice { return gasPrice(b.facts.L2GasPrice()) }

// L1DataGasPrice returns the price of L1 data gas.
func (b *Block) L1DataGasPrice() *GasPrice { return gasPrice(b.facts.L1DataGasPrice()) }

// GasPrice is the price of one unit of gas in each fee token.
type GasPrice struct {
	PriceInWei *domain.Amount
	PriceInFri *domain.Amount
}

func gasPrice(price *chain.GasPrice) *GasPrice {
	if price == nil {
		return nil
	}
	return &GasPrice{amountOrNil(price.Wei), amountOrNil(price.Fri)}
}

// feltAmount converts a felt to an amount.
func feltAmount(f starknet.Felt) domain.Amount {
	return domain.AmountFromBig(starknet.Uint256(f).Big())
}

// Parent returns the parent block.
func (b *Block) Parent(ctx context.Context) (*Block, error) {
	return toOne(ctx, b, "Block.parent", func(b *Block) (starknet.Felt, bool) { return b.facts.ParentHash, b.facts.Number > 0 }, b.blocksByHash())
}

// Sequencer returns the sequencer.
func (b *Block) Sequencer(context.Context) (*Address, error) {
	return toAddress(b, "Block.sequencer", optionalKey((*Block).SequencerAddress))
}

// Transactions returns the transactions of the block, in order.
func (b *Block) Transactions(ctx context.Context, first *int, after *string) (*TransactionConnection, error) {
	return connect(ctx, b, first, after, (*Block).ref, b.transactionsOfBlocks(b.peers), exactly(b.facts.Transactions))
}

// Events returns the events of the block, in order.
func (b *Block) Events(ctx context.Context, first *int, after *string) (*EventConnection, error) {
	page, l, err := toMany(ctx, b, first, after, (*Block).ref, b.eventsOfBlocks(b.peers))
	if err != nil {
		return nil, err
	}
	return page.connection(l, exactly(b.facts.Events)), nil
}

func (b *Block) ref() domain.BlockRef { return b.facts.Ref() }

// factsByRef returns the facts of a cohort of blocks by reference.
func factsByRef(blocks *cohort.Cohort[*Block]) map[domain.BlockRef]*chain.Block {
	known := make(map[domain.BlockRef]*chain.Block, len(blocks.Members))
	for _, b := range blocks.Members {
		known[b.ref()] = b.facts
	}
	return known
}

// The names of the facts by which blocks are looked up.
const (
	blockByHash   = "block by hash"
	blockByNumber = "block by number"
)

// newBlocks makes a cohort of blocks and caches them by hash and by number.
func (on onChain) newBlocks(cache *cohort.Cache, found []*chain.Block) []*Block {
	byHash, byNumber := on.kind(blockByHash), on.kind(blockByNumber)
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
	return blocksBy(on, blockByHash, chain.HashID)
}

func (on onChain) blocksByNumber() lookup[uint64, *chain.Block, *Block] {
	return blocksBy(on, blockByNumber, chain.NumberID)
}

// blocksBy looks up blocks by number or by hash.
func blocksBy[K comparable](on onChain, kind string, id func(K) chain.BlockID) lookup[K, *chain.Block, *Block] {
	return lookup[K, *chain.Block, *Block]{
		factOf(on, kind, func(ctx context.Context, c domain.Chain, keys []K) ([]*chain.Block, error) {
			return on.resolver.Blocks.ByID(ctx, c, convert(keys, id))
		}),
		func(b *cohort.Batch[K, *chain.Block]) []*Block { return on.newBlocks(b.Cache, b.Values) },
	}
}

// convert applies a function to every item of a list.
func convert[A, B any](list []A, into func(A) B) []B {
	out := make([]B, len(list))
	for i, item := range list {
		out[i] = into(item)
	}
	return out
}

// BlockConnection is a page of blocks.
type BlockConnection = Connection[*Block]

// BlockEdge is an edge of a connection with one block and its cursor.
type BlockEdge = Edge[*Block]

// BlockFilter selects blocks.
type BlockFilter struct {
	FromBlock, ToBlock *uint64
	FromTime, ToTime   *time.Time
}

// BlockAtTimestamp is the block closest to a time, on one side and on both.
type BlockAtTimestamp struct {
	Block, PreviousBlock, NextBlock *Block
}

// Block returns a block by number or hash.
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

// Blocks lists blocks by number and time, newest first by default.
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

// countBlocks counts the blocks that are visible to readers.
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

// BlockAtTimestamp returns the block closest to a time.
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
