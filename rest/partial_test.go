package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
)

// rests says what a list rests on.
func (s *service) rests(path string) string {
	s.t.Helper()
	coverage := decodeBody[struct{ Coverage coverageBody }](s.t, s.get("/v1/SN_MAIN/"+path)).Coverage
	if coverage.ReasonCode == nil {
		return string(coverage.Status)
	}
	return fmt.Sprint(coverage.Status, " ", *coverage.ReasonCode)
}

func TestEveryListOfALaggingIndexIsPartial(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	const token = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"
	lists := []string{
		"blocks", "block/latest/txs", "messages", "contract/" + token + "/messages", "contract/" + token + "/events", "events?address=" + token,
		"token/" + token + "/transfers", "token/" + token + "/markets/pools", "address/" + token + "/activity", "address/" + token + "/transactions",
		"address/" + token + "/transfers", "address/" + token + "/transfers?from_block=5", "contract/" + frame.ContractParam.Example + "/bridge-signals",
	}
	bounded := []string{"block/28/txs", "events?address=" + token + "&from_block=0&to_block=60", "address/" + token + "/transfers?to_block=60"}
	for _, path := range slices.Concat(lists, bounded) {
		if got := s.rests(path); got != "exact" {
			t.Errorf("%s at the head: got %s, want exact", path, got)
		}
	}
	if got := s.rests("address/" + token + "/transfers?to_block=61"); got != "exact" {
		t.Errorf("beyond the head: got %s, want exact", got)
	}
	s.strike("UPDATE chain_heads SET block_number = 61")
	for _, path := range lists {
		if got := s.rests(path); got != "partial index_behind" {
			t.Errorf("%s behind the head: got %s, want partial index_behind", path, got)
		}
	}
	for _, path := range bounded {
		if got := s.rests(path); got != "exact" {
			t.Errorf("%s behind the head: got %s, want exact up to its bound", path, got)
		}
	}
}

func TestTheActivityOfTheZeroAddressIsUnknown(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, list := range []string{"activity", "transactions"} {
		if got := s.rests("address/0x0/" + list); got != "unavailable zero_address_not_indexed" {
			t.Errorf("%s: got %s, want unavailable zero_address_not_indexed", list, got)
		}
	}
	if page := decodeBody[coveredList[transferRow]](t, s.get("/v1/SN_MAIN/address/0x0/transfers")); len(page.Items) == 0 || page.Coverage.Status != domain.CoveragePartial || *page.Coverage.ReasonCode != domain.ReasonUntypedTransfers {
		t.Errorf("got %d transfers with the coverage %s, want some with %s", len(page.Items), encodeText(page.Coverage), domain.ReasonUntypedTransfers)
	}
	var body struct {
		Items []struct {
			Found              bool
			TotalActivityCount *int
			ActivityCountExact bool
		}
	}
	if err := json.Unmarshal([]byte(s.postJSON("/v1/SN_MAIN/address/summaries", `{"addresses":["0x0"]}`).body), &body); err != nil {
		t.Fatal(err)
	}
	if item := body.Items[0]; !item.Found || item.TotalActivityCount != nil || item.ActivityCountExact {
		t.Errorf("got %+v, want it found, without a count", item)
	}
}

func TestSenderOfATransactionIsDeployed(t *testing.T) {
	t.Parallel()
	s, blocks := newOwnExplorer(t), repotest.Everyday(t)
	s.strike("DELETE FROM contract_classes")
	for _, tx := range blocks[50].Transactions {
		if tx.Sender == nil {
			continue
		}
		var body struct {
			Items []struct {
				IsDeployed bool
				ClassHash  *string
			}
		}
		a := s.postJSON("/v1/SN_MAIN/address/intelligence", fmt.Sprintf(`{"addresses":["%s"]}`, tx.Sender))
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			t.Fatal(err)
		}
		if !body.Items[0].IsDeployed || body.Items[0].ClassHash != nil {
			t.Errorf("%s: got %s, want it deployed with an unknown class", tx.Sender, a.body)
		}
		return
	}
	t.Fatal("got no transaction with a sender, want one")
}

func TestSearchFindsTransactionsByTheHashesOfTheirMessages(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	asked := map[facts.Direction]int{}
	for i := range blocks {
		for _, m := range blocks[i].Messages {
			if asked[m.Direction]++; asked[m.Direction] > 3 {
				continue
			}
			want := searchHit{Kind: "transaction", ID: blocks[i].Transactions[m.TxIndex].Hash.String(), Matched: "message_hash"}
			if got := s.search(m.Hash.String()); !slices.Contains(got, want) {
				t.Errorf("%s: got %+v, want %+v", m.Hash, got, want)
			}
		}
	}
	if asked[facts.L1ToL2] == 0 || asked[facts.L2ToL1] == 0 {
		t.Errorf("got the directions %v, want both", asked)
	}
}

func TestLaggingSourcesAreStale(t *testing.T) {
	t.Parallel()
	e, _ := aTransfer(t)
	path := fmt.Sprintf("%stopic0=%s&topic1=%s&from_block=0&to_block=%d", searchPath, transferTopic, e.Keys[1], newestSpaced)
	current := newWallet(t, "").found(path).RangeCoverage
	stale := newWallet(t, fmt.Sprintf("UPDATE chain_heads SET block_number = %d", newestSpaced+7)).found(path).RangeCoverage
	if current.FreshnessStatus != "current" || stale.FreshnessStatus != "stale" || stale.LagBlocks != current.LagBlocks+7 {
		t.Errorf("got %+v, then %+v, want current, then stale by 7 more blocks", current, stale)
	}
}

func TestACursorThatIsEmptyOrTooLongIsAnInvalidCursor(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, cursor := range []string{"", string(slices.Repeat([]byte("A"), 4097)), "%00", "nonsense"} {
		e := requireFailure(t, s.get("/v1/SN_MAIN/blocks?cursor="+cursor), http.StatusBadRequest, domain.CodeInvalidRequest)
		if e.DocSlug != "errors/invalid-cursor" || len(e.Message) < 14 || e.Message[:14] != "invalid_cursor" {
			t.Errorf("%.20q: got %+v, want invalid_cursor", cursor, e)
		}
	}
}
