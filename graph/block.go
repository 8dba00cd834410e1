package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Block is a block.
type Block struct {
	part
	among[*Block]
	facts *chain.Block
}

// blockType is the type of a block's global id.
const blockType = "Block"

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
func (b *Block) FinalityStatus() Word { return Word(b.facts.Finality) }

// SourceTier tells whether the block can still be replaced.
func (b *Block) SourceTier() Word { return Word(b.facts.Tier) }

// StateRoot returns the root of the state after the block.
func (b *Block) StateRoot() starknet.Felt { return b.facts.StateRoot }

// SequencerAddress returns who made the block.
func (b *Block) SequencerAddress() *starknet.Felt { return b.facts.KnownSequencer() }

// L1DataAvailabilityMode returns how the block's data is published on L1.
func (b *Block) L1DataAvailabilityMode() *Word { return wordOrNil(b.facts.L1DAMode) }

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
	return toOne(ctx, b.peers, b, "Block.parent", func(b *Block) (starknet.Felt, bool) { return b.facts.ParentHash, b.facts.Number > 0 }, b.parents)
}

// parents reads the blocks before the peers. In a page most of them are peers
// themselves, next to their children.
func (b *Block) parents(ctx context.Context, hashes []starknet.Felt) ([]*Block, error) {
	var (
		found   = make([]*chain.Block, len(hashes))
		missing []chain.BlockID
		places  []int
	)
	for i, hash := range hashes {
		if found[i] = b.peerNear(i, hash); found[i] == nil {
			missing, places = append(missing, chain.HashID(hash)), append(places, i)
		}
	}
	if len(missing) > 0 {
		read, err := b.h.Blocks.ByID(ctx, b.chain, missing)
		if err != nil {
			return nil, err
		}
		for i, block := range read {
			found[places[i]] = block
		}
	}
	return b.newBlocks(found), nil
}

// peerNear returns the peer of a hash if it stands at a place or next to it.
func (b *Block) peerNear(place int, hash starknet.Felt) *chain.Block {
	for _, near := range [...]int{place + 1, place - 1, place} {
		if near >= 0 && near < len(b.peers.keys) && b.peers.keys[near].facts.Hash == hash {
			return b.peers.keys[near].facts
		}
	}
	return nil
}

// Sequencer returns who made the block.
func (b *Block) Sequencer(ctx context.Context) (*Address, error) {
	return toOne(ctx, b.peers, b, "Block.sequencer", perhaps((*Block).SequencerAddress), b.addresses)
}

// Transactions returns the block's transactions.
func (b *Block) Transactions(ctx context.Context, first *int, after *string) (*TransactionConnection, error) {
	return connect(ctx, b, first, after, b.transactionsOfBlocks, exactly(b.facts.Transactions))
}

// Events returns the block's events.
func (b *Block) Events(ctx context.Context, first *int, after *string) (*EventConnection, error) {
	page, l, err := toMany(ctx, b, first, after, b.eventsOfBlocks)
	if err != nil {
		return nil, err
	}
	return page.connection(l, exactly(b.facts.Events)), nil
}

// newBlocks makes a cohort of blocks.
func (p part) newBlocks(found []*chain.Block) []*Block {
	blocks, made := make([]*Block, len(found)), make([]Block, len(found))
	for i, facts := range found {
		if facts != nil {
			made[i] = Block{part: p, facts: facts}
			blocks[i] = &made[i]
		}
	}
	return together(blocks)
}

func (p part) blocksByID(ctx context.Context, ids []chain.BlockID) ([]*Block, error) {
	found, err := p.h.Blocks.ByID(ctx, p.chain, ids)
	if err != nil {
		return nil, err
	}
	return p.newBlocks(found), nil
}

func (p part) blocksByHash(ctx context.Context, hashes []starknet.Felt) ([]*Block, error) {
	return p.blocksByID(ctx, convert(hashes, chain.HashID))
}

func (p part) blocksByNumber(ctx context.Context, numbers []uint64) ([]*Block, error) {
	return p.blocksByID(ctx, convert(numbers, chain.NumberID))
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
func (r queryResolver) Block(ctx context.Context, id domain.Chain, number *int, hash *starknet.Felt) (*Block, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	name := chain.BlockID{Hash: hash}
	switch {
	case number != nil && *number < 0:
		return nil, domain.Errorf(domain.CodeInvalidRequest, "number must not be negative")
	case number != nil && hash != nil:
		return nil, domain.Errorf(domain.CodeInvalidRequest, "number and hash cannot be combined")
	case number == nil && hash == nil:
		name.Tag = chain.Latest
	case number != nil:
		name = chain.NumberID(uint64(*number))
	}
	found, err := r.h.Blocks.At(ctx, id, name)
	if err != nil {
		return nil, err
	}
	return p.newBlocks([]*chain.Block{found})[0], nil
}

// Blocks pages through the blocks of a chain.
func (r queryResolver) Blocks(ctx context.Context, id domain.Chain, filter *BlockFilter, order Word, first *int, after *string) (*BlockConnection, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	l, err := r.h.list(ctx, "", first, after)
	if err != nil {
		return nil, err
	}
	wanted := chain.BlockFilter{OldestFirst: order == "oldest_first"}
	if filter != nil {
		wanted.From, wanted.To, wanted.Since, wanted.Through = filter.FromBlock, filter.ToBlock, filter.FromTime, filter.ToTime
	}
	page, coverage, err := r.h.Blocks.List(ctx, id, wanted, l.request)
	if err != nil {
		return nil, err
	}
	list := slicesOf([]domain.Page[*chain.Block]{page}, (*chain.Block).Position, func(_ int, facts *chain.Block) *Block {
		return &Block{part: p, facts: facts}
	})
	c := &BlockConnection{slice: covered(list, coverage)[0], list: l}
	if filter == nil {
		c.count = p.countBlocks
	}
	return c, nil
}

// countBlocks counts the blocks that readers can see.
func (p part) countBlocks(ctx context.Context) (total, error) {
	status, err := p.h.statusOf(ctx, p.chain)
	if err != nil {
		return total{}, err
	}
	if status.IndexedBlockSpan == nil {
		return total{new(uint64(0)), true}, nil
	}
	return total{status.IndexedBlockSpan, true}, nil
}

// BlockAtTimestamp returns the block that is closest to a time.
func (r queryResolver) BlockAtTimestamp(ctx context.Context, id domain.Chain, timestamp time.Time, closest Word) (*BlockAtTimestamp, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	found, err := r.h.Blocks.AtTime(ctx, id, timestamp, chain.Closest(closest))
	if err != nil {
		return nil, err
	}
	blocks := p.newBlocks([]*chain.Block{found.Block, found.Previous, found.Next})
	return &BlockAtTimestamp{blocks[0], blocks[1], blocks[2]}, nil
}
