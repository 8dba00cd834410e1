package addresses

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// classOf is the class k that is in force for an address w now: the newest of
// contract_classes by primary key.
const classOf = `
	LEFT JOIN LATERAL (
		SELECT k.hash, k.account, k.standard, k.missing OR k.abi IS NULL AS unread, NOT (k.sierra OR k.account) AS may_be_proxy
		FROM (SELECT class FROM contract_classes WHERE chain = %[1]d AND address = w.id AND block < ` + firstUnseen + `
			ORDER BY block DESC, origin DESC LIMIT 1) AS h
		JOIN classes k ON k.chain = %[1]d AND k.id = h.class
	) AS k ON true`

// inIndex is true if any visible row mentions the address w: it tries
// activity_…_address, transfers_…_receiver, transfers_…_sender,
// events_…_address and messages_…_contract until one finds a row. It selects
// the newest row, because then the planner goes to it directly; for any row, it
// may collect all of them first.
const inIndex = `coalesce(
	(SELECT true FROM activity_%[1]d WHERE address = w.id ORDER BY block DESC LIMIT 1),
	` + hasReceived + `,
	(SELECT true FROM transfers_%[1]d WHERE sender = w.id ORDER BY block DESC LIMIT 1),
	(SELECT true FROM events_%[1]d WHERE address = w.id ORDER BY block DESC LIMIT 1),
	(SELECT true FROM messages_%[1]d WHERE contract = w.id ORDER BY block DESC LIMIT 1),
	false)`

// hasReceived is true if an address w received a transfer, and NULL otherwise.
const hasReceived = `(SELECT true FROM transfers_%[1]d WHERE receiver = w.id ORDER BY block DESC LIMIT 1)`

// hasActed is true if an address w did what only contracts do: it emitted an
// event (events_…_address) or sent one of its newest transactions
// (activity_…_address).
const hasActed = `coalesce(
	(SELECT true FROM events_%[1]d WHERE address = w.id ORDER BY block DESC LIMIT 1),
	(SELECT true FROM (SELECT kinds FROM activity_%[1]d WHERE address = w.id ORDER BY block DESC, tx DESC LIMIT 100) AS newest
		WHERE kinds & %[2]d <> 0 LIMIT 1),
	false)`

// summariesOfAddresses counts with an index-only scan of activity_…_address,
// and finds everything else by keys.
const summariesOfAddresses = `/* address.summaries */
	SELECT o.n, a.n > 0 OR k.hash IS NOT NULL OR ` + inIndex + ` AS seen, a.n AS counted, a.items, a.latest,
		k.hash AS class, CASE WHEN NOT k.unread THEN k.account END AS account, coalesce(k.may_be_proxy, false) AS may_be_proxy,
		(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = d.block) AS created_at,
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = d.block AND tx = d.tx) AS deployed_at_tx,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = d.deployer) AS deployed_by
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

type summaryRow struct {
	N            int64              `bun:"n"`
	Seen         bool               `bun:"seen"`
	Counted      int64              `bun:"counted"`
	Items        int64              `bun:"items"`
	Latest       *model.BlockNumber `bun:"latest"`
	Class        *starknet.Felt     `bun:"class"`
	Account      *bool              `bun:"account"`
	MayBeProxy   bool               `bun:"may_be_proxy"`
	CreatedAt    *int64             `bun:"created_at"`
	DeployedAtTx *starknet.Felt     `bun:"deployed_at_tx"`
	DeployedBy   *starknet.Felt     `bun:"deployed_by"`
}

func (r *summaryRow) evidence() address.Evidence {
	e := address.Evidence{
		Seen: r.Seen, Counted: int(r.Counted), Items: int(r.Items), LatestBlock: r.Latest.Uint64(),
		Class: r.Class, Account: r.Account, MayBeProxy: r.MayBeProxy, DeployedAtTx: r.DeployedAtTx, DeployedBy: r.DeployedBy,
	}
	if r.CreatedAt != nil {
		e.CreatedAt = new(time.Unix(*r.CreatedAt, 0).UTC())
	}
	return e
}

// SummariesOf implements address.Store.
func (r Addresses) SummariesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt, count int) ([]address.Evidence, error) {
	rows, err := repo.Select[summaryRow](ctx, r.db.Read(), repo.Text(summariesOfAddresses, model.Code(c), count), model.Bytes(addresses))
	if err != nil {
		return nil, err
	}
	found := make([]address.Evidence, len(addresses))
	for i := range rows {
		found[rows[i].N-1] = rows[i].evidence()
	}
	return found, nil
}

// profilesOfAddresses finds everything by keys. An address that is not in the
// index can have a label.
const profilesOfAddresses = `/* address.profiles */
	SELECT o.n, ` + notedColumns + `, k.hash IS NOT NULL OR t.standard IS NOT NULL OR ` + inIndex + ` AS seen,
		coalesce(k.account, false) AS account, coalesce(k.may_be_proxy, false) AS may_be_proxy, coalesce(t.standard, k.standard, 0) AS standard,
		coalesce(` + hasReceived + `, false) AS received, ` + hasActed + ` AS acted
	FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
	LEFT JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt` + classOf + `
	LEFT JOIN tokens t ON t.chain = %[1]d AND t.address = w.id AND t.block < ` + firstUnseen + labelsOf

type profileRow struct {
	notedRow
	Seen       bool           `bun:"seen"`
	Account    bool           `bun:"account"`
	MayBeProxy bool           `bun:"may_be_proxy"`
	Standard   model.Standard `bun:"standard"`
	Received   bool           `bun:"received"`
	Acted      bool           `bun:"acted"`
}

// ProfilesOf implements address.Store.
func (r Addresses) ProfilesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]address.Profile, error) {
	rows, err := repo.Select[profileRow](ctx, r.db.Read(), repo.Text(profilesOfAddresses, model.Code(c), int(facts.TxSent)), model.Bytes(addresses))
	if err != nil {
		return nil, err
	}
	found := make([]address.Profile, len(addresses))
	for i := range rows {
		row := &rows[i]
		found[row.N-1] = address.Profile{
			StoredLabels: row.noted(), Seen: row.Seen, Account: row.Account, MayBeProxy: row.MayBeProxy,
			Standard: facts.Standard(row.Standard), Received: row.Received, Acted: row.Acted,
		}
	}
	return found, nil
}
