package address_test

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// An index whose block 1 has an event that may be a transfer of a contract to a
// recipient.
func TestAnswersThatUntypedTransfersCouldChangeArePartial(t *testing.T) {
	t.Parallel()
	sender, recipient, contract := starknet.FeltFromUint64(1), starknet.FeltFromUint64(2), starknet.FeltFromUint64(3)
	blocks := invent(3, 1, func(_ *facts.Block, tx *facts.Transaction) { tx.Sender = &sender })
	blocks[1].Untyped = []facts.UntypedTransfer{{Address: recipient, Role: facts.UntypedParty, Events: 1}, {Address: contract, Role: facts.UntypedContract, Events: 1}}
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 10)
	index.Commit(index.Open(0, 100, indexing.RangeReady), blocks)
	index.Release()
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	record(t, db, &blocks[2].Header)
	g, c := newGuide(t, db), domain.Mainnet
	exact, partial := domain.Coverage{Status: domain.CoverageExact}, domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonUntypedTransfers}
	owners, want := []starknet.Felt{sender, recipient, contract}, []domain.Coverage{exact, partial, exact}

	if got, err := g.addresses.Coverage(t.Context(), c, owners); err != nil || !slices.Equal(got, want) {
		t.Errorf("coverage of activity: got %v and %v, want %v", got, err, want)
	}
	summaries, err := g.addresses.Summaries(t.Context(), c, owners)
	if err != nil || summaries[0].Coverage != exact || !summaries[0].CountExact || summaries[1].Coverage != partial || summaries[1].CountExact || summaries[1].ActivityCount != nil {
		t.Errorf("summaries: got %+v and %v, want an exact and a partial one", summaries, err)
	}
	known, err := g.addresses.Intelligence(t.Context(), c, owners)
	if err != nil || known[0].ReceivedFunds == nil || *known[0].ReceivedFunds || known[1].ReceivedFunds != nil || known[1].Coverage != partial {
		t.Errorf("intelligence: got %+v and %v, want no funds received, then an unknown", known, err)
	}
	if len(known) != 3 || known[2].Coverage != partial || known[2].ReceivedFunds == nil {
		t.Errorf("intelligence of the contract: got %+v, want it partial, because it may be a token, and no funds received", known)
	}
	assets, err := g.addresses.Assets(t.Context(), c, owners, address.ScopeDiscovered, domain.PageRequest{Limit: 5})
	if err != nil || !assets[0].Coverage.Complete() || !slices.Equal(assets[1].Coverage.Reasons, []string{domain.ReasonUntypedTransfers}) {
		t.Errorf("assets: got %+v and %v, want complete ones, then incomplete ones", assets, err)
	}

	statuses := chain.NewStatuses(onchain.NewHeads(db), 0)
	transfers := token.NewTransfers(tokens.NewTransfers(db), tokens.NewTransfers(db), statuses)
	if got, err := transfers.CoverageOfTokens(t.Context(), c, owners); err != nil || !slices.Equal(got, []domain.Coverage{exact, exact, partial}) {
		t.Errorf("coverage of tokens: got %v and %v, want only the contract's partial", got, err)
	}
	for name, test := range map[string]struct {
		filter token.AddressFilter
		want   domain.Coverage
	}{
		"everything":          {token.AddressFilter{}, partial},
		"the block":           {token.AddressFilter{From: new(uint64(1)), To: new(uint64(1))}, partial},
		"blocks before":       {token.AddressFilter{To: new(uint64(0))}, exact},
		"blocks after":        {token.AddressFilter{From: new(uint64(2))}, exact},
		"the contract":        {token.AddressFilter{Tokens: []starknet.Felt{contract}}, partial},
		"another contract":    {token.AddressFilter{Tokens: []starknet.Felt{sender}}, exact},
		"what it sent itself": {token.AddressFilter{Direction: token.Outgoing}, partial},
	} {
		if got, err := transfers.CoverageOfAddresses(t.Context(), c, []starknet.Felt{recipient}, test.filter); err != nil || got[0] != test.want {
			t.Errorf("%s: got the coverage %v and %v, want %v", name, got, err, test.want)
		}
	}
	absent := token.NewTokens(tokens.NewTokens(db), tokens.NewSummaries(db), tokens.NewTransfers(db), statuses)
	for contract, says := range map[starknet.Felt]bool{contract: true, sender: false} {
		err := absent.Absent(t.Context(), c, contract)
		if domain.CodeOf(err) != domain.CodeNotFound || strings.Contains(err.Error(), domain.ReasonUntypedTransfers) != says {
			t.Errorf("%s: got %v, want not_found that names %s: %t", contract, err, domain.ReasonUntypedTransfers, says)
		}
	}
}
