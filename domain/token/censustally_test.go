package token_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// rows makes a census of balances, the order of addresses as given.
func rows(balances ...string) []token.Holder {
	list := make([]token.Holder, len(balances))
	for i, text := range balances {
		balance, err := domain.ParseAmount(text)
		if err != nil {
			panic(err)
		}
		list[i] = token.Holder{Rank: int64(i) + 1, Address: starknet.FeltFromUint64(uint64(i) + 1), Balance: balance}
	}
	return list
}

func tally(t interface{ Fatal(...any) }, supply string, list []token.Holder) (token.CensusStatus, string, *token.Snapshot) {
	amount, err := domain.ParseAmount(supply)
	if err != nil {
		t.Fatal(err)
	}
	sum := token.NewTally(amount)
	for _, h := range list {
		if err := sum.Add(h); err != nil {
			t.Fatal(err)
		}
	}
	return sum.Close()
}

func TestACensusIsCertifiedWhenItsBalancesAreTheSupply(t *testing.T) {
	t.Parallel()
	const huge = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	for name, c := range map[string]struct {
		supply string
		rows   []token.Holder
		status token.CensusStatus
		reason string
	}{
		"equal":               {"60", rows("30", "20", "10"), token.CensusCertified, ""},
		"one u256":            {huge, rows(huge), token.CensusCertified, ""},
		"nobody":              {"0", nil, token.CensusCertified, ""},
		"too little":          {"61", rows("30", "20", "10"), token.CensusAuditFailed, token.ReasonSupplyMismatch},
		"too much":            {"59", rows("30", "20", "10"), token.CensusAuditFailed, token.ReasonSupplyMismatch},
		"nobody has it":       {"1", nil, token.CensusAuditFailed, token.ReasonSupplyMismatch},
		"a debt that fits":    {"50", rows("30", "25", "-5"), token.CensusAuditFailed, token.ReasonNegativeBalance},
		"a debt and too much": {"10", rows("30", "-5"), token.CensusAuditFailed, token.ReasonSupplyMismatch},
	} {
		status, reason, snapshot := tally(t, c.supply, c.rows)
		if status != c.status || reason != c.reason || (snapshot != nil) != (status == token.CensusCertified) {
			t.Errorf("%s: got %s %s with the snapshot %v, want %s %s", name, status, reason, snapshot, c.status, c.reason)
		}
	}
}

func TestTheDigestCoversEveryLine(t *testing.T) {
	t.Parallel()
	_, _, snapshot := tally(t, "60", rows("30", "20", "10"))
	if want := sha256.Sum256([]byte("1,0x1,30\n2,0x2,20\n3,0x3,10\n")); snapshot.Digest != want {
		t.Errorf("got the digest %x, want %x", snapshot.Digest, want)
	}
	_, _, empty := tally(t, "0", nil)
	if want := sha256.Sum256(nil); empty.Digest != want {
		t.Errorf("no holders: got the digest %x, want %x", empty.Digest, want)
	}
}

func TestRowsOutOfOrderAreRejected(t *testing.T) {
	t.Parallel()
	swapped, gap, zero, twice, nobody := rows("10", "20"), rows("20", "10"), rows("20", "0"), rows("10", "10"), rows("10")
	gap[1].Rank = 3
	twice[1].Address = twice[0].Address
	nobody[0].Address = starknet.Felt{}
	for name, list := range map[string][]token.Holder{"balances": swapped, "a gap": gap, "a zero balance": zero, "an address twice": twice, "the zero address": nobody} {
		sum, failed := token.NewTally(domain.AmountFromUint64(30)), false
		for _, h := range list {
			failed = failed || sum.Add(h) != nil
		}
		if !failed {
			t.Errorf("%s: got no error, want one", name)
		}
	}
}

func TestAnalyticsOfKnownDistributions(t *testing.T) {
	t.Parallel()
	_, _, even := tally(t, "100", rows("25", "25", "25", "25"))
	if a := even.Analytics; a.GiniPpm != 0 || *a.Nakamoto50 != 3 || a.Above1Percent != 4 || a.Top5.Bps != 10_000 || a.Tiers[0].Count != 4 {
		t.Errorf("four equal holders: got %+v, want a Gini of 0, 3 for half, 4 above 1 percent and all in the first tier", a)
	}
	_, _, half := tally(t, "100", rows("50", "50"))
	if *half.Analytics.Nakamoto50 != 2 {
		t.Errorf("half is more than half: got %d holders, want 2", *half.Analytics.Nakamoto50)
	}
	_, _, one := tally(t, "10000", rows("9899", "100", "1"))
	a := one.Analytics
	if a.GiniPpm != 659_866 || *a.Nakamoto50 != 1 || a.Above1Percent != 1 {
		t.Errorf("one large holder: got %+v, want a Gini of 659866, 1 for half and 1 above 1 percent", a)
	}
	if a.Tiers[1].Count != 1 || a.Tiers[3].Count != 1 || a.Tiers[4].Count != 0 {
		t.Errorf("got the tiers %+v, want one holder in the second, one in the fourth and none in the last", a.Tiers)
	}
	_, _, nobody := tally(t, "0", nil)
	if a := nobody.Analytics; a.GiniPpm != 0 || a.Nakamoto50 != nil || a.Top100.Bps != 0 || len(a.Tiers) != 5 {
		t.Errorf("nobody: got %+v, want zeros, no holders for half and five tiers", a)
	}
}

// TestAnalyticsEqualTheirDefinitions computes everything again, slowly: Gini as
// the mean difference of all pairs, tiers and tops by looking at each holder.
func TestAnalyticsEqualTheirDefinitions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		balances := rapid.SliceOfN(rapid.OneOf(
			rapid.Int64Range(1, 20), rapid.Int64Range(1, 1_000_000), rapid.Int64Range(1<<40, 1<<62)), 0, 130).Draw(r, "balances")
		slices.SortFunc(balances, func(a, b int64) int { return cmp.Compare(b, a) })
		var list []token.Holder
		total := new(big.Int)
		for i, b := range balances {
			list = append(list, token.Holder{Rank: int64(i) + 1, Address: starknet.FeltFromUint64(uint64(i) + 1), Balance: domain.AmountFromUint64(uint64(b))})
			total.Add(total, big.NewInt(b))
		}
		_, _, snapshot := tally(r, total.String(), list)
		if got, want := inJSON(snapshot.Analytics), inJSON(naive(balances, total)); got != want {
			r.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func naive(balances []int64, total *big.Int) (a token.Analytics) {
	sum := func(of []int64) *big.Int {
		s := new(big.Int)
		for _, b := range of {
			s.Add(s, big.NewInt(b))
		}
		return s
	}
	scaled := func(part *big.Int, scale int64, whole *big.Int) int64 {
		if whole.Sign() == 0 {
			return 0
		}
		return new(big.Int).Div(new(big.Int).Mul(part, big.NewInt(scale)), whole).Int64()
	}
	top := func(n int) token.Share {
		part := sum(balances[:min(n, len(balances))])
		return token.Share{Balance: domain.AmountFromBig(part), Bps: scaled(part, 10_000, total)}
	}
	a.Top5, a.Top10, a.Top100 = top(5), top(10), top(100)
	differences := new(big.Int)
	for _, x := range balances {
		for _, y := range balances {
			differences.Add(differences, big.NewInt(max(x, y)-min(x, y)))
		}
	}
	a.GiniPpm = scaled(differences, 1_000_000, new(big.Int).Mul(big.NewInt(2*int64(len(balances))), total))
	for n := range balances {
		if part := sum(balances[:n+1]); new(big.Int).Add(part, part).Cmp(total) > 0 {
			a.Nakamoto50 = new(int64(n) + 1)
			break
		}
	}
	least := []int64{1000, 100, 10, 1, 0}
	names := []string{"at_least_10_percent", "at_least_1_percent", "at_least_0_1_percent", "at_least_0_01_percent", "below_0_01_percent"}
	members := make([][]int64, len(least))
	for _, b := range balances {
		if new(big.Int).Mul(big.NewInt(b), big.NewInt(100)).Cmp(total) > 0 {
			a.Above1Percent++
		}
		for i, bps := range least {
			if new(big.Int).Mul(big.NewInt(b), big.NewInt(10_000)).Cmp(new(big.Int).Mul(total, big.NewInt(bps))) >= 0 {
				members[i] = append(members[i], b)
				break
			}
		}
	}
	for i := range least {
		a.Tiers = append(a.Tiers, token.Tier{Name: names[i], MinShareBps: least[i], Count: int64(len(members[i])), Balance: domain.AmountFromBig(sum(members[i]))})
	}
	return a
}
