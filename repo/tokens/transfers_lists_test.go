package tokens_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// ledger is the transfers of the everyday chain, newest first, and the service
// under test.
type ledger struct {
	*testing.T
	service   *token.Transfers
	all       []token.Transfer
	tokens    []starknet.Felt
	addresses []starknet.Felt
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	db := repotest.OpenTemplate(t, repotest.Followed)
	l := &ledger{T: t, service: token.NewTransfers(tokens.NewTransfers(db), tokens.NewTransfers(db), chain.NewStatuses(onchain.NewHeads(db), 0)), all: expectedTransfers(repotest.Everyday(t))}
	slices.Reverse(l.all)
	for i := range l.all {
		l.all[i].Tier = chain.HeadTier
		if l.all[i].Block <= repotest.FollowedFinalized {
			l.all[i].Tier = chain.FinalizedTier
		}
		l.tokens = append(l.tokens, l.all[i].Token)
		l.addresses = append(l.addresses, l.all[i].From, l.all[i].To)
	}
	for _, list := range []*[]starknet.Felt{&l.tokens, &l.addresses} {
		slices.SortFunc(*list, starknet.Felt.Cmp)
		*list = slices.Compact(*list)
	}
	return l
}

// where returns the transfers that satisfy a condition.
func (l *ledger) where(holds func(t *token.Transfer) bool) (list []string) {
	for i := range l.all {
		if holds(&l.all[i]) {
			list = append(list, line(&l.all[i]))
		}
	}
	return list
}

func line(t *token.Transfer) string {
	return fmt.Sprint(t.Position(), t.Time.Unix(), t.TxHash, t.Token, t.From, t.To, t.Standard, t.Amount, t.TokenID, t.Tier)
}

// walk collects a list page by page.
func (l *ledger) walk(limit int, read func(page domain.PageRequest) ([]domain.Page[token.Transfer], error)) (list []string) {
	l.Helper()
	request := domain.PageRequest{Limit: limit}
	for {
		pages, err := read(request)
		if err != nil {
			l.Fatal(err)
		}
		page := pages[0]
		if len(page.Items) > limit || page.Next != nil && len(page.Items) < limit {
			l.Fatalf("got %d rows and the next position %v, want at most %d, and as many before the last page", len(page.Items), page.Next, limit)
		}
		for i := range page.Items {
			list = append(list, line(&page.Items[i]))
		}
		if page.Next == nil {
			return list
		}
		request.After = page.Next
	}
}

// some draws up to n of a list, repeats included.
func some(r *rand.Rand, list []starknet.Felt, n int) (drawn []starknet.Felt) {
	for range r.IntN(n + 1) {
		drawn = append(drawn, list[r.IntN(len(list))])
	}
	return drawn
}

func isOneOf(list []starknet.Felt, felt starknet.Felt) bool {
	return len(list) == 0 || slices.Contains(list, felt)
}

func TestTransfersOfATokenAreFilteredBeforePaging(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	r := rand.New(rand.NewPCG(7, 1))
	rows := 0
	for range 150 {
		of, parties, limit := l.tokens[r.IntN(len(l.tokens))], some(r, l.addresses, 4), 1+r.IntN(40)
		want := l.where(func(t *token.Transfer) bool {
			return t.Token == of && (isOneOf(parties, t.From) || isOneOf(parties, t.To))
		})
		got := l.walk(limit, func(page domain.PageRequest) ([]domain.Page[token.Transfer], error) {
			return l.service.OfTokens(t.Context(), domain.Mainnet, []starknet.Felt{of}, parties, page)
		})
		if !slices.Equal(got, want) {
			t.Fatalf("token %s, parties %v, limit %d: %d rows, want %d", of, parties, limit, len(got), len(want))
		}
		rows += len(want)
	}
	if rows < 1000 {
		t.Errorf("got %d rows, want at least 1000", rows)
	}
}

func TestTransfersOfAnAddressAreFilteredBeforePaging(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	r := rand.New(rand.NewPCG(7, 2))
	rows, selves := 0, 0
	for range 250 {
		address, limit := l.addresses[r.IntN(len(l.addresses))], 1+r.IntN(40)
		filter := token.AddressFilter{Direction: token.Directions[r.IntN(3)], Tokens: some(r, l.tokens, 3)}
		if r.IntN(3) == 0 {
			filter.From = new(r.Uint64N(60))
		}
		if r.IntN(3) == 0 {
			filter.To = new(r.Uint64N(60))
		}
		if filter.From != nil && filter.To != nil && *filter.From > *filter.To {
			filter.From, filter.To = filter.To, filter.From
		}
		want := l.where(func(t *token.Transfer) bool {
			in, out := t.To == address, t.From == address
			if in && out {
				selves++
			}
			ways := map[token.Direction]bool{token.AnyDirection: in || out, token.Incoming: in, token.Outgoing: out}
			return ways[filter.Direction] && isOneOf(filter.Tokens, t.Token) &&
				(filter.From == nil || t.Block >= *filter.From) && (filter.To == nil || t.Block <= *filter.To)
		})
		got := l.walk(limit, func(page domain.PageRequest) ([]domain.Page[token.Transfer], error) {
			return l.service.OfAddresses(t.Context(), domain.Mainnet, []starknet.Felt{address}, filter, page)
		})
		if !slices.Equal(got, want) {
			t.Fatalf("address %s, %+v, limit %d: %d rows, want %d", address, filter, limit, len(got), len(want))
		}
		rows += len(want)
	}
	if rows < 500 || selves == 0 {
		t.Errorf("got %d rows, %d of them to their sender; want at least 500 and 1", rows, selves)
	}
}

func TestListsOfManyParentsAreOneStatement(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	unknown := starknet.FeltFromUint64(0xdead)
	page := domain.PageRequest{Limit: 3}
	for name, c := range map[string]struct {
		parents []starknet.Felt
		read    func(parents []starknet.Felt) ([]domain.Page[token.Transfer], error)
	}{
		"tokens": {l.tokens, func(parents []starknet.Felt) ([]domain.Page[token.Transfer], error) {
			return l.service.OfTokens(t.Context(), domain.Mainnet, parents, l.addresses[:100], page)
		}},
		"addresses": {l.addresses[:100], func(parents []starknet.Felt) ([]domain.Page[token.Transfer], error) {
			return l.service.OfAddresses(t.Context(), domain.Mainnet, parents, token.AddressFilter{}, page)
		}},
	} {
		parents := slices.Insert(slices.Clone(c.parents), 2, unknown, c.parents[0])
		together, err := c.read(parents)
		if err != nil {
			t.Fatal(err)
		}
		for i, parent := range parents {
			alone, err := c.read([]starknet.Felt{parent})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(together[i]) != fmt.Sprint(alone[0]) || parent == unknown && len(alone[0].Items) != 0 {
				t.Fatalf("%s: %s: got\n%v\namong others, want\n%v\nas alone", name, parent, together[i], alone[0])
			}
		}
	}
	ctx, count := telemetry.CountStatements(t.Context())
	if _, err := l.service.OfAddresses(ctx, domain.Mainnet, l.addresses, token.AddressFilter{}, page); err != nil {
		t.Fatal(err)
	}
	if count.N() != 2 { // the list, and the chain's head
		t.Errorf("got %d statements, want 2", count.N())
	}
}

func TestBlockRangeWithFromAboveToIsRejected(t *testing.T) {
	t.Parallel()
	_, err := newLedger(t).service.OfAddresses(t.Context(), domain.Mainnet, []starknet.Felt{{}},
		token.AddressFilter{From: new(uint64(9)), To: new(uint64(8))}, domain.PageRequest{Limit: 1})
	if domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("got %v, want %s", err, domain.CodeInvalidRequest)
	}
}
