package rest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
)

// contractLists are the lists of contracts and their filters.
var contractLists = map[string][]string{
	"/v1/SN_MAIN/messages": {"direction", "txHash", "messageHash"},
	"/v1/SN_MAIN/contract/" + frame.ContractParam.Example + "/messages":       {"direction", "txHash", "messageHash"},
	"/v1/SN_MAIN/contract/" + frame.ContractParam.Example + "/bridge-signals": nil,
	"/v1/SN_MAIN/token/" + frame.TokenParam.Example + "/markets/pools":        nil,
}

func TestMalformedRequestsForContractListsAreRejected(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for path, filters := range contractLists {
		refused := []string{"limit=0", "limit=101", "limit=x", "limit=1&limit=2", "cursor=nonsense", "cursor=", "unknown=1", "offset=1"}
		for _, filter := range filters {
			refused = append(refused, filter+"=", filter+"=nonsense", filter+"=0xg", filter+"=l1_to_l2&"+filter+"=l2_to_l1")
		}
		for _, query := range refused {
			e := requireFailure(t, s.get(path+"?"+query), 400, domain.CodeInvalidRequest)
			if name, _, _ := strings.Cut(query, "="); name != "cursor" && !strings.Contains(e.Message, name) {
				t.Errorf("%s?%s: got %q, want it to name %s", path, query, e.Message, name)
			}
		}
	}
	for _, path := range []string{"contract/0xzz", "contract/0x", "contract/1", "contract/0x800000000000011000000000000000000000000000000000000000000000001"} {
		for _, rest := range []string{"", "/messages", "/bridge-signals", "/verification"} {
			requireFailure(t, s.get("/v1/SN_MAIN/"+path+rest), 400, domain.CodeInvalidRequest)
		}
	}
	for _, rest := range []string{"/controls", "/markets/pools"} {
		requireFailure(t, s.get("/v1/SN_MAIN/token/0xzz"+rest), 400, domain.CodeInvalidRequest)
		requireFailure(t, s.get("/v1/SN_SEPOLIA/token/"+frame.TokenParam.Example+rest), 404, domain.CodeUnsupportedChain)
		requireFailure(t, s.get("/v1/SN_MAIN/token/0x123"+rest), 404, domain.CodeNotFound)
	}
}

// TestCursorOfAnotherContractListIsRejected takes the cursor of one list to all
// the others, and to the same one with a filter.
func TestCursorOfAnotherContractListIsRejected(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	const other = "/v1/SN_MAIN/contract/0x73314940630fd6dcda0d772d4c972c4e0a9946bef9dabf4ef84eda8ef542b82"
	page := read[listBody[json.RawMessage]](s, "/v1/SN_MAIN/contract/"+frame.ContractParam.Example+"/messages?limit=1")
	for _, path := range []string{
		"/v1/SN_MAIN/messages?", other + "/messages?", "/v1/SN_MAIN/contract/" + frame.ContractParam.Example + "/bridge-signals?",
		"/v1/SN_MAIN/contract/" + frame.ContractParam.Example + "/messages?direction=l1_to_l2&",
	} {
		e := requireFailure(t, s.get(path+"cursor="+url.QueryEscape(*page.NextCursor)), 400, domain.CodeInvalidRequest)
		if e.DocSlug != "errors/invalid-cursor" || !strings.HasPrefix(e.Message, "invalid_cursor") {
			t.Errorf("%s: got %+v, want invalid_cursor", path, e)
		}
	}
}

// TestPagesOfMessagesHaveNoDuplicatesOrGapsWhileTheChainGrows reads pages while
// blocks arrive and while the newest ones are undone.
func TestPagesOfMessagesHaveNoDuplicatesOrGapsWhileTheChainGrows(t *testing.T) {
	t.Parallel()
	blocks := repotest.Everyday(t)
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 20)
	r := index.Open(0, 1000, indexing.RangeReady)
	index.Commit(r, blocks[:50])
	s := newServiceOver(t, db, time.Now, nil)
	var want []string
	for _, m := range everyMessage(t) {
		if m.BlockNumber < 45 { // which no undo removes
			want = append(want, m.ID)
		}
	}
	moves := []func(){
		func() { index.Commit(r, blocks[50:52]) },
		func() { index.Undo(&blocks[44].Header) },
		func() { index.Commit(r, blocks[45:]) },
	}
	var got []string
	query := url.Values{"limit": {"5"}}
	for i := 0; ; i++ {
		page := read[listBody[messageItem]](s, "/v1/SN_MAIN/messages?"+query.Encode())
		for _, m := range page.Items {
			if m.BlockNumber < 45 {
				got = append(got, m.ID)
			}
		}
		if i < len(moves) {
			moves[i]()
			if err := index.Err(); err != nil {
				t.Fatal(err)
			}
		}
		if page.NextCursor == nil {
			break
		}
		query.Set("cursor", *page.NextCursor)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d messages, want %d: %s", len(got), len(want), fmt.Sprint(got))
	}
}
