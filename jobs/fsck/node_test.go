package fsck

import (
	"strings"
	"testing"

	"astrolabe/repo/repotest"
	"astrolabe/sim"
)

// everydayNode serves the indexed chain, or the first blocks of it.
func everydayNode(t *testing.T, config sim.Config) Node {
	t.Helper()
	_, url := repotest.Serve(t, config)
	return repotest.OnceRead{Source: repotest.Client(t, url)}
}

func TestAnIntactIndexEqualsItsNode(t *testing.T) {
	t.Parallel()
	for _, f := range run(t, damaged(t, "SELECT 1"), everydayNode(t, sim.Config{Blocks: 60})).Findings {
		t.Errorf("%s: got %s, want no finding", f.Check, f.Detail)
	}
}

func TestDamageThatOnlyTheNodeRevealsIsFound(t *testing.T) {
	t.Parallel()
	source := everydayNode(t, sim.Config{Blocks: 60})
	for name, c := range map[string]struct{ statement, check, detail, repair string }{
		"a time": {
			"UPDATE blocks SET timestamp = timestamp + 1, base_digest = NULL WHERE block = 7",
			"blocks", "blocks of block 7: timestamp is", "repair --chain SN_MAIN --block 7",
		},
		"a payload": {
			"UPDATE blocks SET base_digest = NULL WHERE block = 33; UPDATE events SET payload = payload || decode(repeat('00', 31) || '05', 'hex') WHERE block = 33 AND tx = 1 AND log = 0",
			"events", "events of block 33, tx 1, log 0: data is [", "repair --chain SN_MAIN --block 33",
		},
		"a fee": {
			"UPDATE blocks_1_45 SET base_digest = NULL WHERE block = 50; UPDATE transactions_1_45 SET fee = fee + 1 WHERE block = 50 AND tx = 0",
			"transactions", "transactions of block 50, tx 0: fee is 0x", "repair --chain SN_MAIN --block 50",
		},
		"an ABI": {
			"UPDATE classes SET abi = convert_to('[]', 'UTF8'), standard = 0, account = false, digest = NULL WHERE chain = 1 AND id = 1; DELETE FROM event_schemas WHERE class = 1; DELETE FROM function_schemas WHERE class = 1",
			"classes", "abi is [], expected [{", "repair --chain SN_MAIN --class 0x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, damaged(t, c.statement), source)
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

func TestABlockThatTheNodeDoesNotHaveIsAFinding(t *testing.T) {
	t.Parallel()
	result := run(t, damaged(t, "SELECT 1"), everydayNode(t, sim.Config{Blocks: 50}))
	if len(result.Findings) != 1 || !strings.HasPrefix(result.Findings[0].Detail, "the node has no block 51;") || result.Findings[0].Repair != "astrolabe rollback --chain SN_MAIN --to 50" {
		t.Errorf("got %+v, want that the node has no block 51, and a rollback", result.Findings)
	}
}

func TestAnotherChainDiffersFromItsFirstBlockOn(t *testing.T) {
	t.Parallel()
	result := run(t, damaged(t, "SELECT 1"), everydayNode(t, sim.Config{Blocks: 60, Seed: 1}))
	if len(result.Findings) != 20 || !strings.HasPrefix(result.Findings[0].Detail, "blocks of block 0: hash is 0x") ||
		result.Findings[0].Repair != "astrolabe rollback --chain SN_MAIN --all" {
		t.Errorf("got %+v, want 20 findings, the first of block 0 with the advice to roll back all", result.Findings)
	}
}
