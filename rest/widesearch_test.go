package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/facts"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repotest"
)

// newWallet starts a service over repotest.Spaced for a workspace that may
// search wide ranges, after a change of the database.
func newWallet(t *testing.T, change string) *service {
	t.Helper()
	url := pgtest.Database(t, repotest.Spaced)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := newServiceOver(t, db, time.Now, nil)
	workspaces := account.NewWorkspaces(accounts.NewWorkspaces(db), time.Now)
	if _, err := workspaces.SetPlan(t.Context(), s.access.Workspace.ID, account.Wallet, account.Operator("test")); err != nil {
		t.Fatal(err)
	}
	return s
}

// newestSpaced is the newest block of repotest.Spaced.
const newestSpaced = 60 * repotest.Spacing

func TestWideSearchReachesAsFarAsCoverageIsReady(t *testing.T) {
	t.Parallel()
	s := newWallet(t, "")
	e, _ := aTransfer(t)
	sender := e.Keys[1].String()
	query := fmt.Sprintf("topic0=%s&topic1=%s&from_block=0&to_block=%d&limit=2", transferTopic, sender, newestSpaced)
	var want []string
	blocks := repotest.Everyday(t)
	for i := range blocks {
		for _, o := range blocks[i].Events {
			if hasKey(o, 0, transferTopic) && hasKey(o, 1, sender) {
				want = append(want, fmt.Sprintf("%d:%d:%d", i*repotest.Spacing, o.TxIndex, o.LogIndex))
			}
		}
	}
	slices.Reverse(want)
	requirePlaces(t, query, s.walked(searchPath+query), want)

	got := s.found(searchPath + query).RangeCoverage
	if got == nil || !got.Complete || got.OpenEnded || got.Requested != (intervalBody{ToBlock: newestSpaced}) || *got.Completed != got.Requested || got.FreshnessStatus != "current" {
		t.Errorf("got %s, want it complete up to block %d", encodeText(got), newestSpaced)
	}
	open := s.found(searchPath + strings.Replace(query, fmt.Sprint(newestSpaced), "99999999", 1)).RangeCoverage
	if open == nil || open.Complete || !open.OpenEnded || *open.Completed != (intervalBody{ToBlock: newestSpaced}) || open.Requested.ToBlock != 99999999 {
		t.Errorf("open end: got %s, want it incomplete, up to block %d", encodeText(open), newestSpaced)
	}
	path := "/v1/SN_MAIN/contract/" + e.FromAddress.String() + "/events?limit=100&" + strings.TrimSuffix(query, "&limit=2")
	requirePlaces(t, path, s.walked(path), chosenSpaced(t, func(o facts.Event) bool {
		return o.FromAddress == e.FromAddress && hasKey(o, 0, transferTopic) && hasKey(o, 1, sender)
	}))
}

// chosenSpaced are events of SpacedBlocks, newest first.
func chosenSpaced(t *testing.T, wanted func(facts.Event) bool) (list []string) {
	t.Helper()
	for _, b := range repotest.SpacedBlocks(repotest.Everyday(t)) {
		for _, e := range b.Events {
			if wanted(e) {
				list = append(list, fmt.Sprintf("%d:%d:%d", b.Header.Number, e.TxIndex, e.LogIndex))
			}
		}
	}
	slices.Reverse(list)
	return list
}

func TestWideSearchWithoutCoverageIsRejected(t *testing.T) {
	t.Parallel()
	s := newWallet(t, "")
	bounds := fmt.Sprintf("&from_block=0&to_block=%d", newestSpaced)
	for query, want := range map[string]domain.Code{
		"topic0=" + transferTopic + "&topic3=0x1": domain.CodeFullRangeSelectorNotSupported,
		"topic0=" + transferTopic:                 domain.CodeFullRangeSelectorNotSupported,
		"address=0x1":                             domain.CodeFullRangeSelectorNotSupported,
		"topic0=0x1&topic1=0x1":                   domain.CodeFullRangeSelectorNotSupported,
	} {
		paths := []string{searchPath, "/v1/SN_MAIN/contract/0x1/events?"}
		if strings.HasPrefix(query, "address") {
			paths = paths[:1] // which the other has in its path
		}
		for _, path := range paths {
			a := s.get(path + query + bounds)
			requireFailure(t, a, http.StatusUnprocessableEntity, want)
			if a.Header.Get("Retry-After") != "" {
				t.Errorf("%s: got Retry-After %q, want none", query, a.Header.Get("Retry-After"))
			}
		}
	}
}

func TestIncompleteCoverageIsUnavailable(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"the lower bound":   "UPDATE event_certificates SET from_block = 6000",
		"the newest blocks": "UPDATE event_certificates SET through_block = 6000",
		"the first block":   "UPDATE index_checkpoints SET first_block = 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWallet(t, change)
			for _, path := range []string{searchPath, "/v1/SN_MAIN/contract/0x1/events?"} {
				a := s.get(fmt.Sprintf("%stopic0=%s&topic1=0x1&from_block=0&to_block=%d", path, transferTopic, newestSpaced))
				requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeCoverageUnavailable)
				if a.Header.Get("Retry-After") == "" {
					t.Errorf("%s: got no Retry-After, want one", path)
				}
			}
		})
	}
}

func TestOrdinaryKeyCannotSearchWideRanges(t *testing.T) {
	t.Parallel()
	s := newServiceOver(t, repotest.OpenTemplate(t, repotest.Spaced), time.Now, nil)
	for _, query := range []string{"topic0=" + transferTopic + "&topic1=0x1", "topic0=0x1&topic1=0x1", "topic0=" + transferTopic, "address=0x1"} {
		requireFailure(t, s.get(searchPath+query+"&from_block=0&to_block=10000"), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestCapabilitiesReportActualCoverage(t *testing.T) {
	t.Parallel()
	rows := func(s *service) (list []string) {
		t.Helper()
		var got capabilitiesBody
		if err := json.Unmarshal([]byte(s.get("/v1/meta/capabilities").body), &got); err != nil {
			t.Fatal(err)
		}
		for _, row := range got.EventSearch.FullRange.SelectorCoverage {
			if row.ChainID != domain.Mainnet || row.SourceTier != "finalized" || row.FromBlock != 0 || row.SourceHighWaterBlock != newestSpaced || (row.VerifiedAt != nil) != (row.Status != "failed") {
				t.Errorf("got %+v, want SN_MAIN, the finalized tier from block 0 to %d, and verifiedAt unless it failed", row, newestSpaced)
			}
			list = append(list, fmt.Sprintf("%s %d %s %s through %d", row.Selector, row.Position, row.Status, row.FreshnessStatus, row.ThroughBlock))
		}
		return list
	}
	transfer, approval := repotest.TransferSelector.String(), repotest.ApprovalSelector.String()
	want := []string{
		transfer + " 1 ready current through 13500", transfer + " 2 ready current through 13500", approval + " 1 building unavailable through 13500",
	}
	got := rows(newWallet(t, ""))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	failed := rows(newWallet(t, "UPDATE event_certificates SET status = 'failed', verified_at = NULL WHERE position = 2"))
	if !slices.ContainsFunc(failed, func(row string) bool { return strings.HasPrefix(row, transfer+" 2 failed unavailable") }) {
		t.Errorf("got %v, want %s 2 failed unavailable", failed, transfer)
	}
	stale := rows(newWallet(t, "UPDATE event_certificates SET through_block = 5000"))
	if !slices.ContainsFunc(stale, func(row string) bool { return strings.HasPrefix(row, transfer+" 1 ready stale") }) {
		t.Errorf("got %v, want %s 1 ready stale", stale, transfer)
	}
	if none := rows(newWallet(t, "UPDATE event_certificates SET from_block = NULL, through_block = NULL")); len(none) != 0 {
		t.Errorf("got %v, want no certificate without blocks", none)
	}
}
