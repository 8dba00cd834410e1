package rest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"

	privacydomain "astrolabe/domain/privacy"
)

// covered lets every token of the ledger have a net of at least zero. In the
// simulated chain one flows out that never flowed in.
const covered = `UPDATE privacy_assets SET deposited = deposited + 200000000 WHERE deposited < withdrawn;
	UPDATE privacy_point_assets SET deposited = deposited + 200000000 WHERE deposited < withdrawn`

// later makes the index begin with block 1 without the deployment of the pool.
const later = `UPDATE index_checkpoints SET first_block = 1;
	DELETE FROM contract_classes WHERE origin = 1 AND address IN (SELECT address FROM privacy_pools)`

func TestASnapshotIsCompleteOnlyIfEveryRuleHolds(t *testing.T) {
	t.Parallel()
	type verdict struct {
		Status  privacydomain.LedgerStatus
		Reason  privacydomain.LedgerReason
		Missing uint64
		Fresh   bool
		Lag     *uint64
	}
	// waiting adds a finalized event above the ledger, which was compared with
	// the blocks before that event was finalized.
	const waiting = `UPDATE privacy_ledgers SET block = 44, target = 44 WHERE chain = 1;
		INSERT INTO privacy_events (chain, block, tx, log, variant, reading, pool) SELECT 1, 45, 9, 9, 0, 0, address FROM privacy_pools WHERE chain = 1`
	complete := verdict{privacydomain.Complete, privacydomain.ReasonLedger, 0, true, new(uint64(0))}
	incomplete := verdict{privacydomain.Degraded, privacydomain.ReasonIncomplete, 0, true, new(uint64(0))}
	missing := incomplete
	missing.Missing = 1
	none := verdict{Status: privacydomain.Unavailable, Reason: privacydomain.ReasonNoSnapshot}
	for _, c := range []struct {
		name, change string
		want         verdict
	}{
		{"nothing is wrong", "", complete},
		{"the index begins later, with the pool's deployment", "UPDATE index_checkpoints SET first_block = 1", complete},
		{"the index begins after the pool", later, incomplete},
		{"the events are of another version", fmt.Sprintf("UPDATE deriver_versions SET version = %d WHERE fact = 'privacy_events'", poolVersion-1), incomplete},
		{"the version of the events is not known", "DELETE FROM deriver_versions WHERE fact = 'privacy_events'", incomplete},
		{"a flow of no known token has no amount", "UPDATE privacy_ledgers SET missing = 1 WHERE chain = 1", missing},
		{"a flow of an asset has no amount", "UPDATE privacy_assets SET missing = 1 WHERE withdrawn = 0", incomplete},
		{"more of an asset flowed out than in", "UPDATE privacy_assets SET withdrawn = deposited + 1 WHERE withdrawn = 0", incomplete},
		{"the ledger could not reach a finalized block", "DELETE FROM privacy_events WHERE block > 45; UPDATE privacy_ledgers SET target = 46 WHERE chain = 1",
			verdict{privacydomain.Degraded, privacydomain.ReasonLag, 0, false, new(uint64(0))}},
		{"an event waits in a finalized block", waiting + "; UPDATE privacy_ledgers SET target = 45 WHERE chain = 1",
			verdict{privacydomain.Degraded, privacydomain.ReasonLag, 0, false, new(uint64(1))}},
		{"an event was finalized since the last comparison", waiting, complete},
		{"an event was finalized, and the last comparison is old", waiting + "; UPDATE privacy_ledgers SET checked_at = checked_at - interval '1 minute' WHERE chain = 1",
			verdict{privacydomain.Degraded, privacydomain.ReasonFreshness, 0, false, nil}},
		{"an event was finalized, and there was no comparison", waiting + "; UPDATE privacy_ledgers SET checked_at = NULL WHERE chain = 1",
			verdict{privacydomain.Degraded, privacydomain.ReasonFreshness, 0, false, nil}},
		{"the last comparison is old, but nothing waits", "UPDATE privacy_ledgers SET checked_at = '2020-01-01' WHERE chain = 1", complete},
		{"the ledger is empty", "UPDATE privacy_ledgers SET block = NULL WHERE chain = 1", none},
		{"the chain has no pool", "DELETE FROM privacy_pools", none},
		{"the pool has no events", "UPDATE privacy_ledgers SET first_block = NULL, first_timestamp = NULL WHERE chain = 1", none},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			l.do(covered)
			l.do(c.change)
			body := l.tvl()
			got := verdict{body.Coverage.Status, body.Coverage.ReasonCode, body.Coverage.MissingAmountEventCount, body.Coverage.DecodedMaterializationFresh, body.Coverage.DecodedEventLagBlocks}
			if diff := cmp.Diff(c.want, got); diff != "" || body.Status != body.Coverage.Status {
				t.Errorf("status %s, coverage (-want +got):\n%s", body.Status, diff)
			}
			if unavailable := body.AsOf.BlockNumber == nil && len(body.Assets) == 0; unavailable != (c.want.Status == privacydomain.Unavailable) {
				t.Errorf("got %+v and %d assets, want them only of a snapshot", body.AsOf, len(body.Assets))
			}
		})
	}
}

// TestAnEventOfAClassThatIsMissingStopsTheLedger builds the ledger while the
// class of a finalized event is not available, and after that.
func TestAnEventOfAClassThatIsMissingStopsTheLedger(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.do("UPDATE privacy_events SET reading = 2 WHERE block = 30; UPDATE privacy_ledgers SET block = NULL WHERE chain = 1")
	l.extend()
	l.do(covered)
	if got := l.tvl(); got.Coverage.ReasonCode != privacydomain.ReasonLag || *got.AsOf.BlockNumber != 29 || *got.Coverage.DecodedEventLagBlocks != 16 {
		t.Errorf("got %+v as of %d, want a lag of 16 blocks as of block 29", got.Coverage, *got.AsOf.BlockNumber)
	}
	l.do("UPDATE privacy_events SET reading = 0 WHERE block = 30")
	l.extend()
	l.do(covered)
	if got := l.tvl(); got.Status != privacydomain.Complete || *got.AsOf.BlockNumber != 45 {
		t.Errorf("got %+v as of %d, want it complete as of block 45", got.Coverage, *got.AsOf.BlockNumber)
	}
}

// poolFlows sums up the flows of the simulated pool up to a block, from its
// events alone.
func poolFlows(t *testing.T, through uint64) map[starknet.Felt][2]uint64 {
	t.Helper()
	flows := map[starknet.Felt][2]uint64{}
	for _, block := range repotest.Everyday(t)[:through+1] {
		for _, e := range block.PoolEvents {
			if e.Variant.Flows() {
				flow := flows[*e.Token]
				if e.Variant == facts.PoolWithdrawal {
					flow[1]++
				} else {
					flow[0]++
				}
				flows[*e.Token] = flow
			}
		}
	}
	return flows
}

func TestTheSnapshotHasEveryTokenThatFlowed(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.do("UPDATE tokens SET symbol = 'STRK', name = 'Starknet Token', decimals = 18 WHERE address = (SELECT id FROM addresses WHERE chain = 1 AND felt = $1)", privacydomain.STRK[:])
	body := l.tvl()
	flows := map[starknet.Felt][2]uint64{}
	for i, a := range body.Assets {
		flows[a.Token.Address] = [2]uint64{a.DepositEventCount, a.WithdrawalEventCount}
		if i > 0 && string(body.Assets[i-1].Token.Address[:]) >= string(a.Token.Address[:]) {
			t.Errorf("got %s after %s, want assets by address", a.Token.Address, body.Assets[i-1].Token.Address)
		}
		switch a.Token.Address {
		case privacydomain.STRK:
			if a.ProtectedAmountRaw.String() != "76802319602931235460" || a.ProtectedAmount == nil || *a.ProtectedAmount != "76.80231960293123546" || *a.Token.Symbol != "STRK" {
				t.Errorf("got %+v, want 76.80231960293123546 STRK", a)
			}
		default:
			if a.ProtectedAmount != nil {
				t.Errorf("got %s without decimals, want null", *a.ProtectedAmount)
			}
		}
		if negative := a.ProtectedAmountRaw.Sign() < 0; negative != (a.ReasonCode == privacydomain.ReasonNegative) || negative != (a.Status == privacydomain.Degraded) {
			t.Errorf("got %s and %s for %s, want negative amounts degraded and kept", a.Status, a.ReasonCode, a.ProtectedAmountRaw)
		}
	}
	if diff := cmp.Diff(poolFlows(t, 45), flows); diff != "" {
		t.Errorf("flows (-want +got):\n%s", diff)
	}
	if got := body.Coverage; got.TokenCount != len(flows) || got.PoolContractCount != 1 || *got.FromBlockNumber != 6 || *got.ThroughBlockNumber != 45 || *got.LatestEventCursor != "43:0:3" || *got.LatestEventBlockNumber != 43 {
		t.Errorf("got %+v, want the blocks 6 to 45 with the newest flow 43:0:3", got)
	}
}

func TestL1AcceptanceIsAFactOfItsOwn(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	for _, c := range []struct {
		change string
		want   string
	}{
		{"", "false 30"},
		{"UPDATE chain_heads SET l1_block_number = 45, l1_block_hash = (SELECT hash FROM blocks WHERE chain = 1 AND block = 45)", "true 45"},
		{"UPDATE chain_heads SET l1_block_hash = '\\x" + fmt.Sprintf("%064d", 1) + "'", "null"}, // of another chain
		{"UPDATE chain_heads SET l1_block_number = 1000", "true 1000"},
		{"UPDATE chain_heads SET l1_block_hash = NULL", "null"},
	} {
		l.do(c.change)
		coverage := l.tvl().Coverage
		got := "null"
		if coverage.AsOfL1Accepted != nil {
			got = fmt.Sprint(*coverage.AsOfL1Accepted, " ", *coverage.LatestL1AcceptedBlockNumber)
		}
		if together := coverage.AsOfL1Accepted == nil; got != c.want || together != (coverage.LatestL1AcceptedBlockNumber == nil) || together != (coverage.LatestL1AcceptedBlockHash == nil) {
			t.Errorf("%q: got %s, want %s", c.change, got, c.want)
		}
	}
}

// TestAHeadReorgChangesNothingThatIsPrepared removes everything above the
// finalized tier.
func TestAHeadReorgChangesNothingThatIsPrepared(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	paths := []string{tvlPath, seriesPath, "/v1/SN_MAIN/privacy-pool/metric-buckets", "/v1/SN_MAIN/privacy-pool/metrics/series?granularity=hour&range=all", analyticsPath}
	before := map[string]string{}
	for _, path := range paths {
		before[path] = l.get(path).body
	}
	l.do("DELETE FROM privacy_events WHERE block > 45; DELETE FROM events WHERE block > 45; DELETE FROM blocks WHERE block > 45")
	l.pass(2 * time.Second)
	l.extend()
	for _, path := range paths {
		if diff := cmp.Diff(before[path], l.get(path).body); diff != "" {
			t.Errorf("%s (-before +after):\n%s", path, diff)
		}
	}
}
