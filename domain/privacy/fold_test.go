package privacy_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/starknet"
)

var ignoreBookkeeping = cmp.Options{cmpopts.IgnoreUnexported(tables{}), cmpopts.EquateEmpty()}

func TestFoldingInAnyStepsGivesTheSameRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyChain(t)
		whole := newTables()
		if err := whole.fold(c, 0, len(c.blocks)); err != nil {
			t.Fatal(err)
		}
		parts := newTables()
		for from := 0; from < len(c.blocks); {
			to := from + rapid.IntRange(1, len(c.blocks)-from).Draw(t, "step")
			if err := parts.fold(c, from, to); err != nil {
				t.Fatal(err)
			}
			from = to
		}
		if diff := cmp.Diff(whole, parts, ignoreBookkeeping); diff != "" {
			t.Fatalf("rows in several steps differ (-one step +several):\n%s", diff)
		}
	})
}

// netFlows sums up the flows of the blocks up to one, by token, in another way than
// the ledger: as what each flow changes.
func netFlows(c testChain, through uint64) (net map[starknet.Felt]*big.Int, missing uint64) {
	net = map[starknet.Felt]*big.Int{}
	for _, e := range c.events {
		if e.At.Block > through || !e.Variant.Flows() {
			continue
		}
		if e.Reading != facts.PoolRead {
			missing++
			continue
		}
		if net[*e.Token] == nil {
			net[*e.Token] = new(big.Int)
		}
		change := e.Amount.Big()
		if e.Variant == facts.PoolWithdrawal {
			change.Neg(change)
		}
		net[*e.Token].Add(net[*e.Token], change)
	}
	return net, missing
}

func netOf(f privacy.LedgerFlow) *big.Int {
	return new(big.Int).Sub(f.Deposited.Big(), f.Withdrawn.Big())
}

// TestEveryEndedHourHasAPointThatEqualsTheLedgerAtItsBlock also holds for hours
// without events and without blocks. No other hour has a point.
func TestEveryEndedHourHasAPointThatEqualsTheLedgerAtItsBlock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyChain(t)
		got := newTables()
		if err := got.fold(c, 0, len(c.blocks)); err != nil {
			t.Fatal(err)
		}
		points := got.Points
		if len(c.events) == 0 {
			if len(points) != 0 {
				t.Fatalf("got %d points without events, want none", len(points))
			}
			return
		}
		last := c.blocks[len(c.blocks)-1]
		for hour := c.events[0].Timestamp / 3600 * 3600; hour+3600 <= last.Timestamp; hour += 3600 {
			if len(points) == 0 {
				t.Fatalf("got no point of hour %d, want one", hour)
			}
			point := points[0]
			points = points[1:]
			var block privacy.LedgerBlock
			for _, b := range c.blocks {
				if b.Timestamp < hour+3600 {
					block = b
				}
			}
			want, missing := netFlows(c, block.Number)
			if point.Hour != hour || point.Block != block || point.Missing != missing {
				t.Fatalf("got a point of hour %d at block %d with %d missing, want hour %d at %d with %d", point.Hour, point.Block.Number, point.Missing, hour, block.Number, missing)
			}
			snapshot := newTables()
			if err := snapshot.fold(c, 0, int(block.Number)+1); err != nil {
				t.Fatal(err)
			}
			listed := map[starknet.Felt]privacy.LedgerFlow{}
			for key, asset := range snapshot.Assets {
				sum := listed[key.Token]
				sum.Deposited, sum.Withdrawn = plus(sum.Deposited, asset.Deposited), plus(sum.Withdrawn, asset.Withdrawn)
				sum.Deposits, sum.Withdrawals, sum.Missing = sum.Deposits+asset.Deposits, sum.Withdrawals+asset.Withdrawals, sum.Missing+asset.Missing
				listed[key.Token] = sum
			}
			if point.Tokens != uint64(len(listed)) {
				t.Fatalf("got %d tokens in hour %d, want %d", point.Tokens, hour, len(listed))
			}
			for token, flow := range listed {
				if held := netOf(flow); want[token] != nil && held.Cmp(want[token]) != 0 || want[token] == nil && held.Sign() != 0 {
					t.Fatalf("got a net of %s of token %s in hour %d, want %s", held, token, hour, want[token])
				} else if held.Sign() == 0 && flow.Missing == 0 {
					delete(listed, token)
				}
			}
			if diff := cmp.Diff(listed, point.Assets, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("the point of hour %d differs from the ledger at its block (-ledger +point):\n%s", hour, diff)
			}
		}
		if len(points) != 0 {
			t.Fatalf("got a point of hour %d, want none", points[0].Hour)
		}
	})
}

// TestBucketsOfEachWidthSumToTheLedger adds up the buckets of a width.
func TestBucketsOfEachWidthSumToTheLedger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyChain(t)
		got := newTables()
		if err := got.fold(c, 0, len(c.blocks)); err != nil {
			t.Fatal(err)
		}
		for _, width := range []privacy.Width{privacy.Hour, privacy.Day, privacy.Week} {
			var sum, want privacy.LedgerBucket
			for key, b := range got.Buckets {
				if key.Width == width {
					sum.Wallets, sum.Deposits, sum.Withdrawals, sum.NotesUsed = sum.Wallets+b.Wallets, sum.Deposits+b.Deposits, sum.Withdrawals+b.Withdrawals, sum.NotesUsed+b.NotesUsed
				}
			}
			want.Wallets = got.Ledger.Wallets
			for key, n := range got.Counts {
				switch key.Variant {
				case facts.PoolDeposit, facts.OpenNoteDeposited:
					want.Deposits += n
				case facts.PoolWithdrawal:
					want.Withdrawals += n
				case facts.NoteUsed:
					want.NotesUsed += n
				}
			}
			if sum != want {
				t.Fatalf("%s: got %+v, want %+v", width, sum, want)
			}
			deposited := map[starknet.Felt]starknet.Uint256{}
			for key, b := range got.Flows {
				if key.Width == width {
					deposited[key.Token] = plus(deposited[key.Token], b.Deposited)
				}
			}
			held := map[starknet.Felt]starknet.Uint256{}
			for key, asset := range got.Assets {
				held[key.Token] = plus(held[key.Token], asset.Deposited)
			}
			if diff := cmp.Diff(held, deposited, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: deposits of the buckets differ from the assets (-assets +buckets):\n%s", width, diff)
			}
		}
	})
}

// TestTheSumsOfABucketAreThoseOfAllBucketsUpToIt adds up the parts.
func TestTheSumsOfABucketAreThoseOfAllBucketsUpToIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyChain(t)
		got := newTables()
		if err := got.fold(c, 0, len(c.blocks)); err != nil {
			t.Fatal(err)
		}
		for key, bucket := range got.Buckets {
			wallets := uint64(0)
			for other, b := range got.Buckets {
				if other.Width == key.Width && other.Start <= key.Start {
					wallets += b.Wallets
				}
			}
			if bucket.WalletsSum != wallets {
				t.Fatalf("%+v: got a sum of %d wallets, want %d", key, bucket.WalletsSum, wallets)
			}
		}
		before := func(other, key privacy.TokenBucketKey) bool {
			return other.Token == key.Token && other.Width == key.Width && other.Start <= key.Start
		}
		for key, bucket := range got.Flows {
			var sum privacy.LedgerBucketFlow
			for other, b := range got.Flows {
				if before(other, key) {
					sum.DepositedSum, sum.WithdrawnSum = plus(sum.DepositedSum, b.Deposited), plus(sum.WithdrawnSum, b.Withdrawn)
				}
			}
			if bucket.DepositedSum != sum.DepositedSum || bucket.WithdrawnSum != sum.WithdrawnSum {
				t.Fatalf("%+v: got %+v, want the sums of %+v", key, bucket, sum)
			}
		}
		for key, bucket := range got.Fees {
			var sum starknet.Uint256
			for other, b := range got.Fees {
				if before(other, key) {
					sum = plus(sum, b.Amount)
				}
			}
			if bucket.AmountSum != sum {
				t.Fatalf("%+v: got a sum of %s, want %s", key, bucket.AmountSum, sum)
			}
		}
	})
}

func TestANegativeNetStaysNegative(t *testing.T) {
	t.Parallel()
	var c testChain
	c.block(7200)
	c.event(0, 0, facts.PoolWithdrawal, 0x70, new(units(9)))
	c.event(0, 1, facts.PoolDeposit, 0x70, new(units(2)))
	c.block(10800)
	got := folded(t, c)
	want := privacy.LedgerFlow{Deposited: units(2), Withdrawn: units(9), Deposits: 1, Withdrawals: 1}
	if len(got.Points) != 1 || got.Points[0].Assets[starknet.FeltFromUint64(0x70)] != want {
		t.Errorf("got the points %+v, want one with %+v", got.Points, want)
	}
}

func TestAMalformedFlowIsMissingAndNeverDropped(t *testing.T) {
	t.Parallel()
	var c testChain
	c.block(0)
	c.event(0, 0, facts.PoolDeposit, 0x70, nil).Reading = facts.PoolMalformed
	c.event(0, 1, facts.PoolWithdrawal, 0, nil).Reading = facts.PoolMalformed // of no known token
	c.block(3600)
	got := folded(t, c)
	if got.Ledger.Missing != 2 || *got.Ledger.Flow != at(0, 0, 1) {
		t.Errorf("got %d missing amounts and the newest flow %v, want 2 and %v", got.Ledger.Missing, got.Ledger.Flow, at(0, 0, 1))
	}
	token := starknet.FeltFromUint64(0x70)
	want := privacy.LedgerFlow{Deposits: 1, Missing: 1}
	if asset := got.Assets[privacy.AssetKey{Token: token, Pool: pool}]; asset.LedgerFlow != want {
		t.Errorf("got %+v, want %+v", asset, want)
	}
	if p := got.Points[0]; p.Missing != 2 || p.Assets[token] != want {
		t.Errorf("got the point %+v, want 2 missing amounts and the token with %+v", p, want)
	}
	if n := got.Counts[privacy.CountKey{Pool: pool, Variant: facts.PoolDeposit}]; n != 1 {
		t.Errorf("got %d deposits, want 1", n)
	}
}

func TestASumOfMoreThan256BitsChangesNothing(t *testing.T) {
	t.Parallel()
	var c testChain
	most := starknet.Uint256{}
	for i := range most {
		most[i] = 0xff
	}
	c.block(0)
	c.event(0, 0, facts.PoolDeposit, 0x70, &most)
	c.block(1)
	c.event(0, 0, facts.PoolDeposit, 0x70, new(units(1))).Pool = otherPool // the pools together exceed it
	before := newTables()
	if err := before.fold(c, 0, 1); err != nil {
		t.Fatal(err)
	}
	changes, err := privacy.Fold(before.State(nil), c.step(1, 2))
	if !errors.Is(err, starknet.ErrUintRange) || changes != nil {
		t.Errorf("got %v and %v, want no changes and ErrUintRange", changes, err)
	}
	if diff := cmp.Diff(folded(t, testChain{c.blocks[:1], c.events[:1], nil}), before, ignoreBookkeeping); diff != "" {
		t.Errorf("the state changed (-want +got):\n%s", diff)
	}
}

func TestAnUnreadEventIsNotFolded(t *testing.T) {
	t.Parallel()
	var c testChain
	c.block(0)
	c.event(0, 0, facts.PoolDeposit, 0, nil).Reading = facts.PoolUnread
	if _, err := privacy.Fold(newTables().State(nil), c.step(0, 1)); err == nil {
		t.Error("got no error, want one")
	}
}

func TestAFeeIsCountedInItsBucketsOnce(t *testing.T) {
	t.Parallel()
	var c testChain
	c.block(3600)
	c.event(0, 0, facts.FeeCollectorSet, 0, nil).Party = &collector
	c.event(0, 1, facts.FeeAmountSet, 0, new(units(6)))
	for i := range 2 {
		c.block(7200 + 3600*uint64(i))
		c.transfers = append(c.transfers, paid(at(uint64(i)+1, 3, 0), collector, 6))
		c.event(3, 1, facts.NoteUsed, 0, nil)
		c.event(3, 2, facts.EncNoteCreated, 0, nil)
	}
	got := newTables()
	for i := range c.blocks { // settings are of an earlier step
		if err := got.fold(c, i, i+1); err != nil {
			t.Fatal(err)
		}
	}
	key := func(width privacy.Width, start uint64) privacy.TokenBucketKey {
		return privacy.TokenBucketKey{BucketKey: privacy.BucketKey{Width: width, Start: start}, Token: privacy.STRK}
	}
	both := privacy.LedgerBucketFee{Amount: units(12), AmountSum: units(12), Transfers: 2, Block: 2}
	want := map[privacy.TokenBucketKey]privacy.LedgerBucketFee{
		key(privacy.Hour, 7200):  {Amount: units(6), AmountSum: units(6), Transfers: 1, Block: 1},
		key(privacy.Hour, 10800): {Amount: units(6), AmountSum: units(12), Transfers: 1, Block: 2},
		key(privacy.Day, 0):      both, key(privacy.Week, 0): both,
	}
	if diff := cmp.Diff(want, got.Fees); diff != "" {
		t.Errorf("fees (-want +got):\n%s", diff)
	}
}
