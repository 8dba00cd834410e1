package index

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// results finds results of jobs that cover blocks that their tier does not have:
// those of the finalized tier, or, for metadata, of the whole index.
func results() string {
	above := func(table, column, tier, kind string) string {
		return fmt.Sprintf(`
		SELECT max(r.%[2]s)::integer, format('%%s rows of %[1]s are of blocks above %%s', count(*), coalesce(c.%[3]s::text, 'none')), '{repair} --discard %[4]s'
		FROM %[1]s r JOIN index_checkpoints c ON c.chain = r.chain
		WHERE r.chain = {chain} AND r.%[2]s > coalesce(c.%[3]s, -1) GROUP BY c.%[3]s
		UNION ALL`, table, column, tier, kind)
	}
	return above("token_summary_checkpoints", "block", "finalized_block", "sums") +
		above("privacy_ledgers", "block", "finalized_block", "ledgers") +
		above("tokens", "supply_block", "finalized_block", "supplies") +
		above("tokens", "metadata_block", "block", "metadata") +
		above("event_certificates", "through_block", "finalized_block", "certificates") +
		above("census_policies", "block", "finalized_block", "censuses") +
		above("market_scans", "block", "finalized_block", "pools") +
		above("market_pools", "block", "finalized_block", "pools") + `
		SELECT NULL, 'the sums of tokens have no checkpoint', '{repair} --discard sums'
		WHERE NOT EXISTS (SELECT FROM token_summary_checkpoints WHERE chain = {chain})
		UNION ALL
		SELECT NULL, 'privacy pools have no flow ledger', '{repair} --discard ledgers'
		WHERE NOT EXISTS (SELECT FROM privacy_ledgers WHERE chain = {chain})
		UNION ALL
		SELECT NULL, 'holder censuses have no epoch', '{repair} --discard censuses'
		WHERE NOT EXISTS (SELECT FROM census_epochs WHERE chain = {chain})
		UNION ALL
		SELECT m.block, format('a pool of 0x%s has no event of its factory', encode(m.token, 'hex')), '{repair} --discard pools'
		FROM market_pools m WHERE m.chain = {chain} AND NOT EXISTS (
			SELECT FROM events e JOIN addresses a ON a.chain = {chain} AND a.id = e.address
			WHERE e.chain = {chain} AND e.block = m.block AND e.tx = m.tx AND e.log = m.log AND a.felt = m.factory
				AND position(m.token IN e.payload) > 0 AND position(m.paired IN e.payload) > 0 AND position(m.pool IN e.payload) > 0)`
}

// census finds holder censuses in use that are of another block, or that differ
// from the sums of the stored transfers.
const census = `
		SELECT g.block, format('the census of token %s is of block 0x%s, which is not stored', g.token, encode(g.block_hash, 'hex')), '{repair} --discard censuses'
		FROM census_generations g
		WHERE g.chain = {chain} AND g.status <> 'revoked' AND NOT EXISTS (SELECT FROM {blocks} AS b WHERE b.block = g.block AND b.hash = g.block_hash)
		UNION ALL
		SELECT g.block, format('the census of token %s counts %s holders of %s, but has %s of %s', g.token, s.holders, s.total, n.holders, n.total), '{repair} --discard censuses'
		FROM census_generations g JOIN census_snapshots s ON s.id = g.snapshot
		CROSS JOIN LATERAL (SELECT count(*) AS holders, coalesce(sum(balance), 0) AS total FROM census_holders WHERE snapshot = s.id) AS n
		WHERE g.chain = {chain} AND g.status = 'certified' AND (s.holders, s.total) <> (n.holders, n.total)
		UNION ALL
		SELECT x.block, format('holder %s of token %s has %s in its census, but %s by its transfers', x.holder, x.token, coalesce(x.balance, 0), coalesce(x.moved, 0)), '{repair} --discard censuses'
		FROM (
			SELECT g.block, g.token, y.holder, y.balance, y.moved
			FROM census_generations g
			CROSS JOIN LATERAL (
				SELECT coalesce(h.holder, m.holder) AS holder, h.balance, m.moved
				FROM (SELECT holder, balance FROM census_holders WHERE snapshot = g.snapshot) AS h FULL JOIN (
					SELECT holder, sum(change) AS moved FROM (
						SELECT receiver AS holder, amount AS change FROM transfers
						WHERE chain = {chain} AND token = g.token AND block <= g.block AND standard = 1
						UNION ALL
						SELECT sender, -amount FROM transfers
						WHERE chain = {chain} AND token = g.token AND block <= g.block AND standard = 1
					) AS changes WHERE holder NOT IN (SELECT id FROM addresses WHERE chain = {chain} AND felt = decode(repeat('00', 32), 'hex'))
					GROUP BY holder HAVING sum(change) <> 0
				) AS m ON m.holder = h.holder) AS y
			WHERE g.chain = {chain} AND g.status = 'certified'
		) AS x WHERE x.balance IS DISTINCT FROM x.moved`

// certificates compares the certificates in use with the events.
func (f fsck) certificates(ctx context.Context, tx bun.IDB, limit int) ([]indexing.Finding, error) {
	var certificates []model.Certificate
	err := tx.NewSelect().Model(&certificates).Comment("fsck.certificates").
		Where("chain = ? AND status = 'ready' AND through_block IS NOT NULL", f.code).Order("id").Scan(ctx)
	if err != nil {
		return nil, err
	}
	var findings []indexing.Finding
	for i := range certificates {
		cert := &certificates[i]
		differing, err := f.differing(ctx, tx, cert)
		if err != nil {
			return nil, err
		}
		if differing > 0 && len(findings) < limit {
			findings = append(findings, indexing.Finding{
				Check: "certificates", Detail: fmt.Sprintf("%d rows of the certificate of position %d of %s differ from the events", differing, cert.Position, cert.Selector),
				Repair: fmt.Sprintf("astrolabe coverage rebuild --chain %s --selector %s --position %d", f.chain, cert.Selector, cert.Position),
			})
		}
	}
	return findings, nil
}

// differing counts the rows that only a certificate or only the events have.
func (f fsck) differing(ctx context.Context, tx bun.IDB, cert *model.Certificate) (n int64, err error) {
	table := fmt.Sprintf("event_positions_%d", cert.ID)
	var exists bool
	if err := tx.NewRaw("/* fsck.certificate_table */ SELECT to_regclass(?) IS NOT NULL", table).Scan(ctx, &exists); err != nil || !exists {
		return 1, err
	}
	counts, err := repo.Select[int64](ctx, tx, fmt.Sprintf(`/* fsck.certificate */
		WITH wanted AS (
			SELECT substr(payload, %[2]d, 32) AS value, block, tx, log FROM events
			WHERE chain = %[1]d AND selector = (SELECT id FROM selectors WHERE chain = %[1]d AND felt = $1) AND keys > $2 AND block BETWEEN $3 AND $4
		), held AS (SELECT value, block, tx, log FROM %[3]s)
		SELECT (SELECT count(*) FROM (SELECT * FROM wanted EXCEPT ALL SELECT * FROM held) AS a)
			+ (SELECT count(*) FROM (SELECT * FROM held EXCEPT ALL SELECT * FROM wanted) AS b)`,
		f.code, 32*(int(cert.Position)-1)+1, table), cert.Selector[:], int64(cert.Position), int64(*cert.FromBlock), int64(*cert.ThroughBlock))
	if err != nil {
		return 0, err
	}
	return counts[0], nil
}
