package fsck

import (
	"math"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// damaged opens an indexed database after a statement has damaged it.
func damaged(t *testing.T, statement string) *repo.DB {
	t.Helper()
	db, conn := repotest.Connect(t, repotest.Indexed)
	tag, err := conn.Exec(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	if tag.RowsAffected() == 0 && (tag.Update() || tag.Delete()) {
		t.Fatalf("%s: got no changed rows, want some", statement)
	}
	return db
}

func run(t *testing.T, db *repo.DB, node Node) Result {
	t.Helper()
	job := &Job{
		Chain: domain.Mainnet, Checkpoints: index.NewCheckpoints(db), Archive: index.NewArchive(db), Inspector: index.NewInspector(db), Node: node, To: math.MaxUint64, Limit: 20,
		Report: func(string) {},
	}
	result, err := job.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestAnIntactIndexHasNoFindings(t *testing.T) {
	t.Parallel()
	result := run(t, damaged(t, "SELECT 1"), nil)
	for _, f := range result.Findings {
		t.Errorf("%s: got %s, want no finding", f.Check, f.Detail)
	}
	if result.Blocks != 61 || result.First != 0 || result.Last != 60 {
		t.Errorf("got %d blocks, %d to %d, want 61, 0 to 60", result.Blocks, result.First, result.Last)
	}
}

func TestBlocksAcceptedOnL1AboveTheRecordedHeadAreNoFinding(t *testing.T) {
	t.Parallel()
	result := run(t, damaged(t, `INSERT INTO chain_heads (chain, state, observed_at, recorded_at, block_number, block_hash, l1_block_number, l1_block_hash, l1_observed_at)
		SELECT 'SN_MAIN', 'following', now(), now(), 48, head.hash, accepted.block, accepted.hash, now()
		FROM blocks_1_45 AS head, blocks_1_45 AS accepted WHERE head.block = 48 AND accepted.block = 50`), nil)
	for _, f := range result.Findings {
		t.Errorf("%s: got %s, want no finding", f.Check, f.Detail)
	}
}

func TestEveryKindOfDamageIsFoundAndNamed(t *testing.T) {
	t.Parallel()
	rederive := func(fact string) string { return "astrolabe rederive " + fact + " --chain SN_MAIN" }
	for name, c := range map[string]struct{ statement, check, detail, repair string }{
		"a block is gone": {
			"DELETE FROM blocks WHERE block = 20", "links", "blocks 20 to 20 are missing", "repair --chain SN_MAIN --block 20 --to 21",
		},
		"a parent is another": {
			"UPDATE blocks SET parent_hash = state_root WHERE block = 30", "links", "its parent_hash is 0x", "repair --chain SN_MAIN --block 29 --to 30",
		},
		"the checkpoint names another hash": {
			"UPDATE index_checkpoints SET hash = decode(repeat('00', 32), 'hex') WHERE chain = 1", "checkpoint", "the checkpoint's hash is 0x00", "repair --chain SN_MAIN --block 60",
		},
		"the finalized tier is too high": {
			"UPDATE index_checkpoints SET finalized_block = 70 WHERE chain = 1", "checkpoint", "ends at 70", "repair --chain SN_MAIN --checkpoint",
		},
		"the last blocks are above the checkpoint": {
			"UPDATE index_checkpoints c SET block = 58, hash = b.hash FROM blocks_1_45 b WHERE c.chain = 1 AND b.block = 58", "beyond", "rows of blocks are outside of blocks 0 to 58", "repair --chain SN_MAIN --checkpoint",
		},
		"an event is gone": {
			"DELETE FROM events WHERE ctid = (SELECT ctid FROM events_1_0 WHERE block = 12 ORDER BY tx DESC, log DESC LIMIT 1) AND tableoid = 'events_1_0'::regclass", "counts", "event_count is", "repair --chain SN_MAIN --block 12",
		},
		"a transaction is gone": {
			"DELETE FROM transactions WHERE block = 31 AND tx = 0", "counts", "tx_count is", "repair --chain SN_MAIN --block 31",
		},
		"a transaction has another number": {
			"UPDATE transactions SET tx = 999 WHERE block = 31 AND tx = 0", "places", "transactions are numbered 1 to 999", "repair --chain SN_MAIN --block 31",
		},
		"an event of a loading partition is there twice": {
			"INSERT INTO events_1_45 SELECT * FROM events_1_45 WHERE block = 50 AND tx = 0 AND log = 0", "counts", "event_count is", "repair --chain SN_MAIN --block 50",
		},
		"an address of events is unknown": {
			"UPDATE events SET address = 1000000 WHERE block = 12 AND tx = 0 AND log = 0", "ids", "events.address 1000000 is not in addresses", "repair --chain SN_MAIN --entry addresses:1000000",
		},
		"a selector is gone from the dictionary": {
			"DELETE FROM selectors s USING events e WHERE s.chain = 1 AND s.id = e.selector AND e.block = 12", "ids", "is not in selectors", "repair --chain SN_MAIN --entry selectors:",
		},
		"a word is no felt": {
			"UPDATE addresses SET felt = decode(repeat('ff', 32), 'hex') WHERE chain = 1 AND id = 5", "dictionary", "address 5 is not a felt: 0xffff", "repair --chain SN_MAIN --entry addresses:5",
		},
		"a felt has two ids": {
			"ALTER TABLE addresses DROP CONSTRAINT addresses_chain_felt_key; INSERT INTO addresses SELECT 1, 1000000, felt FROM addresses WHERE chain = 1 AND id = 5", "dictionary", "has 2 ids", "repair --chain SN_MAIN --entry addresses:1000000",
		},
		"a transfer is gone": {
			"DELETE FROM transfers WHERE ctid = (SELECT min(ctid) FROM transfers_1_25) AND tableoid = 'transfers_1_25'::regclass", "transfers", "the row is missing, expected standard", rederive("transfers"),
		},
		"a transfer's amount is another": {
			"UPDATE transfers_1_45 SET amount = amount + 1 WHERE ctid = (SELECT min(ctid) FROM transfers_1_45 WHERE amount IS NOT NULL)", "transfers", ": amount is", rederive("transfers"),
		},
		"an invented transfer": {
			"INSERT INTO transfers SELECT block, tx, log, 77, standard, token, sender, receiver, chain, amount, token_id FROM transfers WHERE ctid = (SELECT min(ctid) FROM transfers_1_0) AND tableoid = 'transfers_1_0'::regclass", "transfers", "there is a row that is not expected", rederive("transfers"),
		},
		"transfers are not in the sums": {
			"UPDATE token_summary_checkpoints SET block = 10 WHERE chain = 1", "token sums", "count 0 transfers, 0 senders and 0 receivers", "repair --chain SN_MAIN --discard sums",
		},
		"activity is gone": {
			"DELETE FROM activity WHERE block = 33", "activity", "of block 33, address", rederive("activity"),
		},
		"a contract that was deployed is stored as replaced, as a node told an earlier release": {
			"UPDATE blocks SET base_digest = NULL WHERE block = (SELECT max(block) FROM contract_classes WHERE chain = 1 AND origin = 1 AND block < 25); UPDATE contract_classes SET origin = 2 WHERE chain = 1 AND block = (SELECT max(block) FROM contract_classes WHERE chain = 1 AND origin = 1 AND block < 25)",
			"class moves", "is stored as replaced, but did not exist before", "repair --chain SN_MAIN --block ",
		},
		"a contract that was replaced is stored as deployed": {
			"UPDATE blocks SET base_digest = NULL WHERE block = 24; INSERT INTO contract_classes SELECT 1, address, 24, 1, class FROM contract_classes WHERE chain = 1 AND origin = 1 ORDER BY block LIMIT 1",
			"class moves", "is stored as deployed, but existed before", "repair --chain SN_MAIN --block 24",
		},
		"a deployer is forgotten": {
			"UPDATE deployments SET deployer = NULL WHERE chain = 1 AND deployer IS NOT NULL", "deployments", "deployer is null, expected 0x", rederive("deployments"),
		},
		"a token is forgotten": {
			"DELETE FROM tokens WHERE chain = 1 AND address = (SELECT min(address) FROM tokens WHERE chain = 1)", "tokens", "the row is missing, expected standard", rederive("tokens"),
		},
		"a token is shown too late": {
			"UPDATE tokens SET block = block + 1 WHERE chain = 1 AND address = (SELECT min(address) FROM tokens WHERE chain = 1)", "tokens", "the row is missing", rederive("tokens"),
		},
		"an event's name is another": {
			"UPDATE event_schemas SET name = 'Other' WHERE chain = 1 AND ordinal = 0 AND class = (SELECT min(class) FROM event_schemas)", "schemas", ".name is Other, but its ABI gives", rederive("schemas"),
		},
		"a class has another standard": {
			"UPDATE classes SET standard = 2 WHERE chain = 1 AND standard = 1", "schemas", "standard is erc721, but its ABI gives erc20", rederive("schemas"),
		},
		"a class is gone": {
			"DELETE FROM classes WHERE chain = 1 AND id = (SELECT class FROM contract_classes ORDER BY block LIMIT 1)", "classes", "is not in classes", "repair --chain SN_MAIN --entry classes:",
		},
		"a locator is gone": {
			"DELETE FROM locators WHERE chain = 1 AND block = 30 AND kind = 1", "locators", "0 locators instead of 1", rederive("locators"),
		},
		"a locator points elsewhere": {
			"UPDATE locators SET block = 31 WHERE chain = 1 AND block = 30 AND kind = 2 AND tx = 0", "locators", "locators instead of", rederive("locators"),
		},
		"an index is gone": {
			"DROP INDEX transfers_1_0_sender", "partitions", "the index transfers_1_0_sender is missing", "CREATE INDEX IF NOT EXISTS transfers_1_0_sender ON transfers_1_0 (sender, block, tx, log, idx)",
		},
		"an index is not declared": {
			"CREATE INDEX surprise ON blocks_1_25 (hash)", "partitions", "which is not declared", "DROP INDEX surprise",
		},
		"a ready table is not attached": {
			"ALTER TABLE events_1 DETACH PARTITION events_1_25", "partitions", "the table events_1_25 of a ready partition is attached as \"\"", "ALTER TABLE events_1 ATTACH PARTITION events_1_25 FOR VALUES FROM (25) TO (45)",
		},
		"a table belongs to no partition": {
			"CREATE TABLE messages_1_7777 (LIKE messages)", "partitions", "table messages_1_7777 belongs to no partition", "DROP TABLE messages_1_7777",
		},
		"a table is gone": {
			"DROP TABLE activity_1_45", "partitions", "the table activity_1_45 does not exist", "repair --chain SN_MAIN --block 45 --to 60",
		},
		"partitions leave a gap": {
			"UPDATE index_ranges SET to_block = 24 WHERE chain = 1 AND from_block = 0", "partitions", "ends before 24, but its tables are attached up to 25", "UPDATE index_ranges SET state = 'ready', to_block = 25",
		},
		"a row is in another partition's table": {
			"UPDATE messages_1_45 SET block = 7 WHERE ctid = (SELECT min(ctid) FROM messages_1_45)", "bounds", "1 rows of messages_1_45 are outside of its blocks", "repair --chain SN_MAIN --block 7",
		},
		"transactions are of another version": {
			"DELETE FROM deriver_versions WHERE chain = 1 AND fact = 'transactions'", "versions", "transactions have version 0", "astrolabe repair --chain SN_MAIN --versions",
		},
		"an envelope is gone": {
			"UPDATE transactions SET envelope = NULL WHERE block = 30 AND tx = 0", "base rows", "transactions of block 30", "repair --chain SN_MAIN --block 30",
		},
		"a deriver's version is another": {
			"UPDATE deriver_versions SET version = 0 WHERE chain = 1 AND fact = 'transfers'", "versions", "transfers have version 0", rederive("transfers"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, damaged(t, c.statement), nil)
			for _, f := range result.Findings {
				if f.Check == c.check && strings.Contains(f.Detail, c.detail) && strings.Contains(f.Repair, c.repair) {
					return
				}
			}
			t.Errorf("got %d findings, want %s: %s (%s) among them", len(result.Findings), c.check, c.detail, c.repair)
			for _, f := range result.Findings {
				t.Logf("%s: %s (%s)", f.Check, f.Detail, f.Repair)
			}
		})
	}
}

// TestAnIndexOfAnEarlierReleaseGetsOneAdvice checks an index as a release left it
// that knew neither whole transactions nor untyped transfers nor digests.
func TestAnIndexOfAnEarlierReleaseGetsOneAdvice(t *testing.T) {
	t.Parallel()
	result := run(t, damaged(t, `
		DELETE FROM deriver_versions WHERE fact IN ('transactions', 'untyped_transfers'); UPDATE deriver_versions SET version = 1;
		UPDATE transactions SET envelope = NULL; UPDATE transactions_1_45 SET envelope = NULL; DELETE FROM untyped_transfers;
		UPDATE classes SET digest = NULL; UPDATE blocks SET base_digest = NULL; UPDATE blocks_1_45 SET base_digest = NULL`), nil)
	if len(result.Findings) != 1 || result.Findings[0].Repair != "astrolabe rollback --chain SN_MAIN --all --yes" {
		t.Errorf("got %+v, want one finding, to index the chain again", result.Findings)
	}
}

func TestRowsOfAnotherVersionAreNotCompared(t *testing.T) {
	t.Parallel()
	result := run(t, damaged(t, "DELETE FROM transfers; UPDATE deriver_versions SET version = 0 WHERE chain = 1 AND fact = 'transfers'"), nil)
	if len(result.Findings) != 1 || result.Findings[0].Repair != "astrolabe rederive transfers --chain SN_MAIN" {
		t.Errorf("got %+v, want one finding, to rederive transfers", result.Findings)
	}
}

// TestBlocksFromBeforeDigestsAreNoted checks an index that is older than the
// digests.
func TestBlocksFromBeforeDigestsAreNoted(t *testing.T) {
	t.Parallel()
	result := run(t, damaged(t, "UPDATE blocks_1_45 SET base_digest = NULL"), nil)
	if len(result.Findings) > 0 || len(result.Notes) != 1 || !strings.HasPrefix(result.Notes[0], "16 blocks were indexed before digests existed") {
		t.Errorf("got %+v and %q, want a note about 16 blocks without a digest", result.Findings, result.Notes)
	}
}

// TestDamagedBlocksAreRepairedBeforeWhatFollowsFromThem checks that no advice
// derives rows from damaged ones, however many rows follow from them.
func TestDamagedBlocksAreRepairedBeforeWhatFollowsFromThem(t *testing.T) {
	t.Parallel()
	result := run(t, damaged(t, "UPDATE transactions SET hash = set_byte(hash, 31, 255 - get_byte(hash, 31)) WHERE block BETWEEN 1 AND 3"), nil)
	for _, f := range result.Findings {
		if !strings.HasPrefix(f.Repair, "astrolabe repair --chain SN_MAIN --block") {
			t.Errorf("%s: %s: got the advice %q, want to repair the block", f.Check, f.Detail, f.Repair)
		}
	}
	if f := result.Findings[0]; f.Check != "base rows" || f.Repair != "astrolabe repair --chain SN_MAIN --block 1 --to 3" {
		t.Errorf("got %+v first, want the base rows of blocks 1 to 3", f)
	}
}
