package onchain

import (
	"context"
	"fmt"
	"math"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Blocks reads the headers of blocks.
type Blocks struct{ db *repo.DB }

var (
	_ chain.BlockStore      = Blocks{}
	_ chain.FinalizedBlocks = Blocks{}
)

// NewBlocks returns the repository of blocks.
func NewBlocks(db *repo.DB) Blocks { return Blocks{db} }

// blockColumns are the columns of a header.
const blockColumns = "block, l1_da_mode, timestamp, tx_count, event_count, hash, parent_hash, state_root, sequencer, prices, version, verification"

// columnsOfB are the same columns, qualified for a block b.
var columnsOfB = "b." + strings.ReplaceAll(blockColumns, ", ", ", b.")

// The statements that find blocks by ID. The first column of a row is the
// position of its ID in the arguments, counted from 1.
var (
	// Uses blocks_…_place.
	blocksByNumber = `/* block.by_number */
		SELECT p.n, ` + columnsOfB + withNumbers

	withNumbers = `
		FROM unnest($1::integer[]) WITH ORDINALITY AS p (block, n)
		CROSS JOIN LATERAL (SELECT ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND block = p.block LIMIT 1) b`

	// Uses locators_tag, then blocks_…_place. A locator has only part of the
	// hash, so the whole hash is compared with the block.
	blocksByHash = `/* block.by_hash */
		SELECT p.n, ` + columnsOfB + withHashes

	withHashes = `
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, n)
		CROSS JOIN LATERAL (SELECT block FROM locators WHERE tag = locator_tag(p.hash) AND kind = 1 AND chain = %[1]d OFFSET 0) l
		CROSS JOIN LATERAL (SELECT ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND block = l.block AND hash = p.hash LIMIT 1) b`

	// Uses blocks_…_place, from the newest partition backwards.
	latestBlock = `/* block.latest */
		SELECT 1::bigint AS n, ` + columnsOfB + ` FROM blocks b WHERE b.chain = %[1]d ORDER BY b.block DESC LIMIT 1`

	// All three in one statement, so that they see one snapshot: numbers, then
	// hashes, then the newest block if requested.
	blocksByID = `/* block.by_id */
		SELECT p.n, ` + columnsOfB + withNumbers + `
		UNION ALL
		SELECT cardinality($1) + p.n, ` + columnsOfB + strings.Replace(withHashes, "$1", "$2", 1) + `
		UNION ALL (
			SELECT cardinality($1) + cardinality($2) + 1, ` + columnsOfB + `
			FROM blocks b WHERE b.chain = %[1]d AND $3::boolean ORDER BY b.block DESC LIMIT 1)`
)

// Headers implements chain.BlockStore.
func (r Blocks) Headers(ctx context.Context, c domain.Chain, ids []chain.BlockID) ([]*facts.Header, error) {
	headers := make([]*facts.Header, len(ids))
	asked := sortIDs(ids)
	if asked.none() {
		return headers, nil
	}
	type row struct {
		N int64 `bun:"n"`
		model.Block
	}
	statement, arguments := asked.statement()
	rows, err := read(ctx, r.db, facts.TableBlocks, func(row *row) model.BlockNumber { return row.Block.Block },
		repo.Text(statement, model.Code(c)), arguments...)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		header, err := headerOf(&rows[i].Block)
		if err != nil {
			return nil, err
		}
		for _, place := range asked.places(int(rows[i].N)) {
			headers[place] = header
		}
	}
	return headers, nil
}

// blockIDs are block IDs grouped by kind, each with its position in the
// requested list. IDs that cannot name a block are left out.
type blockIDs struct {
	numbers []int32
	hashes  [][]byte
	named   []int // the positions of numbers, then those of hashes
	latest  []int // the positions of the newest block
}

func sortIDs(ids []chain.BlockID) blockIDs {
	var byHash []int
	sorted := blockIDs{numbers: []int32{}, hashes: [][]byte{}} // a nil slice would become NULL, which has no cardinality
	for i, id := range ids {
		switch {
		case id.Number != nil && *id.Number <= math.MaxInt32:
			sorted.numbers, sorted.named = append(sorted.numbers, int32(*id.Number)), append(sorted.named, i)
		case id.Hash != nil:
			sorted.hashes, byHash = append(sorted.hashes, id.Hash[:]), append(byHash, i)
		case id.Tag == chain.Latest:
			sorted.latest = append(sorted.latest, i)
		}
	}
	sorted.named = append(sorted.named, byHash...)
	return sorted
}

func (b *blockIDs) none() bool { return len(b.named)+len(b.latest) == 0 }

// statement returns the statement that finds all blocks, and its arguments.
func (b *blockIDs) statement() (string, []any) {
	switch {
	case len(b.named)+len(b.latest) == len(b.numbers):
		return blocksByNumber, []any{b.numbers}
	case len(b.named)+len(b.latest) == len(b.hashes):
		return blocksByHash, []any{b.hashes}
	case len(b.named) == 0:
		return latestBlock, nil
	default:
		return blocksByID, []any{b.numbers, b.hashes, len(b.latest) > 0}
	}
}

// places returns the positions of a statement's n-th block in the requested
// list.
func (b *blockIDs) places(n int) []int {
	if n > len(b.named) {
		return b.latest
	}
	return b.named[n-1 : n]
}

// headerOf converts a row to a header.
func headerOf(b *model.Block) (*facts.Header, error) {
	h := &facts.Header{
		Number: uint64(b.Block), Hash: b.Hash, ParentHash: b.ParentHash, StateRoot: b.StateRoot, Sequencer: b.Sequencer,
		Timestamp: uint64(b.Timestamp), Version: b.Version, L1DAMode: starknet.L1DAMode(b.L1DAMode), Verification: facts.Verification(b.Verification),
		Transactions: int(b.TxCount), Events: int(b.EventCount),
	}
	if len(b.Prices) != 6 {
		return nil, &indexing.DamageError{Table: facts.TableBlocks, Block: &h.Number, What: fmt.Sprintf("there are %d prices instead of 6", len(b.Prices))}
	}
	h.L1Gas = starknet.ResourcePrice{PriceInWei: b.Prices[0], PriceInFri: b.Prices[1]}
	h.L1DataGas = starknet.ResourcePrice{PriceInWei: b.Prices[2], PriceInFri: b.Prices[3]}
	h.L2Gas = starknet.ResourcePrice{PriceInWei: b.Prices[4], PriceInFri: b.Prices[5]}
	return h, nil
}

// The statements of block lists use blocks_…_place, partition by partition.
const (
	blocksDown = `/* block.list */
		SELECT ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND block >= $1 AND block <= $2 ORDER BY block DESC LIMIT %[2]d`
	blocksUp = `/* block.list */
		SELECT ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND block >= $1 AND block <= $2 ORDER BY block ASC LIMIT %[2]d`
)

// HeadersBetween implements chain.BlockStore.
func (r Blocks) HeadersBetween(ctx context.Context, c domain.Chain, blocks chain.BlockRange, oldestFirst bool, limit int) ([]*facts.Header, error) {
	statement := blocksDown
	if oldestFirst {
		statement = blocksUp
	}
	rows, err := read(ctx, r.db, facts.TableBlocks, func(row *model.Block) model.BlockNumber { return row.Block },
		repo.Text(statement, model.Code(c), repo.RowsFor(limit)), model.ClipBlock(blocks.From), model.ClipBlock(blocks.To))
	if err != nil {
		return nil, err
	}
	headers := make([]*facts.Header, len(rows))
	for i := range rows {
		if headers[i], err = headerOf(&rows[i]); err != nil {
			return nil, err
		}
	}
	return headers, nil
}

// blocksAtTime finds the newest block at or before a second ($1) and the oldest at
// or after another ($2), by blocks_…_time.
const blocksAtTime = `/* block.at_time */
	(SELECT true AS before, ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND timestamp <= $1 ORDER BY timestamp DESC, block DESC LIMIT 1)
	UNION ALL
	(SELECT false AS before, ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND timestamp >= $2 ORDER BY timestamp, block LIMIT 1)`

// HeadersAtTime implements chain.BlockStore.
func (r Blocks) HeadersAtTime(ctx context.Context, c domain.Chain, notAfter, notBefore int64) (before, after *facts.Header, err error) {
	type row struct {
		Before bool `bun:"before"`
		model.Block
	}
	rows, err := read(ctx, r.db, facts.TableBlocks, func(row *row) model.BlockNumber { return row.Block.Block },
		repo.Text(blocksAtTime, model.Code(c)), notAfter, notBefore)
	if err != nil {
		return nil, nil, err
	}
	for i := range rows {
		side := &after
		if rows[i].Before {
			side = &before
		}
		if *side, err = headerOf(&rows[i].Block); err != nil {
			return nil, nil, err
		}
	}
	return before, after, nil
}

// The statements of finalized blocks.
const (
	// Uses blocks_…_place.
	finalizedByNumber = `/* block.finalized */
		SELECT b.block, b.hash FROM blocks b JOIN index_checkpoints c ON c.chain = %[1]d
		WHERE b.chain = %[1]d AND b.block = $1 AND b.block <= c.finalized_block`

	// Uses locators_tag, then blocks_…_place.
	finalizedByHash = `/* block.finalized_hash */
		SELECT b.block, b.hash FROM locators l
		CROSS JOIN LATERAL (SELECT block, hash FROM blocks WHERE chain = %[1]d AND block = l.block LIMIT 1) b
		JOIN index_checkpoints c ON c.chain = %[1]d
		WHERE l.tag = locator_tag($1) AND l.chain = %[1]d AND l.kind = 1 AND b.hash = $1 AND b.block <= c.finalized_block`
)

// FinalizedBlock implements chain.FinalizedBlocks.
func (r Blocks) FinalizedBlock(ctx context.Context, c domain.Chain, id chain.BlockID) (*domain.BlockRef, error) {
	var (
		statement string
		argument  any
	)
	switch {
	case id.Number != nil && *id.Number <= math.MaxInt32:
		statement, argument = finalizedByNumber, int64(*id.Number)
	case id.Hash != nil:
		statement, argument = finalizedByHash, id.Hash[:]
	default:
		return nil, nil
	}
	rows, err := repo.Select[model.Block](ctx, r.db.Read(), repo.Text(statement, model.Code(c)), argument)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &domain.BlockRef{Number: uint64(rows[0].Block), Hash: rows[0].Hash}, nil
}
