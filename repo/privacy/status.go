package privacy

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Status reads the standing of pools.
type Status struct{ db *repo.DB }

var _ privacy.StatusStore = Status{}

// NewStatus returns the repository of the standing of pools.
func NewStatus(db *repo.DB) Status { return Status{db} }

// placeRow is the place of an event.
type placeRow struct {
	Block model.BlockNumber `bun:"block"`
	Tx    model.Index       `bun:"tx"`
	Log   model.Index       `bun:"log"`
}

// only returns the only place of a result, or nil.
func only(rows []placeRow) *privacy.Place {
	if len(rows) == 0 {
		return nil
	}
	return new(placeOf(rows[0].Block, rows[0].Tx, rows[0].Log))
}

// poolRow is a row of poolsOf: a pool with the newest event that it emitted.
type poolRow struct {
	Address starknet.Felt      `bun:"address"`
	Block   *model.BlockNumber `bun:"block"`
	Tx      *model.Index       `bun:"tx"`
	Log     *model.Index       `bun:"log"`
}

// poolsOf finds the newest event of each pool by events_…_address.
const poolsOf = `/* privacy.pools_with_newest */
	SELECT (SELECT felt FROM addresses WHERE chain = %[1]d AND id = q.address) AS address, e.block, e.tx, e.log
	FROM privacy_pools q
	LEFT JOIN LATERAL (
		SELECT block, tx, log FROM events WHERE chain = %[1]d AND address = q.address
		ORDER BY block DESC, tx DESC, log DESC LIMIT 1
	) e ON true
	WHERE q.chain = %[1]d`

// ledgerRow is a row of ledgerOf.
type ledgerRow struct {
	Version    int64              `bun:"version"`
	Block      *model.BlockNumber `bun:"block"` // nil: the ledger is empty
	EventBlock *model.BlockNumber `bun:"event_block"`
	EventTx    *model.Index       `bun:"event_tx"`
	EventLog   *model.Index       `bun:"event_log"`
	Wallets    int64              `bun:"wallets"`
}

// ledgerOf reads where the ledger stands, by primary keys.
const ledgerOf = `/* privacy.standing */
	SELECT block, event_block, event_tx, event_log, wallets,
		coalesce((SELECT version FROM deriver_versions WHERE chain = %[1]d AND fact = 'privacy_events'), 0)::bigint AS version
	FROM privacy_ledgers WHERE chain = %[1]d`

// countRow is how many events of a variant there are.
type countRow struct {
	Variant model.PoolVariant `bun:"variant"`
	Events  int64             `bun:"events"`
	Unread  int64             `bun:"unread"`
	Wallets int64             `bun:"wallets"`
}

// foldedCounts reads the counts of the ledger, of which each pool has a few, by
// primary key.
const foldedCounts = `/* privacy.counts */
	SELECT variant, sum(events)::bigint AS events, 0::bigint AS unread, 0::bigint AS wallets
	FROM privacy_counts WHERE chain = %[1]d GROUP BY variant`

// aboveLedger selects the newest events above the block $1, at most %[2]d, by
// the primary key of privacy_events.
const aboveLedger = `
	SELECT block, tx, log, variant, reading, party FROM privacy_events
	WHERE chain = %[1]d AND block > $1 AND block < ` + firstUnseen + `
	ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d`

// aboveCounts counts them, and their wallets that are not in the ledger: all of
// them if it is empty.
const aboveCounts = `/* privacy.above */
	WITH above AS MATERIALIZED (` + aboveLedger + `)
	SELECT variant, count(*) AS events, count(*) FILTER (WHERE reading = 2) AS unread,
		count(DISTINCT party) FILTER (WHERE variant = 1 AND reading = 0 AND NOT EXISTS (
			SELECT FROM privacy_wallets w WHERE w.chain = %[1]d AND w.address = above.party AND $1 >= 0)) AS wallets
	FROM above GROUP BY variant`

const (
	// newestEvent is the newest event of all pools, by primary key.
	newestEvent = `/* privacy.newest */
	SELECT block, tx, log FROM privacy_events WHERE chain = %[1]d AND block < ` + firstUnseen + `
	ORDER BY block DESC, tx DESC, log DESC LIMIT 1`
	// newestDecoded is the newest of the events of aboveLedger whose class was
	// available.
	newestDecoded = `/* privacy.newest_decoded */
	SELECT block, tx, log FROM (` + aboveLedger + `) above WHERE reading <> 2
	ORDER BY block DESC, tx DESC, log DESC LIMIT 1`
)

// Standing implements privacy.StatusStore.
func (r Status) Standing(ctx context.Context, c domain.Chain, most int) (s privacy.Standing, err error) {
	code := model.Code(c)
	err = r.db.Read().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		pools, err := repo.Select[poolRow](ctx, tx, repo.Text(poolsOf, code))
		if err != nil {
			return err
		}
		s.Pools, s.NewestRaw = readPools(pools)
		newest, err := repo.Select[placeRow](ctx, tx, repo.Text(newestEvent, code))
		if err != nil {
			return err
		}
		s.Newest = only(newest)
		through, err := readLedger(ctx, tx, code, &s)
		if err != nil {
			return err
		}
		return readAbove(ctx, tx, code, through, most, &s)
	})
	return s, repo.Failure(ctx, err)
}

// readPools returns the pools in the order of their addresses, and the newest
// event of all.
func readPools(rows []poolRow) (pools []starknet.Felt, newest *privacy.Place) {
	pools = make([]starknet.Felt, len(rows))
	for i := range rows {
		pools[i] = rows[i].Address
		if rows[i].Block == nil {
			continue
		}
		if at := placeOf(*rows[i].Block, *rows[i].Tx, *rows[i].Log); newest == nil || at.Compare(*newest) > 0 {
			newest = &at
		}
	}
	slices.SortFunc(pools, starknet.Felt.Cmp)
	return pools, newest
}

// readLedger reads the counts of the ledger and returns its block, -1 if it is
// empty.
func readLedger(ctx context.Context, tx bun.Tx, code int, s *privacy.Standing) (through int32, err error) {
	rows, err := repo.Select[ledgerRow](ctx, tx, repo.Text(ledgerOf, code))
	if err != nil || len(rows) == 0 {
		return -1, err
	}
	ledger := &rows[0]
	s.Current = ledger.Version == int64(facts.Versions["privacy_events"])
	if ledger.Block == nil {
		return -1, nil
	}
	s.Wallets = uint64(ledger.Wallets)
	if ledger.EventBlock != nil && ledger.EventTx != nil && ledger.EventLog != nil {
		s.FoldedThrough = new(placeOf(*ledger.EventBlock, *ledger.EventTx, *ledger.EventLog))
	}
	counts, err := repo.Select[countRow](ctx, tx, repo.Text(foldedCounts, code))
	s.Folded = privacy.Counts{}
	for i := range counts {
		s.Folded[facts.PoolVariant(counts[i].Variant)] = uint64(counts[i].Events)
	}
	return int32(*ledger.Block), err
}

// readAbove counts the events above a block.
func readAbove(ctx context.Context, tx bun.Tx, code int, block int32, most int, s *privacy.Standing) error {
	counts, err := repo.Select[countRow](ctx, tx, repo.Text(aboveCounts, code, most+1), block)
	if err != nil {
		return err
	}
	s.Above = privacy.Counts{}
	for i := range counts {
		row := &counts[i]
		s.Above[facts.PoolVariant(row.Variant)] = uint64(row.Events)
		s.Unread += uint64(row.Unread)
		s.NewWallets += uint64(row.Wallets)
	}
	s.More = s.Above.Total() > uint64(most)
	decoded, err := repo.Select[placeRow](ctx, tx, repo.Text(newestDecoded, code, most+1), block)
	s.NewestDecoded = only(decoded)
	return err
}
