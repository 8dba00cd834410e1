package accounts

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// TestReportsAgreeWithAPlainModel lets several processes record requests of
// three workspaces concurrently, and compares every report with a simple model.
func TestReportsAgreeWithAPlainModel(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	labels := map[string]string{}
	for _, workspace := range []string{"big", "small"} {
		key, err := p.keys.Issue(t.Context(), p.workspace(workspace).ID, account.IssueRequest{
			Label: "of " + workspace, Environment: account.Live, Permissions: []account.Permission{account.Read},
		}, operator)
		if err != nil {
			t.Fatal(err)
		}
		labels[key.Key.PublicID] = key.Key.Label
		labels[workspace] = key.Key.PublicID
	}
	big, small := p.workspace("big").ID, p.workspace("small").ID
	uses := randomUses(9000, map[string][]string{
		big: append(manyKeys(70), "", labels["big"]), small: {"", labels["small"], "k-1"}, "wsp_third": {"k-2"},
	})
	var group sync.WaitGroup
	for part := range slices.Chunk(uses, len(uses)/3) {
		group.Go(func() {
			m := newMeter(t, p.db)
			stop := m.runs()
			for _, u := range part {
				m.Record(u)
			}
			stop()
			if errs := m.complaints(); len(errs) > 0 || m.Dropped() > 0 {
				t.Errorf("got %d dropped uses and %v, want none", m.Dropped(), errs)
			}
		})
	}
	group.Wait()
	m := newMeter(t, p.db)
	for _, workspace := range []string{big, small, "wsp_third", "wsp_unknown"} {
		got, want := m.report(workspace), modelReport(uses, workspace, labels)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the report of %s is\n%+v\nwant\n%+v", workspace, got, want)
		}
	}
	if r := m.report(big); !r.PerKeyTruncated || len(r.PerKey) != 50 || len(r.RecentFailures) != 50 {
		t.Errorf("got %d keys and %d failures, want 50 of each", len(r.PerKey), len(r.RecentFailures))
	}
}

func manyKeys(n int) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprintf("k%02d", i))
	}
	return keys
}

// randomUses returns requests at distinct times over more than a report's
// window.
func randomUses(n int, keys map[string][]string) []account.Use {
	random := rand.New(rand.NewPCG(6, 4)) //nolint:gosec // reproducible
	one := func(list []string) string { return list[random.IntN(len(list))] }
	workspaces := slices.Sorted(func(yield func(string) bool) {
		for workspace := range keys {
			if !yield(workspace) {
				return
			}
		}
	})
	uses := make([]account.Use, n)
	for i := range uses {
		workspace := one(workspaces)
		code := domain.Code(one([]string{"", "", "", "not_found", "rate_limited"}))
		uses[i] = account.Use{
			At: reported.Add(-time.Duration(random.IntN(30*3600))*time.Second - time.Duration(i)*time.Microsecond), Workspace: workspace,
			PublicID: one(keys[workspace]), Route: one([]string{"/v1/{chain}/status", "/v1/{chain}/tx/{hash}"}), Method: one([]string{"GET", "HEAD"}),
			Class: account.Class(one([]string{"light", "heavy"})), Status: 200 + random.IntN(300), Code: code,
			RequestID: fmt.Sprint("request-", i), Took: time.Duration(random.IntN(1e6)) * time.Microsecond,
		}
	}
	return uses
}

// modelReport computes a workspace's report from all requests.
func modelReport(uses []account.Use, workspace string, labels map[string]string) account.UsageReport {
	r := account.UsageReport{
		WindowStart: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), WindowEnd: reported,
		PerKey: []account.KeyUsage{}, RecentRequests: []account.Use{}, RecentFailures: []account.Use{},
	}
	byKey := map[string][]account.Use{}
	for _, u := range uses {
		if u.Workspace != workspace || u.At.Before(r.WindowStart) {
			continue
		}
		r.RecentRequests = append(r.RecentRequests, u)
		if u.Failed() {
			r.RecentFailures = append(r.RecentFailures, u)
		}
		if u.PublicID != "" {
			byKey[u.PublicID] = append(byKey[u.PublicID], u)
		}
	}
	r.Total = counted(r.RecentRequests)
	for _, list := range []*[]account.Use{&r.RecentRequests, &r.RecentFailures} {
		slices.SortFunc(*list, func(a, b account.Use) int { return b.At.Compare(a.At) })
	}
	r.RecentRequestsTruncated, r.RecentFailuresTruncated = len(r.RecentRequests) > 50, len(r.RecentFailures) > 50
	r.RecentRequests, r.RecentFailures = upTo50(r.RecentRequests), upTo50(r.RecentFailures)
	for id, own := range byKey {
		r.PerKey = append(r.PerKey, modelKey(id, labels[id], own))
	}
	slices.SortFunc(r.PerKey, func(a, b account.KeyUsage) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.PublicID, b.PublicID))
	})
	r.PerKeyTruncated = len(r.PerKey) > 50
	r.PerKey = upTo50(r.PerKey)
	return r
}

func modelKey(id, label string, uses []account.Use) account.KeyUsage {
	k := account.KeyUsage{PublicID: id, Label: label, Tally: counted(uses)}
	for _, u := range uses {
		if k.LastUsedAt.Before(u.At) {
			k.LastUsedAt = u.At
		}
	}
	for _, class := range []account.Class{"heavy", "light"} {
		if own := counted(uses, func(u account.Use) bool { return u.Class == class }); own.Requests > 0 {
			k.PerClass = append(k.PerClass, account.ClassUsage{Class: class, Tally: own})
		}
	}
	for _, route := range []string{"/v1/{chain}/status", "/v1/{chain}/tx/{hash}"} {
		if own := counted(uses, func(u account.Use) bool { return u.Route == route }); own.Requests > 0 {
			k.PerRoute = append(k.PerRoute, account.RouteUsage{Route: route, Tally: own})
		}
	}
	for _, code := range []domain.Code{"not_found", "rate_limited"} {
		if own := counted(uses, func(u account.Use) bool { return u.Code == code }); own.Requests > 0 {
			k.PerCode = append(k.PerCode, account.CodeUsage{Code: code, Failures: own.Failures})
		}
	}
	return k
}

// counted counts the requests that satisfy all conditions.
func counted(uses []account.Use, all ...func(account.Use) bool) (t account.Tally) {
	for _, u := range uses {
		if slices.ContainsFunc(all, func(is func(account.Use) bool) bool { return !is(u) }) {
			continue
		}
		t.Requests++
		if u.Failed() {
			t.Failures++
		}
	}
	return t
}

func upTo50[T any](list []T) []T { return list[:min(50, len(list))] }
