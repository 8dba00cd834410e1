package index

import (
	"fmt"
	"strings"
)

// chainQuestions run once per chain; {table} is all rows of the chain.
var chainQuestions = []question{
	{"links", `
		SELECT l.block, CASE
			WHEN l.before IS NULL THEN format('blocks %s to %s are missing', greatest(c.first_block, {from} - 1), l.block - 1)
			WHEN l.before = l.block THEN 'the block is stored twice'
			WHEN l.before <> l.block - 1 THEN format('blocks %s to %s are missing', l.before + 1, l.block - 1)
			ELSE format('its parent_hash is 0x%s, but block %s is 0x%s', encode(l.parent_hash, 'hex'), l.before, encode(l.parent, 'hex'))
		END
		FROM (
			SELECT block, parent_hash, lag(block) OVER w AS before, lag(hash) OVER w AS parent
			FROM {blocks} AS b WHERE block BETWEEN {from} - 1 AND {to} WINDOW w AS (ORDER BY block)
		) AS l JOIN index_checkpoints c ON c.chain = {chain}
		WHERE CASE WHEN l.before IS NULL THEN l.block > greatest(c.first_block, {from} - 1)
			ELSE l.before <> l.block - 1 OR l.parent_hash <> l.parent END`},
	{"checkpoint", `
		SELECT c.block, CASE WHEN b.hash IS NULL THEN 'the checkpoint stands at a block that is not stored'
			ELSE format('the checkpoint''s hash is 0x%s, the block''s is 0x%s', encode(c.hash, 'hex'), encode(b.hash, 'hex')) END
		FROM index_checkpoints c LEFT JOIN {blocks} AS b ON b.block = c.block
		WHERE c.chain = {chain} AND c.block IS NOT NULL AND b.hash IS DISTINCT FROM c.hash
		UNION ALL
		SELECT block, format('the finalized tier ends at %s, above the checkpoint', finalized_block)
		FROM index_checkpoints WHERE chain = {chain} AND finalized_block > coalesce(block, -1)`},
	{"beyond", beyond()},
	{"dictionary", `
		SELECT NULL, format('address %s is no felt: 0x%s', id, encode(felt, 'hex')) FROM addresses
		WHERE chain = {chain} AND (octet_length(felt) <> 32 OR felt >= {prime})
		UNION ALL
		SELECT NULL, format('selector %s is no felt: 0x%s', id, encode(felt, 'hex')) FROM selectors
		WHERE chain = {chain} AND (octet_length(felt) <> 32 OR felt >= {prime})
		UNION ALL
		SELECT NULL, format('address 0x%s has %s ids', encode(felt, 'hex'), count(*)) FROM addresses
		WHERE chain = {chain} GROUP BY felt HAVING count(*) > 1
		UNION ALL
		SELECT NULL, format('selector 0x%s has %s ids', encode(felt, 'hex'), count(*)) FROM selectors
		WHERE chain = {chain} GROUP BY felt HAVING count(*) > 1`},
	{"ids", missing("contract_classes", "address", "addresses", true) + "UNION ALL" +
		missing("contract_implementations", "address", "addresses", true) + "UNION ALL" +
		missing("contract_implementations", "contract", "addresses", true) + "UNION ALL" +
		missing("untyped_transfers", "address", "addresses", true) + "UNION ALL" +
		missing("deployments", "address", "addresses", true) + "UNION ALL" +
		missing("deployments", "deployer", "addresses", true) + "UNION ALL" +
		missing("tokens", "address", "addresses", true)},
	{"schema ids", missing("event_schemas", "selector", "selectors", false) + "UNION ALL" +
		missing("function_schemas", "selector", "selectors", false)},
	{"classes", missing("contract_classes", "class", "classes", true) + "UNION ALL" +
		missing("contract_implementations", "class", "classes", true) + "UNION ALL" +
		missing("deployments", "class", "classes", true) + "UNION ALL" +
		missing("declarations", "class", "classes", true) + "UNION ALL" +
		missing("event_schemas", "class", "classes", false) + "UNION ALL" +
		missing("function_schemas", "class", "classes", false)},
	{"locators", `
		SELECT coalesce(want.block, have.block), format('%s of transaction %s: %s locators instead of %s',
			CASE coalesce(want.kind, have.kind) WHEN 1 THEN 'the block, as' WHEN 2 THEN 'the hash' ELSE 'a message' END,
			coalesce(want.tx, have.tx), coalesce(have.n, 0), coalesce(want.n, 0))
		FROM (SELECT tag, block, tx, kind, count(*) AS n FROM ({locatorRows}) AS rows GROUP BY tag, block, tx, kind) AS want
		FULL JOIN (
			SELECT tag, block, tx, kind, count(*) AS n FROM locators
			WHERE chain = {chain} AND block BETWEEN {from} AND {to} GROUP BY tag, block, tx, kind
		) AS have ON have.tag = want.tag AND have.block = want.block AND have.tx = want.tx AND have.kind = want.kind
		WHERE want.n IS DISTINCT FROM have.n`},
	{"token sums", `
		SELECT c.block, format('up to block %s token %s has %s transfers, %s senders and %s receivers in its sums, %s and %s parties, but moved %s times from %s to %s addresses',
			c.block, x.token, x.transfers, x.senders, x.receivers, coalesce(p.senders, 0), coalesce(p.receivers, 0), x.moved, x.from_, x.to_)
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
	{"unused", `
		SELECT NULL, format('%s addresses are used by no row, which is harmless: blocks were undone', count(*)) FROM (
			SELECT id FROM addresses WHERE chain = {chain} EXCEPT (
				SELECT sender FROM {transactions} AS r UNION ALL SELECT contract FROM {transactions} AS r
				UNION ALL SELECT address FROM {events} AS r UNION ALL SELECT contract FROM {messages} AS r
				UNION ALL SELECT token FROM {transfers} AS r UNION ALL SELECT sender FROM {transfers} AS r
				UNION ALL SELECT receiver FROM {transfers} AS r UNION ALL SELECT address FROM {activity} AS r
				UNION ALL SELECT address FROM contract_classes WHERE chain = {chain}
				UNION ALL SELECT address FROM contract_implementations WHERE chain = {chain}
				UNION ALL SELECT contract FROM contract_implementations WHERE chain = {chain}
				UNION ALL SELECT address FROM untyped_transfers WHERE chain = {chain}
				UNION ALL SELECT address FROM deployments WHERE chain = {chain}
				UNION ALL SELECT deployer FROM deployments WHERE chain = {chain}
				UNION ALL SELECT address FROM tokens WHERE chain = {chain})) AS unused HAVING count(*) > 0
		UNION ALL
		SELECT NULL, format('%s selectors are used by no row, which is harmless: blocks were undone', count(*)) FROM (
			SELECT id FROM selectors WHERE chain = {chain} EXCEPT (
				SELECT selector FROM {transactions} AS r UNION ALL SELECT selector FROM {events} AS r
				UNION ALL SELECT selector FROM {messages} AS r
				UNION ALL SELECT selector FROM event_schemas WHERE chain = {chain}
				UNION ALL SELECT selector FROM function_schemas WHERE chain = {chain})) AS unused HAVING count(*) > 0`},
}

// beyond finds rows of blocks after the checkpoint or before the first block.
func beyond() string {
	sql := ""
	for _, table := range rangeTables {
		sql += outside(table.name, "{"+table.name+"} AS r")
	}
	for _, table := range []string{"declarations", "contract_classes", "contract_implementations", "untyped_transfers", "deployments", "tokens", "classes", "locators"} {
		sql += outside(table, fmt.Sprintf("(SELECT block FROM %s WHERE chain = {chain}) AS r", table))
	}
	return sql[:len(sql)-len("UNION ALL")]
}

func outside(table, rows string) string {
	return fmt.Sprintf(`
		SELECT min(r.block), format('%%s rows of %[1]s are outside of blocks %%s to %%s', count(*), c.first_block, coalesce(c.block, c.first_block - 1))
		FROM %[2]s JOIN index_checkpoints c ON c.chain = {chain}
		WHERE r.block < c.first_block OR r.block > coalesce(c.block, -1)
		GROUP BY c.first_block, c.block
		UNION ALL`, table, rows)
}

// missing finds ids of a column that their dictionary does not have.
func missing(table, column, dictionary string, dated bool) string {
	block := "NULL::integer"
	if dated {
		block = "min(r.block)"
	}
	return fmt.Sprintf(`
		SELECT %[4]s, format('%[1]s.%[2]s %%s is not in %[3]s', r.%[2]s)
		FROM %[1]s r LEFT JOIN %[3]s d ON d.chain = {chain} AND d.id = r.%[2]s
		WHERE r.chain = {chain} AND r.%[2]s IS NOT NULL AND d.id IS NULL GROUP BY r.%[2]s
		`, table, column, dictionary, block)
}

// rangeQuestions run once per partition; {table} is the partition's table.
func rangeQuestions() []question {
	questions := []question{
		{"bounds", ""},
		{"partition events", `
			SELECT {range.from}, format('the partition says that it has %s events, but there are %s', {range.events}, count(*))
			FROM {events} HAVING count(*) <> {range.events}`},
		{"counts", counted("tx_count", "transactions") + "UNION ALL" + counted("event_count", "events")},
		{"places", dense("transactions", "block", "tx", "''") + "UNION ALL" +
			dense("events", "block, tx", "log", "format(' of transaction %s', tx)") + "UNION ALL" +
			dense("messages", "block, tx, to_l1", "idx", "format(' of transaction %s', tx)")},
		{"orphans", orphan("transactions", "blocks", "block") + "UNION ALL" +
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
			SELECT min(block), format('%%s rows of {%[1]s} are outside of its blocks', count(*)) FROM {%[1]s}
			WHERE block < {range.from} OR block >= {range.to} OR chain <> {chain} HAVING count(*) > 0`, table.name)
	}
	for _, used := range []struct{ table, column, dictionary string }{
		{"transactions", "sender", "addresses"}, {"transactions", "contract", "addresses"}, {"transactions", "selector", "selectors"},
		{"events", "address", "addresses"}, {"events", "selector", "selectors"},
		{"messages", "contract", "addresses"}, {"messages", "selector", "selectors"},
		{"transfers", "token", "addresses"}, {"transfers", "sender", "addresses"}, {"transfers", "receiver", "addresses"},
		{"activity", "address", "addresses"},
	} {
		questions = append(questions, question{"ids", fmt.Sprintf(`
			SELECT min(r.block), format('%[1]s.%[2]s %%s is not in %[3]s', r.%[2]s)
			FROM {%[1]s} r LEFT JOIN %[3]s d ON d.chain = {chain} AND d.id = r.%[2]s
			WHERE r.%[2]s IS NOT NULL AND d.id IS NULL AND r.block BETWEEN {from} AND {to} GROUP BY r.%[2]s`, used.table, used.column, used.dictionary)})
	}
	return questions
}

func counted(column, table string) string {
	return fmt.Sprintf(`
		SELECT b.block, format('%[1]s is %%s, but there are %%s %[2]s', b.%[1]s, coalesce(r.n, 0))
		FROM {blocks} b LEFT JOIN (
			SELECT block, count(*) AS n FROM {%[2]s} WHERE block BETWEEN {from} AND {to} GROUP BY block) r ON r.block = b.block
		WHERE b.block BETWEEN {from} AND {to} AND b.%[1]s <> coalesce(r.n, 0)
		`, column, table)
}

// dense finds groups of rows that are not numbered from 0 on without gaps.
func dense(table, group, number, of string) string {
	return fmt.Sprintf(`
		SELECT block, format('the %%s %[1]s%%s are numbered %%s to %%s', count(*), %[4]s, min(%[3]s), max(%[3]s))
		FROM {%[1]s} WHERE block BETWEEN {from} AND {to} GROUP BY %[2]s
		HAVING min(%[3]s) <> 0 OR max(%[3]s) <> count(*) - 1 OR count(DISTINCT %[3]s) <> count(*)
		`, table, group, number, of)
}

// orphan finds rows whose parent does not exist.
func orphan(table, parent, key string) string {
	return fmt.Sprintf(`
		SELECT block, format('%%s rows of %[1]s have no row in %[2]s', count(*))
		FROM (SELECT %[3]s FROM {%[1]s} WHERE block BETWEEN {from} AND {to}) AS r
		WHERE NOT EXISTS (SELECT 1 FROM {%[2]s} AS p WHERE (%[4]s) = (%[5]s)) GROUP BY block
		`, table, parent, key, prefixed("p", key), prefixed("r", key))
}

// prefixed puts a table's name before each column of a list.
func prefixed(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}
