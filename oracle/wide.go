package oracle

import (
	"cmp"
	"net/http"
	"slices"

	"astrolabe/starknet"
)

// Certificate allows searches of a selector by the key at a position, in all
// finalized blocks.
type Certificate struct {
	Selector starknet.Felt
	Position int
	// Failed is true if verification found a difference from the events.
	Failed bool
}

// isWide reports whether the bounds exceed the limit of direct searches.
func (f *eventFilter) isWide() bool {
	return f.from != nil && f.to != nil && *f.to-*f.from >= 10_000
}

// refuseWide returns the error of a wide search; nil if it is allowed.
func (m *Model) refuseWide(f eventFilter, wallet bool) *Answer {
	if !wallet {
		return &invalid
	}
	for _, selector := range f.topics[0] {
		if !slices.ContainsFunc(m.Certificates, func(c Certificate) bool { return c.Selector == selector }) {
			return &Answer{Status: http.StatusUnprocessableEntity, Code: "full_range_selector_not_supported"}
		}
	}
	declared, ready := false, false
	for position := 1; position < len(f.topics); position++ {
		if len(f.topics[position]) > 0 {
			declared = declared || m.declared(f.topics[0], position)
			ready = ready || m.certified(f.topics[0], position)
		}
	}
	switch {
	case !declared:
		return &Answer{Status: http.StatusUnprocessableEntity, Code: "full_range_selector_not_supported"}
	case !ready || *f.from < m.first() || min(*f.to, m.head().BlockNumber) > *m.Finalized+5000:
		return &Answer{Status: http.StatusServiceUnavailable, Code: "event_key_index_coverage_unavailable"}
	}
	return nil
}

// declared reports whether each selector has a certificate for a position,
// ready or not.
func (m *Model) declared(selectors []starknet.Felt, position int) bool {
	for _, selector := range selectors {
		if !slices.ContainsFunc(m.Certificates, func(c Certificate) bool { return c.Selector == selector && c.Position == position }) {
			return false
		}
	}
	return len(selectors) > 0
}

// certified reports whether each selector has a ready certificate for a
// position.
func (m *Model) certified(selectors []starknet.Felt, position int) bool {
	for _, selector := range selectors {
		if !slices.Contains(m.Certificates, Certificate{Selector: selector, Position: position}) {
			return false
		}
	}
	return len(selectors) > 0
}

// rangeCoverage describes the basis of a wide search: certificates up to the
// newest finalized block, and the events beyond it.
func (m *Model) rangeCoverage(f eventFilter) object {
	last := m.head().BlockNumber
	interval := func(from, to uint64) object { return object{"fromBlock": from, "toBlock": to} }
	body := m.diagnostics("current")
	body["requested"], body["completed"] = interval(*f.from, *f.to), nil
	body["complete"], body["openEnded"] = *f.to <= last, *f.to > last
	if *f.from <= last {
		body["completed"] = interval(*f.from, min(*f.to, last))
	}
	return body
}

// diagnostics compare the certificates with the indexed blocks.
func (m *Model) diagnostics(freshness string) object {
	first, last := m.first(), m.head().BlockNumber
	return object{
		"freshnessStatus": freshness, "lagBlocks": last - *m.Finalized, "openEnded": true,
		"sourceLowWaterBlock": first, "sourceHighWaterBlock": last,
		"sourceContiguousLowWaterBlock": first, "sourceContiguousHighWaterBlock": last,
	}
}

// selectorCoverage lists the certificates by selector and position.
func (m *Model) selectorCoverage() (list []object) {
	for _, c := range slices.SortedFunc(slices.Values(m.Certificates), func(a, b Certificate) int {
		return cmp.Or(a.Selector.Cmp(b.Selector), cmp.Compare(a.Position, b.Position))
	}) {
		body := m.diagnostics("current")
		body["status"] = "ready"
		if c.Failed {
			body = m.diagnostics("unavailable")
			body["status"] = "failed"
		}
		body["chainId"], body["selector"], body["position"] = m.Chain, c.Selector.String(), c.Position
		body["sourceTier"], body["fromBlock"], body["throughBlock"] = "finalized", m.first(), *m.Finalized
		list = append(list, body)
	}
	return list
}
