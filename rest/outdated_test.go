package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
)

// TestNothingIsExactOnAnIndexOfAnEarlierRelease serves an index as a release left
// it that knew neither proxies nor untyped transfers.
func TestNothingIsExactOnAnIndexOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	r, owner := newRegister(t), someone(t, 60)
	hash := repotest.Everyday(t)[50].Transactions[0].Hash
	paths := []string{
		"token/" + strk + "/transfers", fmt.Sprintf("address/%s/transfers", owner), fmt.Sprintf("address/%s/transfers?from_block=5&to_block=10", owner),
		fmt.Sprintf("address/%s/activity", owner), fmt.Sprintf("address/%s/transactions", owner),
	}
	batches := map[string]string{
		"address/summaries": fmt.Sprintf(`{"addresses":["%s"]}`, owner), "address/intelligence": `{"addresses":["0x123456"]}`, "tx/previews": fmt.Sprintf(`{"hashes":["%s"]}`, hash),
	}
	expect := func(want string) {
		t.Helper()
		for _, path := range paths {
			if got := r.rests(path); got != want {
				t.Errorf("%s is %s, want %s", path, got, want)
			}
		}
		for path, body := range batches {
			var items struct {
				Items []struct {
					HasReceivedFunds *bool
					Coverage         coverageBody
				}
			}
			if err := json.Unmarshal([]byte(r.postJSON("/v1/SN_MAIN/"+path, body).body), &items); err != nil {
				t.Fatal(err)
			}
			item := items.Items[0]
			if got := string(item.Coverage.Status); !strings.HasPrefix(want, got) {
				t.Errorf("%s is %s, want %s", path, got, want)
			}
			if want != "exact" && item.HasReceivedFunds != nil {
				t.Errorf("%s has hasReceivedFunds %t, want null", path, *item.HasReceivedFunds)
			}
		}
	}
	expect("exact")
	r.do("DELETE FROM deriver_versions WHERE fact IN ('transactions', 'untyped_transfers'); TRUNCATE untyped_transfers, contract_implementations")
	expect("partial untyped_transfers")

	found := decodeBody[struct {
		Coverage struct {
			CompleteWithinScope bool
			ReasonCodes         []string
		}
	}](t, r.get(fmt.Sprintf("/v1/SN_MAIN/address/%s/assets/discovery", owner))).Coverage
	if found.CompleteWithinScope || !slices.Contains(found.ReasonCodes, domain.ReasonUntypedTransfers) {
		t.Errorf("got the discovery %+v, want it incomplete because of %s", found, domain.ReasonUntypedTransfers)
	}
	if e := r.refused("0x123456", http.StatusNotFound, domain.CodeNotFound); !strings.HasPrefix(e.Message, domain.ReasonUntypedTransfers) {
		t.Errorf("got %q for an unknown token, want it to say %s", e.Message, domain.ReasonUntypedTransfers)
	}
	if counts := readRegister[struct {
		SummaryStatus string
		TransferCount *uint64
	}](r, strk); counts.TransferCount != nil {
		t.Errorf("got %d transfers of a token, want null", *counts.TransferCount)
	}
	page := r.holders(strk, "")
	if page.Certification.Status != token.CensusRevoked || page.Certification.ReasonCode == nil || *page.Certification.ReasonCode != token.ReasonOutdated || len(page.Items) > 0 {
		t.Errorf("got the census %+v with %d rows, want it %s because of %s", page.Certification, len(page.Items), token.CensusRevoked, token.ReasonOutdated)
	}
}
