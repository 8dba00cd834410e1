package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"astrolabe/bench/indexed"
)

// ids resolves a subject to ids, as a query does.
func (d *database) ids(ctx context.Context, s indexed.Subject) (address, selector int, err error) {
	if err = d.QueryRow(ctx, "SELECT id FROM addresses WHERE chain = 1 AND felt = $1", s.Address).Scan(&address); err == nil {
		err = d.QueryRow(ctx, "SELECT id FROM selectors WHERE chain = 1 AND felt = $1", s.Selector).Scan(&selector)
	}
	return address, selector, err
}

// The measured pages.
const (
	pageNewest = "newest page"
	pageMiddle = "page from the middle"
	pageRare   = "page of a rare one"
)

// filters are the event filters, each with the index that is made for it.
var filters = []struct{ name, condition, index string }{
	{"topic0", "selector = %[2]d", "selector"},
	{"address", "address = %[1]d", "address"},
	{"both", "address = %[1]d AND selector = %[2]d", "address_selector"},
}

// pages reads the newest page of the most frequent and of the rarest subject,
// and one from the middle of the history.
func (d *database) pages(ctx context.Context, of indexed.Subjects, head int) ([]measuredPage, error) {
	var list []measuredPage
	for _, kind := range []struct {
		name string
		of   indexed.Subject
		upTo int
	}{
		{pageNewest, of.Frequent, head}, {pageMiddle, of.Frequent, head / 2}, {pageRare, of.Rare, head},
	} {
		for filter := range filters {
			p, err := d.read(ctx, kind.of, kind.name != pageRare, filter, kind.upTo)
			if err != nil {
				return nil, err
			}
			list = append(list, measuredPage{kind.name, filter, p})
		}
	}
	return list, nil
}

// page counts what reading 25 events accessed.
type page struct {
	buffers, planning int
	faults            []string // unwanted steps of the plan
}

// read reads the newest 25 events of a subject up to a block, and returns the
// pages that the server accessed.
func (d *database) read(ctx context.Context, s indexed.Subject, frequent bool, filter, upTo int) (p page, err error) {
	address, selector, err := d.ids(ctx, s)
	if err != nil {
		return p, err
	}
	statement := fmt.Sprintf(`
		SELECT block, tx, log, address, selector, keys, payload FROM events
		WHERE chain = 1 AND block <= %d AND `+fmt.Sprintf(filters[filter].condition, address, selector)+`
		ORDER BY block DESC, tx DESC, log DESC LIMIT 25`, upTo)
	explained, err := indexed.Explain(ctx, d, statement)
	if err != nil {
		return p, err
	}
	p.buffers, p.planning = explained.Plan.Buffers(), explained.Planning.Buffers()
	judge(explained.Plan, &p, filters[filter].index, frequent)
	return p, nil
}

// judge looks for sorts and for indexes other than the intended one in the
// executed parts of the plan. Frequent subjects may be found by the place index
// alone.
func judge(p indexed.Plan, found *page, index string, byPlace bool) {
	if p.Loops == 0 {
		return
	}
	var fault string
	switch {
	case strings.Contains(p.Type, "Sort"):
		fault = "sorts"
	case p.Index != "" && p.Index != p.Relation+"_"+index && (!byPlace || p.Index != p.Relation+"_place"):
		fault = "uses " + p.Index
	case p.Relation != "" && p.Index == "":
		fault = strings.ToLower(p.Type) + " on " + p.Relation
	}
	if fault != "" && !slices.Contains(found.faults, fault) {
		found.faults = append(found.faults, fault)
	}
	for _, below := range p.Plans {
		judge(below, found, index, byPlace)
	}
}
