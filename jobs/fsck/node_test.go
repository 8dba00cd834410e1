package fsck

import (
	"strings"
	"testing"

	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/fault"
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

// TestANodeThatIsBehindSaysNothingAboutLaterBlocks compares with a node that has
// the first 50 of 60 blocks, which L1 has accepted less far.
func TestANodeThatIsBehindSaysNothingAboutLaterBlocks(t *testing.T) {
	t.Parallel()
	behind := everydayNode(t, sim.Config{Blocks: 50})
	result := run(t, damaged(t, `INSERT INTO chain_heads (chain, state, observed_at, recorded_at, block_number, block_hash, l1_block_number, l1_block_hash, l1_observed_at)
		SELECT 'SN_MAIN', 'following', now(), now(), head.block, head.hash, accepted.block, accepted.hash, now()
		FROM blocks_1_45 AS head, blocks_1_45 AS accepted WHERE head.block = 60 AND accepted.block = 48`), behind)
	if len(result.Findings) != 0 || len(result.Notes) != 1 || !strings.HasPrefix(result.Notes[0], "the node is behind the index: its head is block 50;") {
		t.Errorf("got the findings %+v and the notes %q, want no finding, and that the node is behind", result.Findings, result.Notes)
	}
	result = run(t, damaged(t, "UPDATE blocks_1_45 SET timestamp = timestamp + 1, base_digest = NULL WHERE block IN (49, 53)"), behind)
	if len(result.Findings) != 1 || *result.Findings[0].Block != 49 {
		t.Errorf("got the findings %+v, want one, of block 49", result.Findings)
	}
}

func TestABlockThatAPrunedNodeLacksIsNoFault(t *testing.T) {
	t.Parallel()
	simulated, url := repotest.Serve(t, sim.Config{Blocks: 60})
	if err := simulated.Fault(fault.Fault{Kind: fault.RPCError, Code: 24, Methods: []string{"starknet_getBlockWithReceipts"}}); err != nil {
		t.Fatal(err)
	}
	result := run(t, damaged(t, "SELECT 1"), repotest.Client(t, url))
	if len(result.Findings) != 0 || len(result.Notes) != 1 || !strings.HasPrefix(result.Notes[0], "the node has no block 0, although its head is block 60:") {
		t.Errorf("got the findings %+v and the notes %q, want no finding, and that the node has no block 0", result.Findings, result.Notes)
	}
}

// TestOnlyTheFirstBlockThatLeftTheChainIsAFinding compares with a node whose last
// four blocks are others, and with another chain.
func TestOnlyTheFirstBlockThatLeftTheChainIsAFinding(t *testing.T) {
	t.Parallel()
	simulated, url := repotest.Serve(t, sim.Config{Blocks: 60})
	if err := simulated.Reorg(4); err != nil {
		t.Fatal(err)
	}
	other := everydayNode(t, sim.Config{Blocks: 60, Seed: 1})
	for _, c := range []struct {
		node           Node
		detail, repair string
	}{
		{repotest.Client(t, url), "blocks of block 57: hash is 0x", "astrolabe rollback --chain SN_MAIN --to 56 --yes"},
		{other, "blocks of block 0: hash is 0x", "astrolabe rollback --chain SN_MAIN --all --yes"},
	} {
		result := run(t, damaged(t, "SELECT 1"), c.node)
		if len(result.Findings) != 1 || !strings.HasPrefix(result.Findings[0].Detail, c.detail) || result.Findings[0].Repair != c.repair {
			t.Errorf("got %+v, want only %q, and to run %s", result.Findings, c.detail, c.repair)
		}
	}
}
