package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// subject is a contract and a first key that its events have.
type subject struct{ address, selector []byte }

// subjects are the pair with the most events and the one with the fewest,
// whose page is looked for in every range.
type subjects struct{ frequent, rare subject }

// subjects finds them.
func (d *database) subjects(ctx context.Context) (*subjects, error) {
	var found subjects
	const statement = `
		WITH pairs AS (
			SELECT address, selector, count(*) AS events FROM events
			WHERE chain = 1 AND selector IS NOT NULL GROUP BY address, selector
		)
		SELECT a.felt, s.felt FROM pairs
		JOIN addresses AS a ON a.chain = 1 AND a.id = pairs.address
		JOIN selectors AS s ON s.chain = 1 AND s.id = pairs.selector
		ORDER BY events %s, address LIMIT 1`
	for order, s := range map[string]*subject{"DESC": &found.frequent, "ASC": &found.rare} {
		if err := d.QueryRow(ctx, fmt.Sprintf(statement, order)).Scan(&s.address, &s.selector); err != nil {
			return nil, err
		}
	}
	return &found, nil
}

// ids resolves a subject as a query does first.
func (d *database) ids(ctx context.Context, s subject) (address, selector int, err error) {
	if err = d.QueryRow(ctx, "SELECT id FROM addresses WHERE chain = 1 AND felt = $1", s.address).Scan(&address); err == nil {
		err = d.QueryRow(ctx, "SELECT id FROM selectors WHERE chain = 1 AND felt = $1", s.selector).Scan(&selector)
	}
	return address, selector, err
}

// The pages that are read.
const (
	pageNewest = "newest page"
	pageMiddle = "page from the middle"
	pageRare   = "page of a rare one"
)

// filters are the ways to ask for events, each with the index that it is made
// for.
var filters = []struct{ name, condition, index string }{
	{"topic0", "selector = %[2]d", "selector"},
	{"address", "address = %[1]d", "address"},
	{"both", "address = %[1]d AND selector = %[2]d", "address_selector"},
}

// pages reads the newest page of what there is most and least of, and one
// from the middle of the history.
func (d *database) pages(ctx context.Context, of subjects, head int) ([]measuredPage, error) {
	var list []measuredPage
	for _, kind := range []struct {
		name string
		of   subject
		upTo int
	}{
		{pageNewest, of.frequent, head}, {pageMiddle, of.frequent, head / 2}, {pageRare, of.rare, head},
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

// page is what reading 25 events touched.
type page struct {
	buffers, planning int
	faults            []string // what the plan does that it should not
}

// read asks for the newest 25 events of a subject up to a block, and tells
// what the server had to touch.
func (d *database) read(ctx context.Context, s subject, frequent bool, filter, upTo int) (p page, err error) {
	address, selector, err := d.ids(ctx, s)
	if err != nil {
		return p, err
	}
	statement := fmt.Sprintf(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
		SELECT block, tx, log, address, selector, keys, payload FROM events
		WHERE chain = 1 AND block <= %d AND `+fmt.Sprintf(filters[filter].condition, address, selector)+`
		ORDER BY block DESC, tx DESC, log DESC LIMIT 25`, upTo)
	var text []byte
	if err := d.QueryRow(ctx, statement).Scan(&text); err != nil {
		return p, err
	}
	var explained []struct {
		Plan     plan
		Planning plan
	}
	if err := json.Unmarshal(text, &explained); err != nil {
		return p, err
	}
	p.buffers, p.planning = explained[0].Plan.buffers(), explained[0].Planning.buffers()
	explained[0].Plan.judge(&p, filters[filter].index, frequent)
	return p, nil
}

// plan is a node of a query's plan.
type plan struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Hit      int     `json:"Shared Hit Blocks"`
	Read     int     `json:"Shared Read Blocks"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []plan
}

func (p plan) buffers() int { return p.Hit + p.Read }

// judge looks for sorting and for other ways than the intended index, in the
// parts of the plan that were run. What most events have may be found by their
// place alone.
func (p plan) judge(found *page, index string, byPlace bool) {
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
		below.judge(found, index, byPlace)
	}
}
