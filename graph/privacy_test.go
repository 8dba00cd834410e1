package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/privacy"
	"astrolabe/repo/repotest"
)

// poolAddress is the privacy pool of the everyday chain.
const poolAddress = "0x40337b1af3c663e86e333bab5a4b28da8d4652a15a69beee2b677776ffe812a"

// halfHours is the template of an index whose blocks are half an hour apart,
// with the flow ledger of its privacy pool.
func halfHours(ctx context.Context, url string) error {
	if err := repotest.Followed(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "UPDATE blocks SET timestamp = (SELECT min(timestamp) FROM blocks) + 1800 * block")
	return errors.Join(err, conn.Close(ctx), extendLedger(ctx, url))
}

// extendLedger lets the job extend the flow ledger as far as possible.
func extendLedger(ctx context.Context, url string) error {
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	for more := true; more; {
		done, err := privacy.NewLedgers(db).Extend(ctx, domain.Mainnet, time.Now(), 20)
		if err != nil {
			return err
		}
		more = done.Advanced && done.More
	}
	return nil
}

// poolFields has a request for each field of privacy pools that is read
// separately, with the class of its REST request.
var poolFields = map[string]struct {
	query string
	class account.Class
}{
	"status":        {`status{totalEvents}`, account.Light},
	"snapshot":      {`snapshot{status}`, account.Light},
	"analytics":     {`analytics{totalEvents}`, account.Light},
	"hourlyPoints":  {`hourlyPoints(from:"2026-01-01T00:00:00Z" to:"2026-01-01T05:00:00Z"){nodes{timestamp}}`, account.Heavy},
	"events":        {`events(first:1){nodes{eventName}}`, account.Heavy},
	"commitments":   {`commitments(first:1){nodes{eventName}}`, account.Heavy},
	"nullifiers":    {`nullifiers(first:1){nodes{eventName}}`, account.Heavy},
	"metricBuckets": {`metricBuckets(first:1){visibleDeposits}`, account.Heavy},
	"metricSeries":  {`metricSeries{tokensTruncated}`, account.Heavy},
}

// TestPrivacyPoolIsTheSameInBothFacades asks both facades about every list and
// object of privacy pools, over a ledger with hourly points, and follows their
// pages.
func TestPrivacyPoolIsTheSameInBothFacades(t *testing.T) {
	t.Parallel()
	f, p := facadesOver(t, halfHours), loadParity(t)
	p.answers = map[string][]fact{}
	var questions []question
	ask := func(id string, values map[string][]string) {
		p.answers[id] = p.facts(p.rest[id], t.Fatalf)
		values["chain"] = []string{"SN_MAIN"}
		questions = append(questions, question{restOperation: p.rest[id], values: values})
	}
	begin := time.Unix(int64(repotest.Everyday(t)[0].Header.Timestamp), 0).UTC().Truncate(time.Hour)
	hours := func(from, to int, limit string) map[string][]string {
		at := func(hour int) []string {
			return []string{begin.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339)}
		}
		return map[string][]string{"from": at(from), "to": at(to), "limit": {limit}, "granularity": {"hour"}}
	}
	ask("getPrivacyPoolStatus", map[string][]string{})
	ask("getPrivacyPoolTvl", map[string][]string{})
	ask("getPrivacyPoolAnalytics", map[string][]string{})
	ask("listPrivacyPoolTvlSeries", hours(0, 40, "7"))
	ask("listPrivacyPoolTvlSeries", hours(-3, 4, "24"))
	ask("listPrivacyPoolEvents", map[string][]string{"limit": {"40"}})
	for _, name := range []string{"deposit", "withdrawal", "note_used", "protocol_event"} {
		ask("listPrivacyPoolEvents", map[string][]string{"limit": {"9"}, "event": {name}})
	}
	for _, pool := range []string{poolAddress, "0x1234567"} {
		ask("listPrivacyPoolCommitments", map[string][]string{"limit": {"9"}, "pool": {pool}})
		ask("listPrivacyPoolNullifiers", map[string][]string{"limit": {"9"}, "pool": {pool}})
	}
	ask("listPrivacyPoolMetricBuckets", map[string][]string{"limit": {"90"}})
	for _, span := range []string{"24h", "7d", "30d", "all"} {
		for _, width := range []string{"hour", "day", "week"} {
			ask("getPrivacyPoolMetricSeries", map[string][]string{"range": {span}, "granularity": {width}})
		}
	}
	ask("getPrivacyPoolMetricSeries", map[string][]string{"range": {"all"}, "token": {strk}})
	tallies := map[string]*tally{}
	for len(questions) > 0 {
		now := questions[:min(len(questions), requestsPerOperation)]
		questions = append(questions[len(now):], f.compare(t, p, now, tallies)...)
	}
	for id, o := range tallies {
		t.Logf("%s: %d requests, %d fields", id, o.sent, o.facts)
		if o.rejected > 0 || o.facts < 10 {
			t.Errorf("%s: got %d requests rejected and %d fields, want none and at least 10", id, o.rejected, o.facts)
		}
	}
}

// TestPrivacyPoolLinksAreReadOncePerField compares pages of one and of many
// rows.
func TestPrivacyPoolLinksAreReadOncePerField(t *testing.T) {
	t.Parallel()
	g := facadesOver(t, halfHours).servedGraph
	for name, field := range map[string]string{
		"points":      `hourlyPoints(from:"2026-01-01T00:00:00Z" to:"2026-01-02T00:00:00Z" first:%d){nodes{block{txCount} assets{token{symbol}}}}`,
		"events":      `events(first:%d){nodes{event{block{txCount} transaction{version} contract{alias}} publicFields{token{symbol} actor{label} to{label}} privacyFees{amountRaw}}}`,
		"commitments": `commitments(first:%d){nodes{block{txCount} transaction{version} pool{alias} token{symbol}}}`,
		"nullifiers":  `nullifiers(first:%d){nodes{block{txCount} transaction{version} pool{alias}}}`,
	} {
		query := func(rows int) string { return `{privacyPool(chain:SN_MAIN){` + fmt.Sprintf(field, rows) + `}}` }
		g.statements(t, query(24)) // fills the cache of classes
		few, many := g.statements(t, query(12)), g.statements(t, query(24))
		if many > few {
			t.Errorf("%s: got %d statements for 24 rows, want at most the %d of 12", name, many, few)
		}
		t.Logf("%s: %d statements", name, many)
	}
}

// TestPrivacyPoolFieldsDrawOnTheirRESTClass also holds their cost.
func TestPrivacyPoolFieldsDrawOnTheirRESTClass(t *testing.T) {
	t.Parallel()
	for field := range poolFields {
		if schema.Types["PrivacyPool"].Fields.ForName(field) == nil {
			t.Errorf("got a request for %s, want a field of that name", field)
		}
	}
	g := facadesOver(t, halfHours).servedGraph
	for _, field := range schema.Types["PrivacyPool"].Fields {
		f, asked := poolFields[field.Name]
		if !schema.Types[field.Type.Name()].IsCompositeType() {
			continue
		}
		if !asked {
			t.Errorf("%s: got no request, want one in poolFields", field.Name)
			continue
		}
		key := map[string]string{"X-Service-Api-Key": g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}, Budgets: account.Budgets{f.class: 1}})}
		query := `{privacyPool(chain:SN_MAIN){` + f.query + `}}`
		a := g.sendAs(t, query, key)
		weight := 600_000 / account.Usual[f.class]
		if len(a.body.Errors) > 0 || a.body.Extensions.Cost.Requested < weight || a.body.Extensions.Cost.Actual < weight {
			t.Errorf("%s: got %s, want no error and a cost of at least %d", field.Name, a.text, weight)
		}
		if a = g.sendAs(t, query, key); len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeRateLimited {
			t.Errorf("%s again: got %s, want %s", field.Name, a.text, domain.CodeRateLimited)
		}
	}
}

func TestPrivacyPoolArgumentsFollowTheRulesOfREST(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for _, field := range []string{
		`hourlyPoints(from:"2026-01-01T00:30:00Z" to:"2026-01-01T05:00:00Z"){nodes{timestamp}}`,
		`hourlyPoints(from:"2026-01-01T00:00:00Z" to:"2026-01-01T05:00:00.5Z"){nodes{timestamp}}`,
		`hourlyPoints(from:"2026-01-01T05:00:00Z" to:"2026-01-01T00:00:00Z"){nodes{timestamp}}`,
		`hourlyPoints(from:"2026-01-01T00:00:00Z" to:"2026-01-01T05:00:00Z" first:25){nodes{timestamp}}`,
		`metricBuckets(first:91){visibleDeposits}`,
		`metricSeries(range:"1y"){tokensTruncated}`,
		`events(event:NOTHING){nodes{eventName}}`,
		`events(first:101){nodes{eventName}}`,
		`commitments(after:"nonsense"){nodes{eventName}}`,
	} {
		refusedWith(t, g, domain.CodeInvalidRequest, `{privacyPool(chain:SN_MAIN){`+field+`}}`, nil)
	}
	refusedWith(t, g, domain.CodeUnsupportedChain, `{privacyPool(chain:SN_SEPOLIA){status{totalEvents}}}`, nil)
	if a := g.ask(t, `{privacyPool(chain:SN_MAIN){snapshot{status coverage{reasonCode} assets{status} block{id}}}}`, nil); !strings.Contains(a.text, `{"status":"UNAVAILABLE","coverage":{"reasonCode":"NO_FINALIZED_FLOW_SNAPSHOT"},"assets":[],"block":null}`) {
		t.Errorf("got %s without a ledger, want an unavailable snapshot", a.text)
	}
	refusedWith(t, g, domain.CodeServiceUnavailable, `{privacyPool(chain:SN_MAIN){analytics{totalEvents}}}`, nil)
}

// poolLinks are the fields of privacy pools that lead to objects of other nouns,
// and those of every connection. All others are facts of REST, whose routes have
// only allowed fields.
var poolLinks = []string{"block", "transaction", "pool", "token", "actor", "to", "edges", "node", "cursor", "totalCount", "totalCountExact"}

// TestPrivacyPoolHasOnlyTheFactsOfREST keeps out what the contract forbids:
// owners of notes, links of deposits and withdrawals, anonymity sets, balances.
func TestPrivacyPoolHasOnlyTheFactsOfREST(t *testing.T) {
	t.Parallel()
	p, used := loadParity(t), map[string]bool{}
	for id, m := range p.Operations {
		if !strings.HasPrefix(m.At, "privacyPool.") {
			continue
		}
		for _, f := range p.facts(p.rest[id], t.Fatalf) {
			at := schema.Query
			for _, name := range f.graph {
				used[at.Name+"."+name] = true
				at = schema.Types[at.Fields.ForName(name).Type.Name()]
			}
		}
	}
	fields := 0
	for name, definition := range schema.Types {
		if !strings.HasPrefix(name, "PrivacyPool") {
			continue
		}
		for _, field := range definition.Fields {
			fields++
			if !used[name+"."+field.Name] && !slices.Contains(poolLinks, field.Name) {
				t.Errorf("%s.%s: got a field that REST does not have, want only its facts", name, field.Name)
			}
		}
	}
	if fields < 100 {
		t.Errorf("got %d fields, want those of all types of privacy pools", fields)
	}
}
