package index

import (
	"fmt"
	"strings"
)

// chainQuestions run once per chain; {table} is all rows of the chain.
var chainQuestions = []question{
	{name: "links", sql: `
		SELECT l.block, CASE
			WHEN l.before IS NULL THEN format('blocks %s to %s are missing', greatest(c.first_block, {from} - 1), l.block - 1)
			WHEN l.before = l.block THEN 'the block is stored twice'
			WHEN l.before <> l.block - 1 THEN format('blocks %s to %s are missing', l.before + 1, l.block - 1)
			ELSE format('its parent_hash is 0x%s, but block %s is 0x%s', encode(l.parent_hash, 'hex'), l.before, encode(l.parent, 'hex'))
		END, format('{repair} --block %s --to %s', CASE WHEN l.before IS NULL THEN greatest(c.first_block, {from} - 1) ELSE least(l.before + 1, l.block - 1) END, l.block)
		FROM (
			SELECT block, parent_hash, lag(block) OVER w AS before, lag(hash) OVER w AS parent
			FROM {blocks} AS b WHERE block BETWEEN {from} - 1 AND {to} WINDOW w AS (ORDER BY block)
		) AS l JOIN index_checkpoints c ON c.chain = {chain}
		WHERE l.block <= coalesce(c.block, -1) AND CASE WHEN l.before IS NULL THEN l.block > greatest(c.first_block, {from} - 1)
			ELSE l.before <> l.block - 1 OR l.parent_hash <> l.parent END`},
	{name: "checkpoint", sql: `
		SELECT c.block, CASE WHEN b.hash IS NULL THEN 'the checkpoint is at a block that is not stored'
			ELSE format('the checkpoint''s hash is 0x%s, the block''s is 0x%s', encode(c.hash, 'hex'), encode(b.hash, 'hex')) END,
			CASE WHEN EXISTS (SELECT FROM {blocks} AS o WHERE o.hash = c.hash) THEN '{repair} --checkpoint'
			ELSE format('{repair} --block %s --to %s', least(c.block, (SELECT max(block) + 1 FROM {blocks} AS o)), c.block) END
		FROM index_checkpoints c LEFT JOIN {blocks} AS b ON b.block = c.block
		WHERE c.chain = {chain} AND c.block IS NOT NULL AND b.hash IS DISTINCT FROM c.hash
		UNION ALL
		SELECT block, format('the finalized tier ends at %s, above the checkpoint', finalized_block), '{repair} --checkpoint'
		FROM index_checkpoints WHERE chain = {chain} AND finalized_block > coalesce(block, -1)
		UNION ALL
		SELECT c.block, format('the finalized tier ends at %s, but the checkpoint is %s and the finality depth %s',
			coalesce(c.finalized_block::text, 'no block'), c.block, h.finality_depth), '{repair} --checkpoint'
		FROM index_checkpoints c JOIN chain_heads h ON h.chain = '{name}'
		WHERE c.chain = {chain} AND h.finality_depth IS NOT NULL AND ` + tierOutOfBounds + `
		UNION ALL
		SELECT NULL, format('the watermark of L1 acceptance is %s, above the head %s', h.l1_block_number, greatest(h.block_number, c.block)), '{repair} --checkpoint'
		FROM chain_heads h LEFT JOIN index_checkpoints c ON c.chain = {chain} WHERE h.chain = '{name}' AND ` + acceptedAboveHead + `
		UNION ALL
		SELECT b.block, format('the block accepted on L1 is 0x%s, but the stored block is 0x%s', encode(h.l1_block_hash, 'hex'), encode(b.hash, 'hex')), '{repair} --checkpoint'
		FROM chain_heads h JOIN {blocks} AS b ON b.block = h.l1_block_number
		WHERE h.chain = '{name}' AND h.l1_block_hash <> b.hash
		UNION ALL
		SELECT h.l1_block_number::integer, 'the hash of the block accepted on L1 is unknown', '{repair} --checkpoint'
		FROM chain_heads h JOIN index_checkpoints c ON c.chain = {chain}
		WHERE h.chain = '{name}' AND h.l1_block_number IS NOT NULL AND h.l1_block_hash IS NULL
		UNION ALL
		SELECT c.block, format('the finalized tier ends at %s, but no head of the chain is recorded', c.finalized_block), '{repair} --checkpoint'
		FROM index_checkpoints c
		WHERE c.chain = {chain} AND c.finalized_block IS NOT NULL AND NOT EXISTS (SELECT FROM chain_heads h WHERE h.chain = '{name}')`},
	{name: "verified", follows: true, sql: notThrough("transactions_block", 1) + "UNION ALL" + notThrough("full_block", 2)},
	{name: "class moves", follows: true, sql: `
		SELECT c.block, format('contract 0x%s is stored as %s', encode(d.felt, 'hex'),
			CASE c.origin WHEN 1 THEN 'deployed, but existed before' ELSE 'replaced, but did not exist before' END), NULL
		FROM contract_classes c JOIN index_checkpoints k ON k.chain = {chain} JOIN addresses d ON d.chain = {chain} AND d.id = c.address
		WHERE c.chain = {chain} AND c.block BETWEEN {from} AND {to} AND (c.origin = 1 OR c.origin = 2 AND k.first_block = 0)
			AND (c.origin = 1) = EXISTS (
				SELECT FROM contract_classes o WHERE o.chain = {chain} AND o.address = c.address
					AND (o.block < c.block OR o.block = c.block AND o.origin < c.origin))`},
	{name: "beyond", sql: beyond()},
	{name: "dictionary", sql: wrongEntries("addresses", "address") + "UNION ALL" + wrongEntries("selectors", "selector")},
	{name: "ids", sql: missing(contractIDs, "addresses", true)},
	{name: "privacy pools", sql: `
		SELECT NULL::integer, format('privacy_pools.address %s is not in addresses; name the pools with --privacy-pool if they are not the known ones', p.address),
			'astrolabe rederive privacy_events --chain {name}'
		FROM privacy_pools p LEFT JOIN addresses d ON d.chain = {chain} AND d.id = p.address WHERE p.chain = {chain} AND d.id IS NULL
		UNION ALL
		SELECT NULL::integer, format('privacy_pools lists 0x%s, which has events, but none in privacy_events', ltrim(encode(d.felt, 'hex'), '0')),
			'astrolabe rederive privacy_events --chain {name}' || coalesce((
				SELECT string_agg(' --privacy-pool {name}=0x' || ltrim(encode(k.felt, 'hex'), '0'), '')
				FROM (SELECT DISTINCT pool FROM privacy_events WHERE chain = {chain}) AS kept JOIN addresses k ON k.chain = {chain} AND k.id = kept.pool), '')
		FROM privacy_pools p JOIN addresses d ON d.chain = {chain} AND d.id = p.address
		WHERE p.chain = {chain} AND EXISTS (SELECT FROM {events} AS e WHERE e.address = p.address)
			AND NOT EXISTS (SELECT FROM privacy_events r WHERE r.chain = {chain} AND r.pool = p.address)
			AND NOT EXISTS (SELECT FROM privacy_events r WHERE r.chain = {chain} AND r.pool NOT IN (SELECT address FROM privacy_pools WHERE chain = {chain}))
		UNION ALL
		SELECT min(u.block) FILTER (WHERE NOT u.listed), 'a contract has events in privacy_events, but is not in privacy_pools',
			'astrolabe rederive privacy_events --chain {name} ' || string_agg('--privacy-pool {name}=0x' || ltrim(encode(d.felt, 'hex'), '0'), ' ')
		FROM (
			SELECT pool, min(block) AS block, EXISTS (SELECT FROM privacy_pools WHERE chain = {chain} AND address = pool) AS listed
			FROM privacy_events WHERE chain = {chain} GROUP BY pool
		) AS u JOIN addresses d ON d.chain = {chain} AND d.id = u.pool
		WHERE u.listed OR EXISTS (
			SELECT FROM privacy_events r JOIN {events} AS e ON e.block = r.block AND e.tx = r.tx AND e.log = r.log AND e.address = r.pool
			WHERE r.chain = {chain} AND r.pool = u.pool)
		HAVING bool_or(NOT u.listed)`},
	{name: "schema ids", sql: missing(schemaIDs, "selectors", false)},
	{name: "classes", sql: missing(contractIDs, "classes", true) + "UNION ALL" + missing(schemaIDs, "classes", false)},
	{name: "locators", follows: true, sql: `
		SELECT coalesce(want.block, have.block), format('%s: %s locators instead of %s',
			CASE coalesce(want.kind, have.kind) WHEN 1 THEN 'the block hash' WHEN 2 THEN format('the hash of transaction %s', coalesce(want.tx, have.tx)) ELSE format('a message of transaction %s', coalesce(want.tx, have.tx)) END,
			coalesce(have.n, 0), coalesce(want.n, 0)), NULL
		FROM (SELECT tag, block, tx, kind, count(*) AS n FROM ({locatorRows}) AS rows GROUP BY tag, block, tx, kind) AS want
		FULL JOIN (
			SELECT tag, block, tx, kind, count(*) AS n FROM locators
			WHERE chain = {chain} AND block BETWEEN {from} AND {to} GROUP BY tag, block, tx, kind
		) AS have ON have.tag = want.tag AND have.block = want.block AND have.tx = want.tx AND have.kind = want.kind
		WHERE want.n IS DISTINCT FROM have.n`},
	{name: "token sums", follows: true, sql: `
		SELECT c.block, format('up to block %s, the sums of token %s count %s transfers, %s senders and %s receivers, and its parties %s senders and %s receivers, but its transfers give %s transfers, %s senders and %s receivers',
			c.block, x.token, x.transfers, x.senders, x.receivers, coalesce(p.senders, 0), coalesce(p.receivers, 0), x.moved, x.from_, x.to_), '{repair} --discard sums'
		FROM (SELECT block FROM token_summary_checkpoints WHERE chain = {chain} AND block IS NOT NULL) AS c
		CROSS JOIN LATERAL (
			SELECT coalesce(m.token, s.token) AS token, coalesce(s.transfers, 0) AS transfers, coalesce(s.senders, 0) AS senders,
				coalesce(s.receivers, 0) AS receivers, coalesce(m.n, 0) AS moved, coalesce(m.senders, 0) AS from_, coalesce(m.receivers, 0) AS to_
			FROM (
				SELECT token, count(*) AS n, count(DISTINCT sender) AS senders, count(DISTINCT receiver) AS receivers
				FROM {transfers} AS t WHERE t.block <= c.block GROUP BY token
			) AS m FULL JOIN (SELECT token, transfers, senders, receivers FROM token_summaries WHERE chain = {chain}) AS s ON s.token = m.token
		) AS x
		LEFT JOIN (
			SELECT token, count(*) FILTER (WHERE sent) AS senders, count(*) FILTER (WHERE received) AS receivers
			FROM token_parties WHERE chain = {chain} GROUP BY token
		) AS p ON p.token = x.token
		WHERE (x.transfers, x.senders, x.receivers, coalesce(p.senders, 0), coalesce(p.receivers, 0)) <> (x.moved, x.from_, x.to_, x.from_, x.to_)`},
	{name: "results", follows: true, sql: results()},
	{name: "census", follows: true, sql: census},
	{name: "unused", sql: `
		SELECT NULL, format('%s addresses are used by no row, which is harmless: blocks were undone', count(*)), NULL FROM (
			SELECT id FROM addresses WHERE chain = {chain} EXCEPT (
				SELECT sender FROM {transactions} AS r UNION ALL SELECT contract FROM {transactions} AS r
				UNION ALL SELECT address FROM {events} AS r UNION ALL SELECT contract FROM {messages} AS r
				UNION ALL SELECT token FROM {transfers} AS r UNION ALL SELECT sender FROM {transfers} AS r
				UNION ALL SELECT receiver FROM {transfers} AS r UNION ALL SELECT address FROM {activity} AS r
				UNION ALL SELECT address FROM contract_classes WHERE chain = {chain}
				UNION ALL SELECT address FROM contract_implementations WHERE chain = {chain}
				UNION ALL SELECT contract FROM contract_implementations WHERE chain = {chain}
				UNION ALL SELECT address FROM untyped_transfers WHERE chain = {chain}
				UNION ALL SELECT address FROM privacy_pools WHERE chain = {chain}
				UNION ALL SELECT party FROM privacy_events WHERE chain = {chain}
				UNION ALL SELECT token FROM privacy_events WHERE chain = {chain}
				UNION ALL SELECT address FROM deployments WHERE chain = {chain}
				UNION ALL SELECT deployer FROM deployments WHERE chain = {chain}
				UNION ALL SELECT address FROM tokens WHERE chain = {chain})) AS unused HAVING count(*) > 0
		UNION ALL
		SELECT NULL, format('%s selectors are used by no row, which is harmless: blocks were undone', count(*)), NULL FROM (
			SELECT id FROM selectors WHERE chain = {chain} EXCEPT (
				SELECT selector FROM {transactions} AS r UNION ALL SELECT selector FROM {events} AS r
				UNION ALL SELECT selector FROM {messages} AS r
				UNION ALL SELECT selector FROM event_schemas WHERE chain = {chain}
				UNION ALL SELECT selector FROM function_schemas WHERE chain = {chain})) AS unused HAVING count(*) > 0`},
}

// beyond finds rows of blocks after the checkpoint or before the first block. If
// the block itself is stored there, the checkpoint is wrong; otherwise the rows
// are of no block.
func beyond() string {
	sql := ""
	for _, table := range rangeTables {
		sql += outside(table.name, "{"+table.name+"} AS r")
	}
	for _, table := range []string{"declarations", "contract_classes", "contract_implementations", "untyped_transfers", "privacy_events", "deployments", "tokens", "classes", "locators"} {
		sql += outside(table, fmt.Sprintf("(SELECT block FROM %s WHERE chain = {chain}) AS r", table))
	}
	return sql[:len(sql)-len("UNION ALL")]
}

func outside(table, rows string) string {
	return fmt.Sprintf(`
		SELECT r.block, format('%%s rows of %[1]s are outside of blocks %%s to %%s', count(*), c.first_block, coalesce(c.block, c.first_block - 1)),
			CASE WHEN EXISTS (SELECT FROM {blocks} AS b JOIN {blocks} AS p ON p.block = b.block - 1 AND p.hash = b.parent_hash WHERE b.block = r.block)
			THEN '{repair} --checkpoint' ELSE format('{repair} --block %%s', r.block) END
		FROM %[2]s JOIN index_checkpoints c ON c.chain = {chain}
		WHERE r.block < c.first_block OR r.block > coalesce(c.block, -1)
		GROUP BY r.block, c.first_block, c.block
		UNION ALL`, table, rows)
}

// wrongEntries finds entries of a dictionary that are no felts, that have another
// felt than they were given, or whose felt has several ids.
func wrongEntries(dictionary, noun string) string {
	return fmt.Sprintf(`
		SELECT NULL::integer, format('%[2]s %%s is not a felt: 0x%%s', id, encode(felt, 'hex')), format('{repair} --entry %[1]s:%%s', id) FROM %[1]s
		WHERE chain = {chain} AND (octet_length(felt) <> 32 OR felt >= {prime})
		UNION ALL
		SELECT NULL, format('%[2]s %%s is 0x%%s, but its checksum is of another felt', id, encode(felt, 'hex')), format('{repair} --entry %[1]s:%%s', id) FROM %[1]s
		WHERE chain = {chain} AND octet_length(felt) = 32 AND felt < {prime} AND checksum <> dictionary_checksum(id, felt)
		UNION ALL
		SELECT NULL, format('%[2]s 0x%%s has %%s ids', encode(felt, 'hex'), count(*)),
			format('{repair} --entry %[1]s:%%s', coalesce(max(id) FILTER (WHERE checksum IS DISTINCT FROM dictionary_checksum(id, felt)), max(id))) FROM %[1]s
		WHERE chain = {chain} GROUP BY felt HAVING count(*) > 1
		UNION ALL
		SELECT NULL, 'the table %[1]s may hold a felt twice', 'ALTER TABLE %[1]s ADD CONSTRAINT %[1]s_chain_felt_key UNIQUE (chain, felt)'
		WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conname = '%[1]s_chain_felt_key' AND conrelid = '%[1]s'::regclass)
			AND NOT EXISTS (SELECT FROM %[1]s WHERE chain = {chain} GROUP BY felt HAVING count(*) > 1)
		`, dictionary, noun)
}

// missing finds ids that their dictionary does not have.
func missing(columns []idColumn, dictionary string, dated bool) string {
	block := "NULL::integer"
	if dated {
		block = "min(r.block)"
	}
	var questions []string
	for _, used := range columns {
		if used.dictionary == dictionary {
			questions = append(questions, fmt.Sprintf(`
		SELECT %[4]s, format('%[1]s.%[2]s %%s is not in %[3]s', r.%[2]s), format('{repair} --entry %[3]s:%%s', r.%[2]s)
		FROM %[1]s r LEFT JOIN %[3]s d ON d.chain = {chain} AND d.id = r.%[2]s
		WHERE r.chain = {chain} AND r.%[2]s IS NOT NULL AND d.id IS NULL GROUP BY r.%[2]s
		`, used.table, used.column, used.dictionary, block))
		}
	}
	return strings.Join(questions, "UNION ALL")
}

// rangeQuestions run once per partition; {table} is the partition's table.
func rangeQuestions() []question {
	questions := []question{
		{name: "bounds"},
		{name: "partition events", sql: `
			SELECT {range.from}, format('the partition says that it has %s events, but there are %s', {range.events}, count(*)),
				format('UPDATE index_ranges SET events = %s WHERE chain = {chain} AND from_block = {range.from}', count(*))
			FROM {events} HAVING count(*) <> {range.events}`},
		{name: "counts", sql: counted("tx_count", "transactions") + "UNION ALL" + counted("event_count", "events")},
		{name: "places", sql: dense("transactions", "block", "tx", "''") + "UNION ALL" +
			dense("events", "block, tx", "log", "format(' of transaction %s', tx)") + "UNION ALL" +
			dense("messages", "block, tx, to_l1", "idx", "format(' of transaction %s', tx)")},
		{name: "orphans", sql: orphan("transactions", "blocks", "block") + "UNION ALL" +
			orphan("events", "transactions", "block, tx") + "UNION ALL" +
			orphan("messages", "transactions", "block, tx") + "UNION ALL" +
			orphan("transfers", "events", "block, tx, log") + "UNION ALL" +
			orphan("activity", "transactions", "block, tx")},
	}
	for i, table := range rangeTables {
		if i > 0 {
			questions[0].sql += " UNION ALL "
		}
		questions[0].sql += fmt.Sprintf(`
			SELECT min(block), format('%%s rows of {%[1]s} are outside of its blocks', count(*)), format('{repair} --block %%s', min(block)) FROM {%[1]s}
			WHERE block < {range.from} OR block >= {range.to} OR chain <> {chain} HAVING count(*) > 0`, table.name)
	}
	for _, used := range rangeIDs {
		questions = append(questions, question{name: "ids", sql: fmt.Sprintf(`
			SELECT min(r.block), format('%[1]s.%[2]s %%s is not in %[3]s', r.%[2]s), format('{repair} --entry %[3]s:%%s', r.%[2]s)
			FROM {%[1]s} r LEFT JOIN %[3]s d ON d.chain = {chain} AND d.id = r.%[2]s
			WHERE r.%[2]s IS NOT NULL AND d.id IS NULL AND r.block BETWEEN {from} AND {to} GROUP BY r.%[2]s`, used.table, used.column, used.dictionary)})
	}
	return questions
}

func counted(column, table string) string {
	return fmt.Sprintf(`
		SELECT b.block, format('%[1]s is %%s, but there are %%s %[2]s', b.%[1]s, coalesce(r.n, 0)), format('{repair} --block %%s', b.block)
		FROM {blocks} b LEFT JOIN (
			SELECT block, count(*) AS n FROM {%[2]s} WHERE block BETWEEN {from} AND {to} GROUP BY block) r ON r.block = b.block
		WHERE b.block BETWEEN {from} AND {to} AND b.%[1]s <> coalesce(r.n, 0)
		`, column, table)
}

// dense finds groups of rows that are not numbered from 0 on without gaps.
func dense(table, group, number, of string) string {
	return fmt.Sprintf(`
		SELECT block, format('the %%s %[1]s%%s are numbered %%s to %%s', count(*), %[4]s, min(%[3]s), max(%[3]s)), format('{repair} --block %%s', block)
		FROM {%[1]s} WHERE block BETWEEN {from} AND {to} GROUP BY %[2]s
		HAVING min(%[3]s) <> 0 OR max(%[3]s) <> count(*) - 1 OR count(DISTINCT %[3]s) <> count(*)
		`, table, group, number, of)
}

// orphan finds rows whose parent does not exist.
func orphan(table, parent, key string) string {
	return fmt.Sprintf(`
		SELECT block, format('%%s rows of %[1]s have no row in %[2]s', count(*)), format('{repair} --block %%s', block)
		FROM (SELECT %[3]s FROM {%[1]s} WHERE block BETWEEN {from} AND {to}) AS r
		WHERE NOT EXISTS (SELECT 1 FROM {%[2]s} AS p WHERE (%[4]s) = (%[5]s)) GROUP BY block
		`, table, parent, key, prefixed("p", key), prefixed("r", key))
}

// prefixed puts a table's name before each column of a list.
func prefixed(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

// notThrough finds a checkpoint that does not end the verified blocks where they
// end.
func notThrough(column string, level int) string {
	return fmt.Sprintf(`
		SELECT NULL::integer, format('%[1]s is %%s, but the blocks reached that level up to %%s', coalesce(c.%[1]s::text, 'null'), coalesce(v.through::text, 'none')),
			'{repair} --checkpoint'
		FROM index_checkpoints c CROSS JOIN LATERAL (`+verifiedThrough+`) AS v
		WHERE c.chain = {chain} AND c.%[1]s IS DISTINCT FROM v.through
		`, column, level, "{blocks}")
}

// verifiedThrough selects the block up to which all blocks of %[3]s reached the
// level %[2]d, for a checkpoint c; null if the first one did not.
const verifiedThrough = `
	SELECT CASE WHEN ends >= c.first_block THEN ends END AS through FROM (
		SELECT coalesce(min(b.block) - 1, c.block) AS ends FROM %[3]s AS b WHERE b.verification < %[2]d AND b.block <= c.block
	) AS reached`
