package repo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
)

// shownBlock are the columns of a block b.
var shownBlock = "b." + strings.ReplaceAll(blockColumns, ", ", ", b.")

// The statements of blocks by their names. Each row begins with the number of
// the name that it was found for, from 1 on.
var (
	// By the place of a range's blocks.
	blocksByNumber = `/* block.by_number */
		SELECT p.n, ` + shownBlock + `
		FROM unnest($1::integer[]) WITH ORDINALITY AS p (block, n)
		CROSS JOIN LATERAL (SELECT ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND block = p.block LIMIT 1) b`

	// By locators_tag, then by the place of a range's blocks. A locator shows
	// where to compare the whole hash.
	blocksByHash = `/* block.by_hash */
		SELECT p.n, ` + shownBlock + `
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, n)
		CROSS JOIN LATERAL (SELECT block FROM locators WHERE tag = locator_tag(p.hash) AND kind = 1 AND chain = %[1]d OFFSET 0) l
		CROSS JOIN LATERAL (SELECT ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND block = l.block AND hash = p.hash LIMIT 1) b`

	// By the place of blocks, from the newest range on.
	latestBlock = `/* block.latest */
		SELECT 1::bigint, ` + shownBlock + ` FROM blocks b WHERE b.chain = %[1]d ORDER BY b.block DESC LIMIT 1`
)

// named are the blocks that one statement finds, by their places among those
// that were asked for.
type named struct {
	statement string
	argument  any
	places    []int
}

// Headers implements chain.BlockStore.
func (db *DB) Headers(ctx context.Context, c domain.Chain, ids []chain.BlockID) ([]*facts.Header, error) {
	headers := make([]*facts.Header, len(ids))
	questions := blockQuestions(ids)
	if len(questions) == 0 {
		return headers, nil
	}
	err := db.look(ctx, func(b *pgx.Batch) {
		for _, q := range questions {
			var arguments []any
			if q.argument != nil {
				arguments = append(arguments, q.argument)
			}
			b.Queue(fmt.Sprintf(q.statement, chainCode(c)), arguments...).Query(func(rows pgx.Rows) error {
				return visitRows(rows, func(f *fields) error {
					n := f.int8()
					header, err := scanHeader(f)
					if q.argument != nil {
						headers[q.places[n-1]] = header
						return err
					}
					for _, place := range q.places {
						headers[place] = header
					}
					return err
				})
			})
		}
	})
	return headers, err
}

// blockQuestions sorts the names of blocks by the statement that finds them.
func blockQuestions(ids []chain.BlockID) (questions []named) {
	var (
		numbers []int32
		hashes  [][]byte

		byNumber = named{statement: blocksByNumber}
		byHash   = named{statement: blocksByHash}
		latest   = named{statement: latestBlock}
	)
	for i, id := range ids {
		switch {
		case id.Number != nil && *id.Number <= math.MaxInt32:
			numbers, byNumber.places = append(numbers, int32(*id.Number)), append(byNumber.places, i)
		case id.Hash != nil:
			hashes, byHash.places = append(hashes, id.Hash[:]), append(byHash.places, i)
		case id.Tag == chain.Latest:
			latest.places = append(latest.places, i)
		}
	}
	byNumber.argument, byHash.argument = numbers, hashes
	for _, q := range []named{byNumber, byHash, latest} {
		if len(q.places) > 0 {
			questions = append(questions, q)
		}
	}
	return questions
}

// scanHeader reads the columns of a block.
func scanHeader(f *fields) (*facts.Header, error) {
	header := storedHeader(f)
	if f.bad {
		return nil, damaged(facts.TableBlocks, header.Number, "a value is malformed")
	}
	return &header, nil
}

// blocksBetween goes along the place of blocks, range by range.
const blocksBetween = `/* block.list */
	SELECT ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND block >= $1 AND block <= $2 ORDER BY block %[3]s LIMIT %[2]d`

// HeadersBetween implements chain.BlockStore.
func (db *DB) HeadersBetween(ctx context.Context, c domain.Chain, blocks chain.BlockRange, oldestFirst bool, limit int) ([]*facts.Header, error) {
	order := "DESC"
	if oldestFirst {
		order = "ASC"
	}
	headers := make([]*facts.Header, 0, limit+1)
	err := visit(ctx, db, func(f *fields) error {
		header, err := scanHeader(f)
		headers = append(headers, header)
		return err
	}, fmt.Sprintf(blocksBetween, chainCode(c), rowsFor(limit), order), clipped(blocks.From), clipped(blocks.To))
	return headers, err
}

// clipped is a block number as it is stored; there is no block beyond the last.
func clipped(number uint64) int32 { return int32(min(number, math.MaxInt32)) }

// blocksAtTime finds a block by the time of each range's blocks, and its
// neighbours by their place.
const blocksAtTime = `/* block.at_time */
	SELECT n.at, %[3]s
	FROM (
		SELECT block AS at FROM blocks WHERE chain = %[1]d AND timestamp %[2]s
	) n
	CROSS JOIN LATERAL (
		SELECT ` + blockColumns + ` FROM blocks WHERE chain = %[1]d AND block BETWEEN n.at - 1 AND n.at + 1 ORDER BY block LIMIT 3
	) b`

// The two sides of a time.
const (
	notYounger = "<= $1 ORDER BY timestamp DESC, block DESC LIMIT 1"
	notOlder   = ">= $1 ORDER BY timestamp, block LIMIT 1"
)

// HeadersAtTime implements chain.BlockStore.
func (db *DB) HeadersAtTime(ctx context.Context, c domain.Chain, second int64, closest chain.Closest) (number uint64, around []*facts.Header, err error) {
	side := notYounger
	if closest == chain.ClosestAfter {
		side = notOlder
	}
	err = visit(ctx, db, func(f *fields) error {
		number = uint64(f.int4())
		header, err := scanHeader(f)
		if err == nil {
			around = append(around, header)
		}
		return err
	}, fmt.Sprintf(blocksAtTime, chainCode(c), side, shownBlock), second)
	slices.SortFunc(around, func(a, b *facts.Header) int { return cmp.Compare(a.Number, b.Number) })
	return number, around, err
}
