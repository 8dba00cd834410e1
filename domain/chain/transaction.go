package chain

import (
	"context"
	"encoding/binary"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// TxFacts is a transaction with its receipt and position. It is shared and must
// not be modified.
type TxFacts struct {
	facts.Transaction
	Block     domain.BlockRef
	Timestamp uint64 // of the block, in Unix seconds
}

// Place returns the position of the transaction.
func (t *TxFacts) Place() TxPlace { return TxPlace{t.Block.Number, t.Index} }

// Time returns the block's timestamp.
func (t *TxFacts) Time() time.Time { return time.Unix(int64(t.Timestamp), 0).UTC() }

// Gas returns the gas that the transaction used, nil if it is unknown: a node
// writes zeros in the receipts of old blocks, but no transaction runs without
// gas.
func (t *TxFacts) Gas() *starknet.ExecutionResources {
	if t.Resources == (starknet.ExecutionResources{}) {
		return nil
	}
	return &t.Resources
}

// Transaction is a transaction with its finality.
type Transaction struct {
	*TxFacts
	Finality FinalityStatus
	Tier     Tier
}

// TxLine is a transaction in a list.
type TxLine struct {
	Place    TxPlace
	Hash     starknet.Felt
	Type     starknet.TransactionType
	Sender   *starknet.Felt
	Contract *starknet.Felt
	Reverted bool
	Finality FinalityStatus
	Tier     Tier
}

// Execution says whether the transaction succeeded or was reverted.
func Execution(reverted bool) starknet.ExecutionStatus {
	if reverted {
		return starknet.Reverted
	}
	return starknet.Succeeded
}

// TransactionStore reads the transactions that readers can see.
type TransactionStore interface {
	// TransactionsByHash returns each transaction, nil where there is none.
	TransactionsByHash(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*TxFacts, error)
	// TransactionsOfBlocks returns up to limit+1 transactions of each block
	// after an index, in order. held says whether the block is indexed, by its
	// hash.
	TransactionsOfBlocks(ctx context.Context, c domain.Chain, blocks []domain.BlockRef, after, limit int) (lines [][]TxLine, held []bool, err error)
	// Outlines returns the outline of each transaction, nil where there is none.
	Outlines(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*TxOutline, error)
	// FunctionNames returns names that classes have for the selectors, in
	// their order; empty where none is known.
	FunctionNames(ctx context.Context, c domain.Chain, selectors []starknet.Felt) ([]string, error)
	// CallAnswers returns the lookups for decoding calls.
	CallAnswers(ctx context.Context, c domain.Chain, asked CallLookups) (CallAnswers, error)
}

// Transactions reads transactions and their account calls.
type Transactions struct {
	store           TransactionStore
	blocks          *Blocks
	classes         *CompiledClasses
	implementations *Implementations
	statuses        *Statuses
	cache           *Cache
}

// NewTransactions makes the service.
func NewTransactions(store TransactionStore, blocks *Blocks, classes *CompiledClasses, implementations *Implementations, statuses *Statuses, cache *Cache) *Transactions {
	return &Transactions{store, blocks, classes, implementations, statuses, cache}
}

// ByHash returns each transaction, nil where the index has none of that hash.
func (s *Transactions) ByHash(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*Transaction, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	found := make([]*Transaction, len(hashes))
	var (
		asked  []starknet.Felt
		places []int
	)
	for i, hash := range hashes {
		if known, ok := s.cache.Recall(CacheKey{Kind: CachedTransaction, Chain: c, Hash: hash}, horizon); ok {
			found[i] = horizon.transaction(known.(*TxFacts))
			continue
		}
		asked, places = append(asked, hash), append(places, i)
	}
	if len(asked) == 0 {
		return found, nil
	}
	read, err := s.store.TransactionsByHash(ctx, c, asked)
	if err != nil {
		return nil, err
	}
	for i, tx := range read {
		if tx != nil {
			found[places[i]] = horizon.transaction(tx)
			s.cache.Remember(CacheKey{Kind: CachedTransaction, Chain: c, Hash: tx.Hash}, horizon, tx.Block.Number, tx, tx.weight())
		}
	}
	return found, nil
}

// transaction stamps a transaction with how far the chain has come.
func (h Horizon) transaction(tx *TxFacts) *Transaction {
	return &Transaction{tx, h.Finality(tx.Block.Number), h.Tier(tx.Block.Number)}
}

// weight is about how many bytes the transaction takes.
func (t *TxFacts) weight() int {
	return 700 + t.Felts()*len(starknet.Felt{}) + len(t.RevertReason)
}

// OfBlocks returns a page of the transactions of each block in their order, and
// nil where the index does not hold the block any more. The request's position
// must be of the very block.
func (s *Transactions) OfBlocks(ctx context.Context, c domain.Chain, blocks []domain.BlockRef, page domain.PageRequest) ([]*domain.Page[TxLine], error) {
	after := -1
	if page.After != nil {
		for _, block := range blocks {
			if !ofBlock(page.After, block) {
				return nil, domain.InvalidCursor("A reorg replaced the block of the cursor.")
			}
		}
		after = int(page.After[1]) //nolint:gosec // We wrote it, and it is authentic.
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	pages := make([]*domain.Page[TxLine], len(blocks))
	asked, places := s.recallLines(c, blocks, page, horizon, pages)
	if len(asked) == 0 {
		return pages, nil
	}
	lists, held, err := s.store.TransactionsOfBlocks(ctx, c, asked, after, page.Limit)
	if err != nil {
		return nil, err
	}
	for i, lines := range lists {
		if held[i] {
			pages[places[i]] = s.linePage(c, asked[i], lines, page, horizon)
		}
	}
	return pages, nil
}

// recallLines fills the pages that are remembered and returns the other blocks
// with their places.
func (s *Transactions) recallLines(c domain.Chain, blocks []domain.BlockRef, page domain.PageRequest, h Horizon, pages []*domain.Page[TxLine]) (asked []domain.BlockRef, places []int) {
	for i, block := range blocks {
		if page.After == nil {
			if known, ok := s.cache.Recall(linesKey(c, block, page), h); ok {
				pages[i] = h.lines(known.(*domain.Page[TxLine]))
				continue
			}
		}
		asked, places = append(asked, block), append(places, i)
	}
	return asked, places
}

// lineWeight is about how many bytes a line takes with its felts.
const lineWeight = 250

// linePage cuts a page and remembers it if it is a first one.
func (s *Transactions) linePage(c domain.Chain, block domain.BlockRef, lines []TxLine, page domain.PageRequest, h Horizon) *domain.Page[TxLine] {
	cut := domain.CutPage(lines, page.Limit, func(line TxLine) domain.Position { return LinePosition(block, line.Place.Tx) })
	if page.After == nil {
		s.cache.Remember(linesKey(c, block, page), h, block.Number, &cut, len(lines)*lineWeight)
	}
	return h.lines(&cut)
}

func linesKey(c domain.Chain, block domain.BlockRef, page domain.PageRequest) CacheKey {
	return CacheKey{Kind: CachedBlockLines, Chain: c, Hash: block.Hash, Limit: page.Limit}
}

// lines stamps a copy of a page with how far the chain has come.
func (h Horizon) lines(page *domain.Page[TxLine]) *domain.Page[TxLine] {
	stamped := domain.Page[TxLine]{Items: make([]TxLine, len(page.Items)), Next: page.Next}
	for i, line := range page.Items {
		line.Finality, line.Tier = h.Finality(line.Place.Block), h.Tier(line.Place.Block)
		stamped.Items[i] = line
	}
	return &stamped
}

// LinePosition is a position in the list of a block's transactions. It includes
// a part of the block hash, so that a list does not continue in another block
// after a reorg.
func LinePosition(block domain.BlockRef, index int) domain.Position {
	return domain.Position{block.Number, uint64(index), binary.BigEndian.Uint64(block.Hash[24:])} //nolint:gosec // An index is not negative.
}

func ofBlock(p domain.Position, block domain.BlockRef) bool {
	return len(p) == 3 && p[0] == block.Number && p[2] == binary.BigEndian.Uint64(block.Hash[24:])
}

// attempts is how often blocks are read again after a reorg replaced them
// between two reads.
const attempts = 3

// Replaced is the service_unavailable of a read that reorgs interrupted
// repeatedly.
func Replaced() error {
	return domain.Unavailable(time.Second, nil, "Reorgs kept replacing the requested blocks during the read. Retry.")
}

// BlockTransactions is a page of a block's transactions, and whether they are
// those of the requested block.
type BlockTransactions struct {
	domain.Page[TxLine]
	Coverage domain.Coverage
}

// OfBlock returns a block and a page of its transactions, both of one chain:
// never a header with the transactions of the block that replaced it. It is
// not_found when the index has no such block. A page that is not the first is
// of the block of the first page, whatever block has its name by now.
//
// A block that is there is there with all its transactions; but the latest one
// may be another than that of the index.
func (s *Transactions) OfBlock(ctx context.Context, c domain.Chain, id BlockID, page domain.PageRequest) (*Block, BlockTransactions, error) {
	if page.After != nil {
		id = NumberID(page.After[0])
	}
	for range attempts {
		horizon, err := s.statuses.Horizon(ctx, c)
		if err != nil {
			return nil, BlockTransactions{}, err
		}
		blocks, err := s.blocks.byID(ctx, c, []BlockID{id}, horizon)
		if err != nil {
			return nil, BlockTransactions{}, err
		}
		if blocks[0] == nil {
			return nil, BlockTransactions{}, absentBlock(id, horizon)
		}
		pages, err := s.OfBlocks(ctx, c, []domain.BlockRef{blocks[0].Ref()}, page)
		if err != nil {
			return nil, BlockTransactions{}, err
		}
		if pages[0] != nil {
			found := BlockTransactions{Page: *pages[0], Coverage: domain.Coverage{Status: domain.CoverageExact}}
			if id.Tag == Latest {
				found.Coverage = horizon.Between(&blocks[0].Number, nil)
			}
			return blocks[0], found, nil
		}
	}
	return nil, BlockTransactions{}, Replaced()
}
