package repo

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// classOf is the class k that is in force for an address w now: the newest of
// contract_classes by primary key.
const classOf = `
	LEFT JOIN LATERAL (
		SELECT k.hash, k.account, k.standard, k.missing OR k.abi IS NULL AS unread
		FROM (SELECT class FROM contract_classes WHERE chain = %[1]d AND address = w.id AND block < ` + firstUnseen + `
			ORDER BY block DESC, origin DESC LIMIT 1) AS h
		JOIN classes k ON k.chain = %[1]d AND k.id = h.class
	) AS k ON true`

// seen tells whether any row of a visible block has to do with an address w:
// one probe each of activity_*_address, transfers_*_receiver,
// transfers_*_sender, events_*_address and messages_*_contract, until one finds
// something. The newest row is asked for, because then the planner goes to it
// directly; asked for any, it may collect all of them first.
const seen = `coalesce(
	(SELECT true FROM activity_%[1]d WHERE address = w.id ORDER BY block DESC LIMIT 1),
	` + received + `,
	(SELECT true FROM transfers_%[1]d WHERE sender = w.id ORDER BY block DESC LIMIT 1),
	(SELECT true FROM events_%[1]d WHERE address = w.id ORDER BY block DESC LIMIT 1),
	(SELECT true FROM messages_%[1]d WHERE contract = w.id ORDER BY block DESC LIMIT 1),
	false)`

// acted tells whether an address w did what only contracts do: it emitted an
// event, found by events_*_address, or one of its newest transactions is its
// own, found by activity_*_address.
const acted = `coalesce(
	(SELECT true FROM events_%[1]d WHERE address = w.id ORDER BY block DESC LIMIT 1),
	(SELECT true FROM (SELECT kinds FROM activity_%[1]d WHERE address = w.id ORDER BY block DESC, tx DESC LIMIT 100) AS newest
		WHERE kinds & %[2]d <> 0 LIMIT 1),
	false)`

const received = `(SELECT true FROM transfers_%[1]d WHERE receiver = w.id ORDER BY block DESC LIMIT 1)`

// addressSummaries counts along activity_*_address, which covers what it reads,
// and finds everything else by keys.
const addressSummaries = `/* address.summaries */
	SELECT o.n, a.n > 0 OR k.hash IS NOT NULL OR ` + seen + `, a.n, a.items, a.latest,
		k.hash, CASE WHEN NOT k.unread THEN k.account END,
		(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = d.block),
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = d.block AND tx = d.tx),
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = d.deployer)
	FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
	JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt
	CROSS JOIN LATERAL (
		SELECT count(*) AS n, coalesce(sum(items), 0) AS items, max(block) AS latest FROM (
			SELECT block, items FROM activity_%[1]d WHERE address = w.id ORDER BY block DESC, tx DESC LIMIT %[2]d) AS newest
	) AS a` + classOf + `
	LEFT JOIN LATERAL (
		SELECT block, tx, deployer FROM deployments WHERE chain = %[1]d AND address = w.id AND block < ` + firstUnseen + `
		ORDER BY block DESC LIMIT 1
	) AS d ON true`

// SummariesOf implements address.Store.
func (db *DB) SummariesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt, count int) ([]address.Evidence, error) {
	found, err := collect(ctx, db, scanEvidence, fmt.Sprintf(addressSummaries, chainCode(c), count), feltBytes(addresses))
	return onePerParent(found, len(addresses)), err
}

func scanEvidence(row pgx.CollectableRow) (found child[address.Evidence], err error) {
	e, created := &found.row, (*int64)(nil)
	err = row.Scan(&found.parent, &e.Seen, &e.Counted, &e.Items, &e.LatestBlock, &e.Class, &e.Account, &created, &e.DeployedAtTx, &e.DeployedBy)
	if created != nil {
		e.CreatedAt = new(time.Unix(*created, 0).UTC())
	}
	return found, err
}

// onePerParent gives each of n parents its row; a parent without one has the
// zero value.
func onePerParent[T any](children []child[T], n int) []T {
	list := make([]T, n)
	for i := range children {
		list[children[i].parent-1] = children[i].row
	}
	return list
}

// addressProfiles finds everything by keys. An address that the index has never
// seen can have a label.
const addressProfiles = `/* address.profiles */
	SELECT o.n, ` + notedColumns + `, k.hash IS NOT NULL OR t.standard IS NOT NULL OR ` + seen + `,
		coalesce(k.account, false), coalesce(t.standard, k.standard, 0),
		coalesce(` + received + `, false), ` + acted + `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
	LEFT JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt` + classOf + `
	LEFT JOIN tokens t ON t.chain = %[1]d AND t.address = w.id AND t.block < ` + firstUnseen + noteOf

// ProfilesOf implements address.Store.
func (db *DB) ProfilesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]address.Sight, error) {
	found, err := collect(ctx, db, scanSight, fmt.Sprintf(addressProfiles, chainCode(c), facts.TxSent), feltBytes(addresses))
	return onePerParent(found, len(addresses)), err
}

func scanSight(row pgx.CollectableRow) (found child[address.Sight], err error) {
	var (
		noted    notedRow
		standard int
	)
	err = row.Scan(noted.targets(&found.parent, &found.row.Seen, &found.row.Account, &standard, &found.row.Received, &found.row.Acted)...)
	if err == nil {
		found.row.Noted, found.row.Standard = noted.noted(), standards[standard]
	}
	return found, err
}
