package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// movement is a transfer of the everyday chain with its block and transaction.
type movement struct {
	facts.Transfer
	block  *facts.Header
	txHash starknet.Felt
}

// movements are the transfers of the everyday chain, the newest first.
func movements(t *testing.T) (list []movement) {
	t.Helper()
	blocks := repotest.Everyday(t)
	for i := range blocks {
		for _, transfer := range blocks[i].Transfers {
			list = append(list, movement{transfer, &blocks[i].Header, blocks[i].Transactions[transfer.TxIndex].Hash})
		}
	}
	slices.Reverse(list)
	return list
}

// row is what the facade must show of a transfer when its token was not asked
// for metadata.
func (m *movement) row() string {
	number := func(n *starknet.Uint256) string {
		if n == nil {
			return "null"
		}
		return `"` + n.String() + `"`
	}
	tier := "head"
	if m.block.Number <= repotest.FollowedFinalized {
		tier = "finalized"
	}
	return fmt.Sprintf(`{"blockNumber":%d,"timestampIso":"%s","txIndex":%d,"logIndex":%d,"transferIndex":%d,"txHash":"%s","tokenAddress":"%s",`+
		`"fromAddress":"%s","toAddress":"%s","amount":%s,"tokenId":%s,"standard":"%s","tokenSymbol":null,"tokenName":null,"tokenDecimals":null,"sourceTier":"%s"}`,
		m.block.Number, time.Unix(int64(m.block.Timestamp), 0).UTC().Format(time.RFC3339), m.TxIndex, m.LogIndex, m.Index, m.txHash, m.Token,
		m.From, m.To, number(m.Amount), number(m.TokenID), m.Standard, tier)
}

// rows are the transfers that a condition holds for.
func rows(list []movement, holds func(m *movement) bool) (found []string) {
	for i := range list {
		if holds(&list[i]) {
			found = append(found, list[i].row())
		}
	}
	return found
}

// transferPages reads a list to its end, page by page, and returns its rows.
func (s *service) transferPages(path string, query url.Values) (list []string) {
	s.t.Helper()
	for {
		a := s.get(path + "?" + query.Encode())
		var page struct {
			ChainID    string
			Items      []json.RawMessage
			NextCursor *string
			Coverage   struct{ Status string }
		}
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.StatusCode != http.StatusOK {
			s.t.Fatalf("%s: got %d %s (%v), want 200 and a list", path, a.StatusCode, a.body, err)
		}
		if page.ChainID != "SN_MAIN" || page.Coverage.Status != "exact" {
			s.t.Fatalf("%s: got %s, want exact coverage of SN_MAIN", path, a.body)
		}
		for _, item := range page.Items {
			list = append(list, string(item))
		}
		if page.NextCursor == nil {
			return list
		}
		query.Set("cursor", *page.NextCursor)
	}
}

// busiest is what a key tells of most transfers.
func busiest(list []movement, key func(m *movement) starknet.Felt) (most starknet.Felt) {
	count := map[starknet.Felt]int{}
	for i := range list {
		count[key(&list[i])]++
	}
	for felt, n := range count {
		if n > count[most] || n == count[most] && felt.Cmp(most) < 0 {
			most = felt
		}
	}
	return most
}

func ofToken(m *movement) starknet.Felt { return m.Token }
func sentBy(m *movement) starknet.Felt  { return m.From }

func TestTransfersOfATokenMatchTheChain(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), movements(t)
	for _, standard := range []facts.Standard{facts.ERC20, facts.ERC721, facts.ERC1155} {
		of := all[slices.IndexFunc(all, func(m movement) bool { return m.Standard == standard })].Token
		want := rows(all, func(m *movement) bool { return m.Token == of })
		got := s.transferPages("/v1/SN_MAIN/token/"+of.String()+"/transfers", url.Values{"limit": {"100"}})
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %d rows, want %d:\n%s\n%s", standard, len(got), len(want), got[0], want[0])
		}
	}
}

func TestPagesContainEveryTransferOnce(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), movements(t)
	of, by := busiest(all, ofToken), busiest(all, sentBy)
	limits := []string{"25", "99"}
	if soak {
		limits = append(limits, "7")
	}
	for path, want := range map[string][]string{
		"/v1/SN_MAIN/token/" + of.String() + "/transfers":   rows(all, func(m *movement) bool { return m.Token == of }),
		"/v1/SN_MAIN/address/" + by.String() + "/transfers": rows(all, func(m *movement) bool { return m.From == by || m.To == by }),
	} {
		for _, limit := range limits {
			if got := s.transferPages(path, url.Values{"limit": {limit}}); !slices.Equal(got, want) {
				t.Errorf("%s by %s: got %d rows, want %d", path, limit, len(got), len(want))
			}
		}
	}
}

func TestATransferBetweenTwoMatchingAddressesIsListedOnce(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), movements(t)
	of := busiest(all, ofToken)
	parties := []starknet.Felt{{}}
	for i := range all {
		if all[i].Token == of && len(parties) < 128 {
			parties = append(parties, all[i].From, all[i].To)
		}
	}
	query := url.Values{"limit": {"50"}}
	for _, party := range parties[:128] {
		query.Add("address", strings.ToUpper(party.String()[2:])) // any spelling of a felt will do
		values := query["address"]
		values[len(values)-1] = "0x0" + values[len(values)-1]
	}
	want := rows(all, func(m *movement) bool {
		return m.Token == of && (slices.Contains(parties, m.From) || slices.Contains(parties, m.To))
	})
	if got := s.transferPages("/v1/SN_MAIN/token/"+of.String()+"/transfers", query); !slices.Equal(got, want) {
		t.Errorf("got %d rows, want %d", len(got), len(want))
	}
	query.Del("cursor")
	query.Add("address", "0x1")
	a := s.get("/v1/SN_MAIN/token/" + of.String() + "/transfers?" + query.Encode())
	if e := requireFailure(t, a, http.StatusBadRequest, domain.CodeInvalidRequest); !strings.Contains(e.Message, "at most 128 times") {
		t.Errorf("got %q, want at most 128 addresses", e.Message)
	}
}

func TestAnyDirectionListsASelfTransferOnce(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), movements(t)
	at := slices.IndexFunc(all, func(m movement) bool { return m.From == m.To })
	if at < 0 {
		t.Fatal("got no transfer of an address to itself, want one")
	}
	self := all[at].From
	for direction, holds := range map[string]func(m *movement) bool{
		"any": func(m *movement) bool { return m.From == self || m.To == self },
		"in":  func(m *movement) bool { return m.To == self },
		"out": func(m *movement) bool { return m.From == self },
	} {
		got := s.transferPages("/v1/SN_MAIN/address/"+self.String()+"/transfers", url.Values{"limit": {"3"}, "direction": {direction}})
		if want := rows(all, holds); !slices.Equal(got, want) {
			t.Errorf("%s: got %d rows, want %d", direction, len(got), len(want))
		}
		count := 0
		for _, row := range got {
			if row == all[at].row() {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%s: got the transfer %d times, want once", direction, count)
		}
	}
}

func TestTransfersOfAnAddressAreFilteredBeforePaging(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), movements(t)
	by := busiest(all, sentBy)
	var tokens []starknet.Felt
	for i := range all {
		if all[i].From == by && !slices.Contains(tokens, all[i].Token) {
			tokens = append(tokens, all[i].Token)
		}
	}
	query := url.Values{"limit": {"2"}, "direction": {"out"}, "from_block": {"10"}, "to_block": {"40"}, "token": {tokens[0].String(), tokens[len(tokens)-1].String(), "0xdead"}}
	want := rows(all, func(m *movement) bool {
		return m.From == by && m.block.Number >= 10 && m.block.Number <= 40 && (m.Token == tokens[0] || m.Token == tokens[len(tokens)-1])
	})
	if got := s.transferPages("/v1/SN_MAIN/address/"+by.String()+"/transfers", query); len(want) < 3 || !slices.Equal(got, want) {
		t.Errorf("got %d rows, want %d", len(got), len(want))
	}
	if got := s.transferPages("/v1/SN_MAIN/address/0xdead/transfers", url.Values{}); len(got) != 0 {
		t.Errorf("unknown address: got %d transfers, want none", len(got))
	}
}

func TestBlockRangeWithFromAboveToIsRejected(t *testing.T) {
	t.Parallel()
	a := newExplorer(t).get("/v1/SN_MAIN/address/0x1/transfers?from_block=9&to_block=8")
	requireFailure(t, a, http.StatusBadRequest, domain.CodeInvalidRequest)
}

func TestCursorOfOtherFiltersIsRejected(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), movements(t)
	of, by := busiest(all, ofToken).String(), busiest(all, sentBy).String()
	var page struct{ NextCursor string }
	if err := json.Unmarshal([]byte(s.get("/v1/SN_MAIN/token/"+of+"/transfers?limit=1").body), &page); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"/v1/SN_MAIN/token/" + of + "/transfers?address=" + by,
		"/v1/SN_MAIN/token/" + by + "/transfers?limit=1",
		"/v1/SN_MAIN/address/" + by + "/transfers?limit=1",
	} {
		e := requireFailure(t, s.get(path+"&cursor="+page.NextCursor), http.StatusBadRequest, domain.CodeInvalidRequest)
		if e.DocSlug != "errors/invalid-cursor" || !strings.HasPrefix(e.Message, "invalid_cursor") {
			t.Errorf("%s: got %+v, want invalid_cursor", path, e)
		}
	}
}

func TestTransfersOfAPartialHistoryArePartial(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.strike("UPDATE index_checkpoints SET first_block = 5")
	for query, want := range map[string]string{
		"":              `"coverage":{"status":"partial","reasonCode":"index_starts_later"}`,
		"?from_block=4": `"coverage":{"status":"partial","reasonCode":"index_starts_later"}`,
		"?from_block=5": `"coverage":{"status":"exact","reasonCode":null}`,
	} {
		if a := s.get("/v1/SN_MAIN/address/0x1/transfers" + query); !strings.Contains(a.body, want) {
			t.Errorf("%q: got %s, want %s in it", query, a.body, want)
		}
	}
}
