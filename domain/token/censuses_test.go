package token_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// shelf holds the generations of censuses by id, each with three holders. Its
// standings are never asked for: a request with a position has a
// generation.
type shelf struct {
	token.CensusStore
	generations map[int64]*token.Generation
}

// Generations implements token.CensusStore.
func (s shelf) Generations(_ context.Context, _ domain.Chain, ids []int64) ([]*token.Generation, error) {
	found := make([]*token.Generation, len(ids))
	for i, id := range ids {
		found[i] = s.generations[id]
	}
	return found, nil
}

// Holders implements token.CensusStore.
func (s shelf) Holders(_ context.Context, _ domain.Chain, places []token.HolderPlace, limit int) ([][]token.Holder, error) {
	lists := make([][]token.Holder, len(places))
	for i, place := range places {
		for rank := place.After + 1; rank <= 3 && len(lists[i]) <= limit; rank++ {
			lists[i] = append(lists[i], token.Holder{Rank: rank, Address: starknet.FeltFromUint64(uint64(place.Snapshot))})
		}
	}
	return lists, nil
}

var (
	censusTime = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	oneToken   = starknet.FeltFromUint64(0x70)
	otherToken = starknet.FeltFromUint64(0x71)
)

// counted has a generation of two tokens that is live, and of the first token
// one that was revoked and one that ends now.
func counted() shelf {
	generation := func(id int64, contract starknet.Felt, status token.CensusStatus, left time.Duration) *token.Generation {
		return &token.Generation{ID: id, Token: contract, Status: status, ExpiresAt: censusTime.Add(left), Snapshot: &token.Snapshot{ID: id * 10}}
	}
	return shelf{generations: map[int64]*token.Generation{
		7: generation(7, oneToken, token.CensusCertified, time.Second),
		8: generation(8, otherToken, token.CensusCertified, time.Second),
		5: generation(5, oneToken, token.CensusRevoked, time.Second),
		6: generation(6, oneToken, token.CensusCertified, 0),
	}}
}

func holdersAfter(t *testing.T, after domain.Position) token.HolderPage {
	t.Helper()
	service := token.NewCensuses(counted(), 2, func() time.Time { return censusTime })
	pages, err := service.Holders(t.Context(), domain.Mainnet, []token.HolderRequest{{Token: oneToken, After: after}}, 2)
	if err != nil || len(pages) != 1 {
		t.Fatalf("got %d pages and %v, want one and no error", len(pages), err)
	}
	return pages[0]
}

// TestACensusCursorIsValidOnlyInALiveGenerationOfItsToken asks for positions as
// a facade passes them on: it has checked the cursor's MAC, and a generation's
// token is checked here alone.
func TestACensusCursorIsValidOnlyInALiveGenerationOfItsToken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after domain.Position
		want  domain.Code
	}{
		"a live generation":                   {domain.Position{7, 2}, ""},
		"its beginning":                       {domain.Position{7, 0}, ""},
		"the last rank that can be":           {domain.Position{7, 1<<63 - 1}, ""},
		"a generation of another token":       {domain.Position{8, 2}, domain.CodeInvalidRequest},
		"a generation that was revoked":       {domain.Position{5, 2}, domain.CodeInvalidRequest},
		"a generation that has expired":       {domain.Position{6, 2}, domain.CodeInvalidRequest},
		"a generation that is not kept":       {domain.Position{9, 2}, domain.CodeInvalidRequest},
		"a generation over 63 bits":           {domain.Position{1 << 63, 2}, domain.CodeInvalidRequest},
		"a rank over 63 bits":                 {domain.Position{7, 1 << 63}, domain.CodeInvalidRequest},
		"a position without a rank":           {domain.Position{7}, domain.CodeInvalidRequest},
		"a position with a field too many":    {domain.Position{7, 2, 0}, domain.CodeInvalidRequest},
		"a position that is there, but empty": {domain.Position{}, domain.CodeInvalidRequest},
	} {
		page := holdersAfter(t, c.after)
		if got := domain.CodeOf(page.Err); page.Err != nil && got != c.want || page.Err == nil && c.want != "" {
			t.Errorf("%s: got %v, want code %q", name, page.Err, c.want)
		}
		if c.want != "" && len(page.Items) != 0 {
			t.Errorf("%s: got %d holders, want none", name, len(page.Items))
		}
	}
}

// TestEachCensusCursorIsHeldAgainstItsOwnToken requests pages of two tokens
// together, the first with a position that names no generation.
func TestEachCensusCursorIsHeldAgainstItsOwnToken(t *testing.T) {
	t.Parallel()
	service := token.NewCensuses(counted(), 2, func() time.Time { return censusTime })
	pages, err := service.Holders(t.Context(), domain.Mainnet, []token.HolderRequest{
		{Token: oneToken, After: domain.Position{7}},
		{Token: otherToken, After: domain.Position{8, 2}},
	}, 2)
	if err != nil || len(pages) != 2 {
		t.Fatalf("got %d pages and %v, want two and no error", len(pages), err)
	}
	if got := domain.CodeOf(pages[0].Err); got != domain.CodeInvalidRequest {
		t.Errorf("a position without a rank: got %v, want code %q", pages[0].Err, domain.CodeInvalidRequest)
	}
	if pages[1].Err != nil {
		t.Errorf("a live generation of the second token: got %v, want no error", pages[1].Err)
	}
	want := domain.Page[token.Holder]{Items: []token.Holder{{Rank: 3, Address: starknet.FeltFromUint64(80)}}}
	if diff := cmp.Diff(want, pages[1].Page); diff != "" {
		t.Errorf("the page of the second token (-want +got):\n%s", diff)
	}
}

func TestPagesOfHoldersFollowEachOther(t *testing.T) {
	t.Parallel()
	snapshot := starknet.FeltFromUint64(70)
	want := domain.Page[token.Holder]{Items: []token.Holder{{Rank: 3, Address: snapshot}}}
	if diff := cmp.Diff(want, holdersAfter(t, domain.Position{7, 2}).Page); diff != "" {
		t.Errorf("the second page (-want +got):\n%s", diff)
	}
	want = domain.Page[token.Holder]{Items: []token.Holder{{Rank: 1, Address: snapshot}, {Rank: 2, Address: snapshot}}, Next: domain.Position{7, 2}}
	if diff := cmp.Diff(want, holdersAfter(t, domain.Position{7, 0}).Page); diff != "" {
		t.Errorf("the first page (-want +got):\n%s", diff)
	}
}
