package token

import (
	"context"
	"math"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// CensusStore reads stored censuses.
type CensusStore interface {
	// CensusStates returns the census state of each token at a time, in
	// order.
	CensusStates(ctx context.Context, c domain.Chain, tokens []starknet.Felt, now time.Time) ([]CensusState, error)
	// Generations returns generations by their ids, nil where there is none.
	Generations(ctx context.Context, c domain.Chain, ids []int64) ([]*Generation, error)
	// Holders returns the rows at each place in their order, as many as limit,
	// and more if there are more.
	Holders(ctx context.Context, c domain.Chain, places []HolderPlace, limit int) ([][]Holder, error)
}

// HolderPlace is a place in the list of a snapshot's holders.
type HolderPlace struct {
	Snapshot int64
	After    int64 // the rank that was seen last; 0 at the beginning
}

// Censuses reads holder censuses.
type Censuses struct {
	store CensusStore
	top   int
	now   func() time.Time
}

// ScreeningTop is the default number of holders in a screening.
const ScreeningTop = 100

// NewCensuses makes the service. Screenings have at most top holders.
func NewCensuses(store CensusStore, top int, now func() time.Time) *Censuses {
	return &Censuses{store: store, top: top, now: now}
}

// Census is a generation of a token, or the error why there is none.
type Census struct {
	// Generation is certified and has a snapshot, or its status and reason say
	// why it has no rows.
	Generation *Generation
	Err        error
}

// Of returns the census of each token. Err is not_found, unqualified_token_policy
// or service_unavailable, as CensusState.Serve decides.
func (s *Censuses) Of(ctx context.Context, c domain.Chain, tokens []starknet.Felt) ([]Census, error) {
	now := s.now()
	standings, err := s.store.CensusStates(ctx, c, tokens, now)
	if err != nil {
		return nil, err
	}
	list := make([]Census, len(standings))
	for i, standing := range standings {
		list[i].Generation, list[i].Err = standing.Serve(tokens[i], now)
	}
	return list, nil
}

// Certified returns the generation, which has a snapshot. It is
// census_not_certified when the newest one failed its audit, could not be audited
// or was revoked: waiting does not help, and there is nothing to compute from.
func (c Census) Certified() (*Generation, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	if g := c.Generation; g.Snapshot == nil {
		return nil, domain.Errorf(domain.CodeCensusNotCertified, "This token has no certified holder census: the status of its newest generation is %s (%s).", g.Status, g.Reason)
	}
	return c.Generation, nil
}

// HolderRequest requests a page of a token's holders. After is a page's Next,
// which belongs to the generation of the first page.
type HolderRequest struct {
	Token starknet.Felt
	After domain.Position
}

// HolderPage is a page of a census. Without a certified generation it has no
// rows.
type HolderPage struct {
	Census
	domain.Page[Holder]
}

// Holders returns a page of each token's holders, the largest first, at most
// limit rows. Err is also an invalid cursor, for a position in a generation that
// was revoked, has expired or never was one of this token's.
func (s *Censuses) Holders(ctx context.Context, c domain.Chain, requests []HolderRequest, limit int) ([]HolderPage, error) {
	pages := make([]HolderPage, len(requests))
	if err := s.begin(ctx, c, requests, pages); err != nil {
		return nil, err
	}
	if err := s.resume(ctx, c, requests, pages); err != nil {
		return nil, err
	}
	return pages, s.fill(ctx, c, requests, pages, limit)
}

// Screening returns the largest holders of each token, as many as the operator
// chose, which is never a claim that there are no others. Err is that of
// Certified.
func (s *Censuses) Screening(ctx context.Context, c domain.Chain, tokens []starknet.Felt) ([]HolderPage, error) {
	requests := make([]HolderRequest, len(tokens))
	for i, contract := range tokens {
		requests[i].Token = contract
	}
	pages, err := s.Holders(ctx, c, requests, s.top)
	for i := range pages {
		_, pages[i].Err = pages[i].Certified()
	}
	return pages, err
}

// begin finds the censuses of first pages.
func (s *Censuses) begin(ctx context.Context, c domain.Chain, requests []HolderRequest, pages []HolderPage) error {
	var (
		tokens []starknet.Felt
		places []int
	)
	for i, request := range requests {
		if request.After == nil {
			tokens, places = append(tokens, request.Token), append(places, i)
		}
	}
	if len(tokens) == 0 {
		return nil
	}
	found, err := s.Of(ctx, c, tokens)
	for i := range found {
		pages[places[i]].Census = found[i]
	}
	return err
}

// resume finds the generations of later pages.
func (s *Censuses) resume(ctx context.Context, c domain.Chain, requests []HolderRequest, pages []HolderPage) error {
	var (
		ids    []int64
		places []int
	)
	for i, request := range requests {
		if request.After == nil {
			continue
		}
		id, _, ok := readPlace(request.After)
		if !ok {
			pages[i].Err = domain.InvalidCursor("The cursor is not from a holder list.")
			continue
		}
		ids, places = append(ids, id), append(places, i)
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := s.store.Generations(ctx, c, ids)
	now := s.now()
	for i, g := range found {
		pages[places[i]].Census = judgeCursor(g, requests[places[i]].Token, now)
	}
	return err
}

// judgeCursor checks whether the generation of a cursor is still valid.
func judgeCursor(g *Generation, contract starknet.Felt, now time.Time) Census {
	switch {
	case g == nil || g.Token != contract:
		return Census{Err: domain.InvalidCursor("The census generation of the cursor belongs to another token or was deleted.")}
	case g.Status != CensusCertified:
		return Census{Err: domain.InvalidCursor("The census generation of the cursor was revoked.")}
	case !g.Live(now):
		return Census{Err: domain.InvalidCursor("The census generation of the cursor has expired.")}
	}
	return Census{Generation: g}
}

// fill reads the rows of the pages that have some.
func (s *Censuses) fill(ctx context.Context, c domain.Chain, requests []HolderRequest, pages []HolderPage, limit int) error {
	var (
		wanted []HolderPlace
		places []int
	)
	for i := range pages {
		if pages[i].Err != nil || pages[i].Generation.Snapshot == nil {
			continue
		}
		_, after, _ := readPlace(requests[i].After)
		wanted, places = append(wanted, HolderPlace{pages[i].Generation.Snapshot.ID, after}), append(places, i)
	}
	if len(wanted) == 0 {
		return nil
	}
	lists, err := s.store.Holders(ctx, c, wanted, limit)
	for i, list := range lists {
		page := &pages[places[i]]
		page.Page = domain.CutPage(list, limit, page.Generation.Position)
	}
	return err
}

// readPlace reads a position: a generation and the rank that was seen last.
func readPlace(after domain.Position) (generation, rank int64, ok bool) {
	if len(after) != 2 || after[0] > math.MaxInt64 || after[1] > math.MaxInt64 {
		return 0, 0, false
	}
	return int64(after[0]), int64(after[1]), true
}
