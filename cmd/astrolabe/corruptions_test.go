package main

// corruption is a kind of damage that a statement does to an index.
type corruption struct {
	name, statement string
	byNode          bool // found only by comparing with a node
	proxies         bool // of an index with proxies
}

// otherFelt changes the last byte of a felt.
func otherFelt(column string) string {
	return "set_byte(" + column + ", 31, 255 - get_byte(" + column + ", 31))"
}

// corruptions are kinds of damage, by what they damage.
var corruptions = []corruption{
	// Headers.
	{name: "a block row is gone", statement: "DELETE FROM blocks WHERE block = 25"},
	{name: "the newest block row is gone", statement: "DELETE FROM blocks_1_48 WHERE block = 60"},
	{name: "a block is stored twice", statement: "INSERT INTO blocks_1_48 SELECT * FROM blocks_1_48 WHERE block = 55"},
	{name: "a block has another hash", statement: "UPDATE blocks SET hash = " + otherFelt("hash") + " WHERE block = 30"},
	{name: "the newest block has another hash", statement: "UPDATE blocks_1_48 SET hash = " + otherFelt("hash") + " WHERE block = 60"},
	{name: "a block has another parent", statement: "UPDATE blocks SET parent_hash = state_root WHERE block = 30"},
	{name: "a block has another state root", statement: "UPDATE blocks SET state_root = " + otherFelt("state_root") + " WHERE block = 12"},
	{name: "a block has another time", statement: "UPDATE blocks SET timestamp = timestamp + 1 WHERE block = 7"},
	{name: "a block has another gas price", statement: "UPDATE blocks SET prices = set_byte(prices, 31, 255 - get_byte(prices, 31)) WHERE block = 41"},
	{name: "a block has too few gas prices", statement: "UPDATE blocks SET prices = substr(prices, 33) WHERE block = 41"},
	{name: "a block has another digest", statement: "UPDATE blocks SET base_digest = sha256(base_digest) WHERE block = 41"},
	{name: "a block of an undone fork is back", statement: "INSERT INTO blocks_1_48 SELECT 90 AS block, chain, l1_da_mode, timestamp, tx_count, event_count, hash, parent_hash, state_root, sequencer, prices, version FROM blocks_1_48 WHERE block = 55"},

	{name: "a block is said to be verified", statement: "UPDATE blocks SET verification = 2 WHERE block = 44"},
	{name: "a block is said to be unverified", statement: "UPDATE blocks SET verification = 0 WHERE block = 12"},

	// Transactions, events and messages.
	{name: "a transaction is gone", statement: "DELETE FROM transactions WHERE block = 31 AND tx = 0"},
	{name: "a transaction has another hash", statement: "UPDATE transactions SET hash = " + otherFelt("hash") + " WHERE block = 31 AND tx = 0"},
	{name: "a transaction has another fee", statement: "UPDATE transactions_1_48 SET fee = fee + 1 WHERE block = 50 AND tx = 0"},
	{name: "a transaction has other calldata", statement: "UPDATE transactions SET calldata = calldata || decode(repeat('00', 32), 'hex') WHERE block = 31 AND tx = 0"},
	{name: "a transaction is said to have reverted", statement: "UPDATE transactions SET reverted = true, revert_reason = 'no' WHERE block = 31 AND tx = 0"},
	{name: "a transaction has another number", statement: "UPDATE transactions SET tx = 999 WHERE block = 31 AND tx = 0"},
	{name: "an event is gone", statement: "DELETE FROM events WHERE block = 12 AND tx = 0 AND log = 0"},
	{name: "an event and its count are gone", statement: "WITH gone AS (DELETE FROM events_1_48 e WHERE block = 50 AND (tx, log) = (SELECT tx, max(log) FROM events_1_48 WHERE block = 50 GROUP BY tx ORDER BY tx DESC LIMIT 1) RETURNING block) UPDATE blocks_1_48 b SET event_count = event_count - 1 FROM gone WHERE b.block = gone.block"},
	{name: "an event of a loading partition is there twice", statement: "INSERT INTO events_1_48 SELECT * FROM events_1_48 WHERE block = 50 AND tx = 0 AND log = 0"},
	{name: "an event has other data", statement: "UPDATE events SET payload = set_byte(payload, octet_length(payload) - 1, 255 - get_byte(payload, octet_length(payload) - 1)) WHERE block = 33 AND tx = 1 AND log = 0"},
	{name: "an event is of another contract", statement: "UPDATE events e SET address = (SELECT max(address) FROM events WHERE address <> e.address) WHERE block = 33 AND tx = 1 AND log = 0"},
	{name: "an event is of an unknown contract", statement: "UPDATE events SET address = 1000000 WHERE block = 12 AND tx = 0 AND log = 0"},
	{name: "an event is in another block and partition", statement: "UPDATE events_1_48 SET block = 7 WHERE block = 50 AND tx = 0 AND log = 0"},
	{name: "a message has another payload", statement: "UPDATE messages SET payload = payload || decode(repeat('00', 32), 'hex') WHERE block = (SELECT min(block) FROM messages)"},
	{name: "a message has another hash", statement: "UPDATE messages SET hash = sha256(hash) WHERE block = (SELECT min(block) FROM messages)"},
	{name: "a message is gone", statement: "DELETE FROM messages WHERE block = (SELECT max(block) FROM messages)"},

	// Contracts and classes.
	{name: "a declaration is gone", statement: "DELETE FROM declarations WHERE chain = 1 AND block = (SELECT max(block) FROM declarations)"},
	{name: "a class change is gone", statement: "DELETE FROM contract_classes WHERE chain = 1 AND (block, address) = (SELECT t.block, t.address FROM tokens t ORDER BY t.block LIMIT 1)"},
	{name: "a class change names another class", statement: "UPDATE contract_classes c SET class = (SELECT min(class) FROM contract_classes WHERE class <> c.class) WHERE chain = 1 AND address = (SELECT address FROM tokens ORDER BY block LIMIT 1)"},
	{name: "a class change of no block", statement: "INSERT INTO contract_classes SELECT 1, address, 7000, 2, class FROM contract_classes LIMIT 1"},
	{name: "an invented class change", statement: "INSERT INTO contract_classes SELECT 1, address, 22, 2, class FROM contract_classes ORDER BY block LIMIT 1"},
	{name: "a class is gone", statement: "DELETE FROM classes WHERE chain = 1 AND id = (SELECT class FROM contract_classes ORDER BY block DESC LIMIT 1)"},
	{name: "a class has another hash", statement: "UPDATE classes SET hash = " + otherFelt("hash") + " WHERE chain = 1 AND id = 2"},
	{name: "a class has another ABI", statement: "UPDATE classes SET abi = '[]', standard = 0, account = false WHERE chain = 1 AND id = (SELECT id FROM classes WHERE standard = 1 LIMIT 1)"},
	{name: "a class is said to be missing", statement: "UPDATE classes SET missing = true, abi = NULL WHERE chain = 1 AND id = 1"},
	{name: "a class is said to be first named later", statement: "UPDATE classes SET block = block + 5 WHERE chain = 1 AND id = 1"},
	{name: "an invented class", statement: "INSERT INTO classes SELECT chain, 1000, 25, standard, sierra, account, missing, " + otherFelt("hash") + ", abi FROM classes WHERE id = 1"},
	{name: "a class has another standard", statement: "UPDATE classes SET standard = 2 WHERE chain = 1 AND standard = 1"},
	{name: "an event of an ABI has another name", statement: "UPDATE event_schemas SET name = 'Other' WHERE chain = 1 AND ordinal = 0"},
	{name: "the functions of an ABI are gone", statement: "DELETE FROM function_schemas WHERE chain = 1 AND class = 1"},
	{name: "a deployer is forgotten", statement: "UPDATE deployments SET deployer = NULL WHERE chain = 1 AND deployer IS NOT NULL"},
	{name: "an implementation is gone", statement: "DELETE FROM contract_implementations WHERE (address, block) = (SELECT address, block FROM contract_implementations WHERE class IS NOT NULL ORDER BY block LIMIT 1)", proxies: true},
	{name: "all implementations are gone", statement: "DELETE FROM contract_implementations", proxies: true},
	{name: "a proxy executes another class", statement: "UPDATE contract_implementations i SET class = (SELECT min(id) FROM classes WHERE chain = 1 AND id <> i.class) WHERE class IS NOT NULL", proxies: true},
	{name: "a proxy executes an unknown class", statement: "UPDATE contract_implementations SET class = 1000000 WHERE class IS NOT NULL", proxies: true},
	{name: "a proxy executes a contract", statement: "UPDATE contract_implementations SET class = NULL, contract = address WHERE class IS NOT NULL", proxies: true},
	{name: "an invented implementation", statement: "INSERT INTO contract_implementations SELECT chain, address, 33, origin, family, class, contract FROM contract_implementations WHERE class IS NOT NULL ORDER BY block LIMIT 1", proxies: true},
	{name: "an implementation of no block", statement: "INSERT INTO contract_implementations SELECT chain, address, 7000, origin, family, class, contract FROM contract_implementations LIMIT 1", proxies: true},

	// Dictionaries.
	{name: "an address is another felt", statement: "UPDATE addresses SET felt = " + otherFelt("felt") + " WHERE chain = 1 AND id = (SELECT address FROM tokens ORDER BY block LIMIT 1)"},
	{name: "an address that only received is another felt", statement: "UPDATE addresses SET felt = " + otherFelt("felt") + " WHERE chain = 1 AND id = (SELECT max(receiver) FROM transfers)"},
	{name: "an address is no felt", statement: "UPDATE addresses SET felt = decode(repeat('ff', 32), 'hex') WHERE chain = 1 AND id = 5"},
	{name: "an address is gone", statement: "DELETE FROM addresses WHERE chain = 1 AND id = (SELECT max(receiver) FROM transfers)"},
	{name: "an address has two ids", statement: "ALTER TABLE addresses DROP CONSTRAINT addresses_chain_felt_key; INSERT INTO addresses SELECT 1, 1000000, felt FROM addresses WHERE chain = 1 AND id = 5"},
	{name: "an address has two ids, both used", statement: "ALTER TABLE addresses DROP CONSTRAINT addresses_chain_felt_key; INSERT INTO addresses SELECT 1, 1000000, felt FROM addresses WHERE chain = 1 AND id = (SELECT address FROM events WHERE block = 33 AND tx = 1 AND log = 0); UPDATE events SET address = 1000000 WHERE block = 33 AND tx = 1 AND log = 0"},
	{name: "two addresses are swapped", statement: "ALTER TABLE addresses DROP CONSTRAINT addresses_chain_felt_key; UPDATE addresses SET felt = (SELECT felt FROM addresses o WHERE o.chain = 1 AND o.id = 11 - addresses.id) WHERE chain = 1 AND id IN (5, 6); ALTER TABLE addresses ADD CONSTRAINT addresses_chain_felt_key UNIQUE (chain, felt)"},
	{name: "a selector is another felt", statement: "UPDATE selectors SET felt = " + otherFelt("felt") + " WHERE chain = 1 AND id = (SELECT selector FROM events WHERE block = 33 AND tx = 1 AND log = 0)"},
	{name: "a selector is gone", statement: "DELETE FROM selectors s USING events e WHERE s.chain = 1 AND s.id = e.selector AND e.block = 33 AND e.tx = 1 AND e.log = 0"},

	// Derived rows.
	{name: "a transfer is gone", statement: "DELETE FROM transfers WHERE ctid = (SELECT min(ctid) FROM transfers_1_20) AND tableoid = 'transfers_1_20'::regclass"},
	{name: "a transfer has another amount", statement: "UPDATE transfers_1_48 SET amount = amount + 1 WHERE ctid = (SELECT min(ctid) FROM transfers_1_48 WHERE amount IS NOT NULL)"},
	{name: "an invented transfer", statement: "INSERT INTO transfers SELECT block, tx, log, 77, standard, token, sender, receiver, chain, amount, token_id FROM transfers WHERE ctid = (SELECT min(ctid) FROM transfers_1_0) AND tableoid = 'transfers_1_0'::regclass"},
	{name: "an untyped transfer is gone", statement: "DELETE FROM untyped_transfers WHERE (address, part, block) = (SELECT address, part, block FROM untyped_transfers ORDER BY block, address LIMIT 1)"},
	{name: "all untyped transfers are gone", statement: "DELETE FROM untyped_transfers"},
	{name: "more transfers are untyped", statement: "UPDATE untyped_transfers SET events = events + 1 WHERE block = (SELECT max(block) FROM untyped_transfers)"},
	{name: "an invented untyped transfer", statement: "INSERT INTO untyped_transfers SELECT 1, min(address), 1, 33, 1 FROM tokens"},
	{name: "an untyped transfer of no block", statement: "INSERT INTO untyped_transfers SELECT 1, min(address), 1, 7000, 1 FROM tokens"},
	{name: "an untyped transfer is of an unknown address", statement: "UPDATE untyped_transfers SET address = 1000000 WHERE (address, part, block) = (SELECT address, part, block FROM untyped_transfers ORDER BY block, address LIMIT 1)"},
	{name: "an event of a privacy pool is gone", statement: "DELETE FROM privacy_events WHERE (block, tx, log) = (SELECT block, tx, log FROM privacy_events ORDER BY block, tx, log LIMIT 1)"},
	{name: "all events of privacy pools are gone", statement: "DELETE FROM privacy_events"},
	{name: "an event of a privacy pool has another amount", statement: "UPDATE privacy_events SET amount = amount + 1 WHERE (block, tx, log) = (SELECT block, tx, log FROM privacy_events WHERE amount IS NOT NULL ORDER BY block DESC LIMIT 1)"},
	{name: "an event of a privacy pool is said to be malformed", statement: "UPDATE privacy_events SET reading = 1, amount = NULL WHERE (block, tx, log) = (SELECT block, tx, log FROM privacy_events WHERE amount IS NOT NULL ORDER BY block LIMIT 1)"},
	{name: "an event of a privacy pool is of another contract", statement: "UPDATE privacy_events SET pool = (SELECT min(address) FROM tokens) WHERE (block, tx, log) = (SELECT block, tx, log FROM privacy_events ORDER BY block LIMIT 1)"},
	{name: "an invented event of a privacy pool", statement: "INSERT INTO privacy_events SELECT chain, 33, 0, 900, variant, reading, pool, party, token, amount, note FROM privacy_events LIMIT 1"},
	{name: "an event of a privacy pool of no block", statement: "INSERT INTO privacy_events SELECT chain, 7000, tx, log, variant, reading, pool, party, token, amount, note FROM privacy_events LIMIT 1"},
	{name: "an event of a privacy pool has an unknown token", statement: "UPDATE privacy_events SET token = 1000000 WHERE (block, tx, log) = (SELECT block, tx, log FROM privacy_events WHERE token IS NOT NULL ORDER BY block LIMIT 1)"},
	{name: "an event of a privacy pool has an unknown variant", statement: "UPDATE privacy_events SET variant = 99 WHERE (block, tx, log) = (SELECT block, tx, log FROM privacy_events ORDER BY block LIMIT 1)"},
	{name: "a privacy pool is forgotten", statement: "DELETE FROM privacy_pools WHERE chain = 1"},
	{name: "a privacy pool is another contract", statement: "UPDATE privacy_pools SET address = (SELECT min(address) FROM tokens) WHERE chain = 1"},
	{name: "a privacy pool is an unknown contract", statement: "UPDATE privacy_pools SET address = 1000000 WHERE chain = 1"},
	{name: "the address of a privacy pool is gone", statement: "DELETE FROM addresses WHERE chain = 1 AND id = (SELECT address FROM privacy_pools WHERE chain = 1)"},
	{name: "the address of a privacy pool is another felt", statement: "UPDATE addresses SET felt = " + otherFelt("felt") + " WHERE chain = 1 AND id = (SELECT address FROM privacy_pools WHERE chain = 1)"},
	{name: "the class of a privacy pool is said to be missing", statement: "UPDATE classes SET missing = true, abi = NULL WHERE chain = 1 AND id = (SELECT class FROM contract_classes WHERE address = (SELECT address FROM privacy_pools WHERE chain = 1) ORDER BY block LIMIT 1)"},
	{name: "activity is gone", statement: "DELETE FROM activity WHERE block = 33"},
	{name: "a token is forgotten", statement: "DELETE FROM tokens WHERE chain = 1 AND address = (SELECT min(address) FROM tokens WHERE chain = 1)"},
	{name: "a token is shown too late", statement: "UPDATE tokens SET block = block + 1 WHERE chain = 1 AND address = (SELECT min(address) FROM tokens WHERE chain = 1)"},
	{name: "a token has another standard", statement: "UPDATE tokens SET standard = 2 WHERE chain = 1 AND standard = 1"},
	{name: "a locator is gone", statement: "DELETE FROM locators WHERE chain = 1 AND block = 30 AND kind = 1"},
	{name: "a locator points elsewhere", statement: "UPDATE locators SET block = 31 WHERE chain = 1 AND block = 30 AND kind = 2 AND tx = 0"},
	{name: "a deriver has another version", statement: "UPDATE deriver_versions SET version = 0 WHERE chain = 1 AND fact = 'transfers'"},
	{name: "an event and the transfer from it are another", statement: "UPDATE events SET payload = set_byte(payload, octet_length(payload) - 33, 255 - get_byte(payload, octet_length(payload) - 33)) WHERE (block, tx, log) = (SELECT block, tx, log FROM transfers WHERE block = 33 LIMIT 1); UPDATE transfers SET amount = amount + 1 WHERE block = 33"},

	// Where the index stands.
	{name: "the checkpoint names another hash", statement: "UPDATE index_checkpoints SET hash = decode(repeat('00', 32), 'hex') WHERE chain = 1"},
	{name: "the checkpoint is too low", statement: "UPDATE index_checkpoints c SET block = 58, hash = b.hash FROM blocks_1_48 b WHERE c.chain = 1 AND b.block = 58"},
	{name: "the checkpoint is too high", statement: "UPDATE index_checkpoints SET block = 62 WHERE chain = 1"},
	{name: "the first block is another", statement: "UPDATE index_checkpoints SET first_block = 3 WHERE chain = 1"},
	{name: "the finalized tier is above the checkpoint", statement: "UPDATE index_checkpoints SET finalized_block = 70 WHERE chain = 1"},
	{name: "the finalized tier is too high", statement: "UPDATE index_checkpoints SET finalized_block = 58 WHERE chain = 1"},
	{name: "the finalized tier is too low", statement: "UPDATE index_checkpoints SET finalized_block = 10 WHERE chain = 1"},
	{name: "the L1 watermark is above the head", statement: "UPDATE chain_heads SET l1_block_number = 99 WHERE chain = 'SN_MAIN'"},
	{name: "the L1 watermark is too high", statement: "UPDATE chain_heads SET l1_block_number = 45 WHERE chain = 'SN_MAIN'"},
	{name: "the verified blocks end too high", statement: "UPDATE index_checkpoints SET full_block = 50 WHERE chain = 1"},
	{name: "the verified blocks end too low", statement: "UPDATE index_checkpoints SET full_block = 10 WHERE chain = 1"},
	{name: "the verified blocks end nowhere", statement: "UPDATE index_checkpoints SET full_block = NULL WHERE chain = 1"},
	{name: "the verified transactions end too high", statement: "UPDATE index_checkpoints SET transactions_block = 99 WHERE chain = 1"},
	{name: "the verified transactions end too low", statement: "UPDATE index_checkpoints SET transactions_block = 3 WHERE chain = 1"},

	// Partitions.
	{name: "an index is gone", statement: "DROP INDEX transfers_1_0_sender"},
	{name: "an index is not declared", statement: "CREATE INDEX surprise ON blocks_1_20 (hash)"},
	{name: "a partition is detached", statement: "ALTER TABLE events_1 DETACH PARTITION events_1_20"},
	{name: "a detached partition was changed", statement: "ALTER TABLE events_1 DETACH PARTITION events_1_20; UPDATE events_1_20 SET payload = '' WHERE block = 33 AND tx = 1 AND log = 0"},
	{name: "a table belongs to no partition", statement: "CREATE TABLE messages_1_7777 (LIKE messages)"},
	{name: "a table is gone", statement: "DROP TABLE activity_1_40"},
	{name: "the blocks of a partition are gone", statement: "DROP TABLE blocks_1_40"},
	{name: "a partition ends elsewhere", statement: "UPDATE index_ranges SET to_block = 19 WHERE chain = 1 AND from_block = 0"},
	{name: "a partition begins elsewhere", statement: "UPDATE index_ranges SET from_block = 21 WHERE chain = 1 AND from_block = 20"},
	{name: "a partition is forgotten", statement: "DELETE FROM index_ranges WHERE chain = 1 AND from_block = 20"},
	{name: "a ready partition is said to be loading", statement: "UPDATE index_ranges SET state = 'loading', to_block = NULL WHERE chain = 1 AND from_block = 20"},
	{name: "a loading partition is said to be ready", statement: "UPDATE index_ranges SET state = 'ready', to_block = 100 WHERE chain = 1 AND from_block = 48"},
	{name: "a partition counts other events", statement: "UPDATE index_ranges SET events = events + 1 WHERE chain = 1 AND from_block = 20"},

	// Results of jobs.
	{name: "the sums of a token are others", statement: "UPDATE token_summaries SET transfers = transfers + 1 WHERE chain = 1"},
	{name: "a party of a token is gone", statement: "DELETE FROM token_parties WHERE chain = 1 AND address = (SELECT max(address) FROM token_parties)"},
	{name: "the sums end too high", statement: "UPDATE token_summary_checkpoints SET block = 60 WHERE chain = 1"},
	{name: "the sums have no checkpoint", statement: "DELETE FROM token_summary_checkpoints WHERE chain = 1"},
	{name: "the flow ledger ends too high", statement: "UPDATE privacy_ledgers SET block = 60 WHERE chain = 1"},
	{name: "the flow ledger has other totals", statement: "UPDATE privacy_ledgers SET missing = missing + 1 WHERE chain = 1"},
	{name: "the flow ledger is gone", statement: "DELETE FROM privacy_ledgers WHERE chain = 1"},
	{name: "an asset of a privacy pool has another amount", statement: "UPDATE privacy_assets SET withdrawn = withdrawn + 1 WHERE chain = 1"},
	{name: "a wallet of a privacy pool is gone", statement: "DELETE FROM privacy_wallets WHERE chain = 1 AND address = (SELECT max(address) FROM privacy_wallets)"},
	{name: "events of a privacy pool are counted twice", statement: "UPDATE privacy_counts SET events = 2 * events WHERE chain = 1"},
	{name: "an hourly point of the flow ledger is invented", statement: "INSERT INTO privacy_points SELECT chain, timestamp - timestamp % 3600 - 360000, block, hash, timestamp, now(), flow_block, flow_tx, flow_log, 1, 1, 0 FROM privacy_ledgers WHERE chain = 1"},
	{name: "a bucket of the flow ledger has another sum", statement: "UPDATE privacy_bucket_flows SET deposited_sum = deposited_sum + 1 WHERE chain = 1"},
	{name: "a supply is of a block above the tier", statement: "UPDATE tokens SET supply_block = 60 WHERE chain = 1 AND supply IS NOT NULL"},
	{name: "a certificate lacks an event", statement: "DELETE FROM event_positions_1 WHERE ctid = (SELECT min(ctid) FROM event_positions_1)"},
	{name: "a certificate ends too high", statement: "UPDATE event_certificates SET through_block = 60 WHERE chain = 1 AND id = 1"},
	{name: "a holder of a census has another balance", statement: "UPDATE census_holders SET balance = balance + 1 WHERE rank = 1"},
	{name: "a census is of another block", statement: "UPDATE census_generations SET block_hash = decode(repeat('01', 32), 'hex') WHERE chain = 1"},
	{name: "censuses have no epoch", statement: "DELETE FROM census_epochs WHERE chain = 1"},

	// What only a node knows.
	{name: "the L1 watermark is a block that L1 has not accepted", statement: "UPDATE chain_heads h SET l1_block_number = b.block, l1_block_hash = b.hash FROM blocks_1_48 b WHERE h.chain = 'SN_MAIN' AND b.block = 55", byNode: true},
	{name: "a name is another", statement: "UPDATE tokens SET name = 'Other' WHERE chain = 1 AND name IS NOT NULL", byNode: true},
	{name: "decimals are others", statement: "UPDATE tokens SET decimals = 3 WHERE chain = 1 AND decimals IS NOT NULL", byNode: true},
	{name: "a supply is another", statement: "UPDATE tokens SET supply = supply + 1 WHERE chain = 1 AND supply IS NOT NULL", byNode: true},
	{name: "a row of a block without a digest is another", statement: "UPDATE blocks SET base_digest = NULL, timestamp = timestamp + 1 WHERE block = 7", byNode: true},
	{name: "a class without a digest is another", statement: "UPDATE classes SET digest = NULL, missing = true WHERE chain = 1 AND id = 1", byNode: true},
}
