package oracle

import (
	"net/http"
	"slices"

	"astrolabe/starknet"
)

// Certificate says that the events with a first key can be found by the key of
// a position, in all final blocks.
type Certificate struct {
	Selector starknet.Felt
	Position int
	// Failed tells that it was counted again and did not hold what the events
	// say.
	Failed bool
}

// isWide tells that the bounds hold more blocks than are searched directly.
func (f *eventFilter) isWide() bool {
	return f.from != nil && f.to != nil && *f.to-*f.from >= 10_000
}

// refuseWide says why a wide search is refused; nil when it is not.
func (m *Model) refuseWide(f eventFilter, wallet bool) *Answer {
	if !wallet {
		return &invalid
	}
	for _, selector := range f.topics[0] {
		if !slices.ContainsFunc(m.Certificates, func(c Certificate) bool { return c.Selector == selector }) {
			return &Answer{Status: http.StatusUnprocessableEntity, Code: "unsupported_selector"}
		}
	}
	ready := false
	for position := 1; position < len(f.topics); position++ {
		ready = ready || len(f.topics[position]) > 0 && m.certified(f.topics[0], position)
	}
	switch {
	case !ready:
		return &Answer{Status: http.StatusUnprocessableEntity, Code: "full_range_selector_not_supported"}
	case *f.from < m.first() || min(*f.to, m.head().BlockNumber) > *m.Finalized+5000:
		return &Answer{Status: http.StatusServiceUnavailable, Code: "event_key_index_coverage_unavailable"}
	}
	return nil
}

// certified tells that each of the selectors has a ready certificate of a
// position.
func (m *Model) certified(selectors []starknet.Felt, position int) bool {
	for _, selector := range selectors {
		if !slices.Contains(m.Certificates, Certificate{Selector: selector, Position: position}) {
			return false
		}
	}
	return len(selectors) > 0
}

// rangeCoverage says what a wide search rests on: certificates that end with
// the newest final block, and beyond it the events themselves.
func (m *Model) rangeCoverage(f eventFilter) object {
	first, last := m.first(), m.head().BlockNumber
	interval := func(from, to uint64) object { return object{"fromBlock": from, "toBlock": to} }
	body := object{
		"requested": interval(*f.from, *f.to), "completed": nil, "complete": *f.to <= last, "openEnded": *f.to > last,
		"freshnessStatus": "current", "lagBlocks": last - *m.Finalized, "liveMaintenance": true,
		"sourceLowWaterBlock": first, "sourceHighWaterBlock": last,
		"sourceContiguousLowWaterBlock": first, "sourceContiguousHighWaterBlock": last,
	}
	if *f.from <= last {
		body["completed"] = interval(*f.from, min(*f.to, last))
	}
	return body
}
