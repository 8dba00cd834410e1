package event

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Interval is blocks, both ends included.
type Interval struct{ From, To uint64 }

// RangeCoverage is the coverage of a search over a wide range.
type RangeCoverage struct {
	Requested Interval
	Completed *Interval // what the search reads of it; nil: none of its blocks is there yet
	Complete  bool      // whether that is all of it
	Diagnostics
}

// retryCoverage is the Retry-After of unavailable coverage.
const retryCoverage = 30 * time.Second

// wide plans a search over a wide range: by the key of one position between
// the ends of its certificates, and directly from the events for at most
// MaxExtension blocks on each side. It is
//
//   - full_range_selector_not_supported when there is no first key, or no
//     populated position is one that the operator declared for each of them;
//   - event_key_index_coverage_unavailable when the certificates of those
//     positions are building or have failed, or do not reach the requested lower
//     bound, or not the newest blocks.
func (s *Events) wide(ctx context.Context, c domain.Chain, f Filter, horizon chain.Horizon) ([]segment, *RangeCoverage, error) {
	certificates, err := s.certificates.of(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if err := checkDeclared(certificates, f.Topics[0]); err != nil {
		return nil, nil, err
	}
	choices := declared(certificates, f)
	if len(choices) == 0 {
		return nil, nil, domain.Errorf(domain.CodeFullRangeSelectorNotSupported,
			"No key position of this search is declared for searches over more than %d blocks. Search at most %d blocks at once, or filter by a position that is listed in the capabilities.", MaxBlocks, MaxBlocks)
	}
	choices = slices.DeleteFunc(choices, func(list choice) bool { return !list.ready() })
	if len(choices) == 0 {
		return nil, nil, uncovered("The certificate of the selector is not ready at the key position of this search. Retry when it is listed as ready in the capabilities.")
	}
	choices = slices.DeleteFunc(choices, func(list choice) bool { return !list.reaches(f, horizon.Coverage) })
	if len(choices) == 0 {
		return nil, nil, uncovered("The certificate of the selector does not cover the whole block range. Narrow the range to the blocks that are listed in the capabilities, or retry later.")
	}
	chosen, err := s.choose(ctx, c, f, choices)
	if err != nil {
		return nil, nil, err
	}
	return s.segments(c, f, chosen), chosen.rangeCoverage(f, horizon), nil
}

// ErrCoverageLost means that a certificate is no longer ready.
var ErrCoverageLost = errors.New("the certificate is not ready any more")

// whileCovered turns ErrCoverageLost into a domain error.
func whileCovered(err error) error {
	if errors.Is(err, ErrCoverageLost) {
		return uncovered("The certificate of the selector was revoked during the search. Retry later.")
	}
	return err
}

func uncovered(why string) error {
	err := domain.Errorf(domain.CodeCoverageUnavailable, "%s", why)
	err.RetryAfter = retryCoverage
	return err
}

// checkDeclared returns full_range_selector_not_supported unless every selector
// has a certificate of some kind.
func checkDeclared(certificates []Certificate, selectors []starknet.Felt) error {
	for _, selector := range selectors {
		if !slices.ContainsFunc(certificates, func(c Certificate) bool { return c.Selector == selector }) {
			return domain.Errorf(domain.CodeFullRangeSelectorNotSupported, "Selector %s is not declared for searches over more than %d blocks. Search at most %d blocks at once, or use a selector that is listed in the capabilities.", selector, MaxBlocks, MaxBlocks)
		}
	}
	return nil
}

// choice is the certificates of one position, one for each first key.
type choice []Certificate

// declared returns the populated positions that have a certificate for each
// first key.
func declared(certificates []Certificate, f Filter) (choices []choice) {
	for position, values := range f.Topics {
		if position == 0 || len(values) == 0 {
			continue
		}
		var list choice
		for _, cert := range certificates {
			if cert.Position == position && slices.Contains(f.Topics[0], cert.Selector) {
				list = append(list, cert)
			}
		}
		if len(list) == len(f.Topics[0]) {
			choices = append(choices, list)
		}
	}
	return choices
}

// ready reports whether all certificates are ready.
func (list choice) ready() bool {
	return !slices.ContainsFunc(list, func(cert Certificate) bool { return cert.Status != Ready || cert.Through == nil })
}

// interval is the blocks that all certificates cover.
func (list choice) interval() Interval {
	i := Interval{From: list[0].From, To: *list[0].Through}
	for _, cert := range list[1:] {
		i.From, i.To = max(i.From, cert.From), min(i.To, *cert.Through)
	}
	return i
}

// span is the part of a filter's range that all certificates cover.
func (list choice) span(f Filter) Span {
	covered := list.interval()
	return Span{From: Place{Block: max(*f.From, covered.From)}, Before: Place{Block: min(*f.To, covered.To) + 1}}
}

// reaches reports whether a filter's range can be read completely, as far as
// there are blocks.
func (list choice) reaches(f Filter, held *chain.Coverage) bool {
	if held == nil || *f.From < held.First {
		return false
	}
	covered := list.interval()
	return *f.From+MaxExtension >= covered.From && min(*f.To, held.Last) <= covered.To+MaxExtension
}

// choose returns the position with the fewest candidates, of which it counts a
// bounded number.
func (s *Events) choose(ctx context.Context, c domain.Chain, f Filter, choices []choice) (choice, error) {
	best, fewest := choices[0], -1
	if len(choices) == 1 {
		return best, nil
	}
	for _, list := range choices {
		covered, total := list.span(f), 0
		for _, cert := range list {
			count, err := s.covered.CountCovered(ctx, c, cert, f.Topics[cert.Position], covered, s.candidates)
			if err != nil {
				return nil, whileCovered(err)
			}
			total += count
		}
		if fewest < 0 || total < fewest {
			best, fewest = list, total
		}
	}
	return best, nil
}

// segments divides a range at the ends of its coverage, newest first.
func (s *Events) segments(c domain.Chain, f Filter, list choice) []segment {
	covered := list.span(f)
	above, inside, below := s.ordinary(c, f), segment{from: covered.From}, s.ordinary(c, f)
	if above.from.Compare(covered.Before) < 0 {
		above.from = covered.Before
	}
	inside.read = func(ctx context.Context, span Span, limit int) ([]Row, *Place, error) {
		return s.readCovered(ctx, c, f, list, span, limit)
	}
	return []segment{above, inside, below}
}

// readCovered reads events by the key of the chosen position.
func (s *Events) readCovered(ctx context.Context, c domain.Chain, f Filter, list choice, span Span, limit int) (rows []Row, reached *Place, err error) {
	if f.hasMoreThan(list[0].Position) {
		for _, cert := range list {
			last, err := s.covered.LastCovered(ctx, c, cert, f.Topics[cert.Position], span, s.candidates)
			if err != nil {
				return nil, nil, whileCovered(err)
			}
			if last != nil && (reached == nil || last.Compare(*reached) > 0) {
				reached = last
			}
		}
		if reached != nil {
			span.From = *reached
		}
	}
	for _, cert := range list {
		read, err := s.covered.SearchCovered(ctx, c, cert, f, span, limit)
		if err != nil {
			return nil, nil, whileCovered(err)
		}
		rows = append(rows, read...)
	}
	slices.SortFunc(rows, func(a, b Row) int { return b.place().Compare(a.place()) })
	return rows, reached, nil
}

// hasMoreThan reports whether a filter selects by more than the first key and
// the key of one position.
func (f *Filter) hasMoreThan(position int) bool {
	for i, list := range f.Topics {
		if i != 0 && i != position && len(list) > 0 {
			return true
		}
	}
	return len(f.Addresses) > 0
}

// rangeCoverage returns the coverage of the search.
func (list choice) rangeCoverage(f Filter, horizon chain.Horizon) *RangeCoverage {
	held := horizon.Coverage
	shortest := slices.MinFunc(list, func(a, b Certificate) int { return cmp.Compare(*a.Through, *b.Through) })
	r := &RangeCoverage{Requested: Interval{*f.From, *f.To}, Diagnostics: shortest.diagnose(horizon)}
	if *f.From <= held.Last {
		r.Completed = &Interval{*f.From, min(*f.To, held.Last)}
	}
	r.OpenEnded = *f.To > held.Last
	r.Complete = !r.OpenEnded
	return r
}
