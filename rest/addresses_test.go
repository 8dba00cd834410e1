package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/repo/addresses"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// decodeOK reads the body of an answer that must be a success.
func decodeOK[T any](t *testing.T, a answer) (body T) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d %s (%v), want 200 and a %T", a.Request.URL, a.StatusCode, a.body, err, body)
	}
	return body
}

// walkAddress reads all pages of a list of an address.
func walkAddress[T any](s *service, owner starknet.Felt, list string, limit int) (all []T) {
	s.t.Helper()
	path := fmt.Sprintf("/v1/SN_MAIN/address/%s/%s?limit=%d", owner, list, limit)
	for cursor := ""; ; {
		page := decodeOK[listBody[T]](s.t, s.get(path+cursor))
		if len(page.Items) > limit || page.ChainID != domain.Mainnet {
			s.t.Fatalf("%s: got %d items of %s, want at most %d of %s", path, len(page.Items), page.ChainID, limit, domain.Mainnet)
		}
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
}

// involved counts what the everyday chain's blocks say of each address.
func involved(t *testing.T) (items, txs map[starknet.Felt]int) {
	t.Helper()
	items, txs = map[starknet.Felt]int{}, map[starknet.Felt]int{}
	for _, b := range repotest.Everyday(t) {
		for _, a := range b.Activity {
			items[a.Address] += a.Items
			txs[a.Address]++
		}
	}
	return items, txs
}

// someone is an address with so many items at least, and few more than others.
func someone(t *testing.T, least int) (owner starknet.Felt) {
	t.Helper()
	items, _ := involved(t)
	best := 1 << 30
	for address, n := range items {
		if n >= least && (n < best || n == best && address.Cmp(owner) < 0) {
			owner, best = address, n
		}
	}
	return owner
}

func TestActivityIsPagedItemByItem(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	owner := someone(t, 60)
	counts, _ := involved(t)
	whole := walkAddress[activityItem](s, owner, "activity", 100)
	if len(whole) != counts[owner] {
		t.Fatalf("got %d items, want %d", len(whole), counts[owner])
	}
	unique := map[string]bool{}
	for i, item := range whole {
		unique[fmt.Sprint(item.TxHash, item.Kind, item.LogIndex != nil && *item.LogIndex > 0, encodeText(item))] = true
		if i > 0 && (item.BlockNumber > whole[i-1].BlockNumber || item.BlockNumber == whole[i-1].BlockNumber && item.TxIndex > whole[i-1].TxIndex) {
			t.Errorf("item %d: got it newer than the one before, want the newest first", i)
		}
	}
	if len(unique) != len(whole) {
		t.Errorf("got %d different items, want all %d different", len(unique), len(whole))
	}
	for limit := 1; limit <= 7; limit++ {
		if got := walkAddress[activityItem](s, owner, "activity", limit); encodeText(got) != encodeText(whole) {
			t.Errorf("limit %d: got %d items, want the same %d as at limit 100", limit, len(got), len(whole))
		}
	}
}

// encodeText makes wire values comparable.
func encodeText(v any) string { return string(frame.Encode(v)) }

// TestLogAndTransferIndexesAreNullForOtherActivity looks at every item of
// every address.
func TestLogAndTransferIndexesAreNullForOtherActivity(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	blocks, counts := repotest.Everyday(t), map[address.Kind]int{}
	items, _ := involved(t)
	for n, owner := range slices.SortedFunc(maps.Keys(items), starknet.Felt.Cmp) {
		if !soak && n >= 30 && len(counts) == 7 {
			break
		}
		for _, item := range walkAddress[activityItem](s, owner, "activity", 100) {
			counts[item.Kind]++
			b := &blocks[item.BlockNumber]
			if item.TxHash != b.Transactions[item.TxIndex].Hash || item.TxCursor != fmt.Sprintf("%d:%d", item.BlockNumber, item.TxIndex) || item.TimestampIso.Unix() != int64(b.Header.Timestamp) {
				t.Fatalf("got %s, want transaction %d of block %d", encodeText(item), item.TxIndex, item.BlockNumber)
			}
			if !strings.HasPrefix(string(item.Kind), "transfer_") {
				if item.LogIndex != nil || item.TransferIndex != nil || item.TokenAddress != nil || item.Amount != nil || item.TokenID != nil {
					t.Errorf("got %s, want null for the fields of transfers", encodeText(item))
				}
				continue
			}
			i := slices.IndexFunc(b.Transfers, func(m facts.Transfer) bool {
				return m.TxIndex == item.TxIndex && m.LogIndex == *item.LogIndex && m.Index == *item.TransferIndex
			})
			m := b.Transfers[i]
			side := &m.From
			if item.Kind == address.TransferOut {
				side = &m.To
			}
			if *item.TokenAddress != m.Token || text(item.Amount) != number(m.Amount) || text(item.TokenID) != number(m.TokenID) {
				t.Errorf("got %s, want the token, amount and id of %+v", encodeText(item), m)
			}
			if item.Kind == address.TransferSelf && item.Counterparty != nil || item.Kind != address.TransferSelf && *item.Counterparty != *side {
				t.Errorf("%s of %+v: got the counterparty %v, want %s, or null for a transfer to itself", item.Kind, m, item.Counterparty, side)
			}
		}
	}
	if len(counts) != 7 {
		t.Errorf("got the kinds %v, want all 7", counts)
	}
}

func text(a *domain.Amount) string {
	if a == nil {
		return ""
	}
	return a.String()
}

func number(n *starknet.Uint256) string {
	if n == nil {
		return ""
	}
	return n.String()
}

func TestTransactionsOfAnAddressShowItsKindsOfActivity(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	blocks := repotest.Everyday(t)
	_, txs := involved(t)
	for _, owner := range []starknet.Felt{someone(t, 60), someone(t, 10), someone(t, 400)} {
		whole := walkAddress[addressTransactionItem](s, owner, "transactions", 100)
		if len(whole) != txs[owner] {
			t.Errorf("%s: got %d transactions, want %d", owner, len(whole), txs[owner])
		}
		for _, item := range whole {
			b := &blocks[item.BlockNumber]
			tx := &b.Transactions[item.TxIndex]
			i := slices.IndexFunc(b.Activity, func(a facts.Activity) bool { return a.Address == owner && a.TxIndex == item.TxIndex })
			if !slices.Equal(item.Kinds, address.KindsOf(b.Activity[i].Kinds)) || item.TxHash != tx.Hash || item.TxType != tx.Type ||
				(item.ExecutionStatus == starknet.Reverted) != tx.Reverted || (item.FinalityStatus == "ACCEPTED_ON_L1") != (item.BlockNumber <= repotest.FollowedL1) {
				t.Errorf("got %s, want the kinds %v and the outcome of %s", encodeText(item), address.KindsOf(b.Activity[i].Kinds), tx.Hash)
			}
			if calls, ok := facts.Calls(tx); ok && *item.CallCount != len(calls) || !ok && item.CallCount != nil || item.TransferCount == nil {
				t.Errorf("got %s, want the number of calls and of transfers of %s", encodeText(item), tx.Hash)
			}
		}
		for limit := 1; limit <= 7 && len(whole) < 200; limit++ {
			if got := walkAddress[addressTransactionItem](s, owner, "transactions", limit); encodeText(got) != encodeText(whole) {
				t.Errorf("limit %d: got %d transactions, want the same %d as at limit 100", limit, len(got), len(whole))
			}
		}
	}
}

func TestListsOfAnUnknownAddressAreEmptyAndExact(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, list := range []string{"activity", "transactions"} {
		body := decodeOK[coveredList[any]](t, s.get("/v1/SN_MAIN/address/0xdead/"+list))
		if len(body.Items) != 0 || body.NextCursor != nil || body.Coverage.Status != domain.CoverageExact || body.Coverage.ReasonCode != nil {
			t.Errorf("%s: got %s, want an empty and exact list", list, encodeText(body))
		}
	}
}

func TestListsOverAPartialHistoryArePartial(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.strike("UPDATE index_checkpoints SET first_block = 3")
	for _, list := range []string{"activity", "transactions"} {
		body := decodeOK[coveredList[any]](t, s.get(fmt.Sprintf("/v1/SN_MAIN/address/%s/%s", someone(t, 60), list)))
		if body.Coverage.Status != domain.CoveragePartial || *body.Coverage.ReasonCode != "index_starts_later" {
			t.Errorf("%s: got %s, want partial for index_starts_later", list, encodeText(body.Coverage))
		}
	}
	body := decodeOK[assetList](t, s.get(fmt.Sprintf("/v1/SN_MAIN/address/%s/assets/discovery", someone(t, 60))))
	if body.Coverage.CompleteWithinScope || !slices.Contains(body.Coverage.ReasonCodes, "index_starts_later") {
		t.Errorf("assets: got %s, want incomplete for index_starts_later", encodeText(body.Coverage))
	}
}

// TestCursorsOfAddressesAreBoundToTheirLists offers each list the cursors of
// the others.
func TestCursorsOfAddressesAreBoundToTheirLists(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	one, other := someone(t, 60), someone(t, 100)
	lists := []string{
		fmt.Sprintf("/v1/SN_MAIN/address/%s/activity?limit=2", one), fmt.Sprintf("/v1/SN_MAIN/address/%s/activity?limit=2", other),
		fmt.Sprintf("/v1/SN_MAIN/address/%s/transactions?limit=2", one), fmt.Sprintf("/v1/SN_MAIN/address/%s/transactions?limit=2", other),
		fmt.Sprintf("/v1/SN_MAIN/address/%s/assets/discovery?limit=2", one), fmt.Sprintf("/v1/SN_MAIN/address/%s/assets/discovery?limit=2&scope=discovered", one),
	}
	for i, from := range lists {
		next := decodeOK[listBody[any]](t, s.get(from)).NextCursor
		if next == nil {
			t.Fatalf("%s: got one page, want more", from)
		}
		for j, to := range lists {
			a := s.get(to + "&cursor=" + url.QueryEscape(*next))
			if i == j {
				if a.StatusCode != http.StatusOK {
					t.Errorf("%s with its own cursor: got %d %s, want 200", to, a.StatusCode, a.body)
				}
				continue
			}
			if e := requireFailure(t, a, http.StatusBadRequest, domain.CodeInvalidRequest); e.DocSlug != "errors/invalid-cursor" || !strings.HasPrefix(e.Message, "invalid_cursor") {
				t.Errorf("%s with the cursor of %s: got %+v, want invalid_cursor", to, from, e)
			}
		}
	}
}

func TestAddressRoutesEnforceTheirLimits(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, path := range []string{
		"0x1/activity?limit=0", "0x1/activity?limit=101", "0x1/activity?limit=x", "0x1/activity?cursor=x", "0x1/activity?limit=1&limit=2", "0x1/activity?kind=tx_sent",
		"0x1/transactions?limit=101", "0x1/transactions?offset=3", "0x1/assets/discovery?limit=51", "0x1/assets/discovery?scope=all",
		"0x1/attribution?limit=1", "1/activity", "0xg/transactions", "0x/attribution", "0x800000000000011000000000000000000000000000000000000000000000001/activity",
		"0x1%2F/attribution",
	} {
		a := s.get("/v1/SN_MAIN/address/" + path)
		if requireFailure(t, a, http.StatusBadRequest, domain.CodeInvalidRequest); t.Failed() {
			t.Fatalf("%s: got the failures above, want %s", path, domain.CodeInvalidRequest)
		}
	}
	for _, path := range []string{"0x1/activity?limit=100", "0x1/transactions?limit=100", "0x1/assets/discovery?limit=50&scope=discovered", "0X00a/attribution"} {
		if a := s.get("/v1/SN_MAIN/address/" + path); a.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", path, a.StatusCode, a.body)
		}
	}
	requireFailure(t, s.get("/v1/SN_SEPOLIA/address/0x1/activity"), http.StatusNotFound, domain.CodeUnsupportedChain)
}

func TestDiscoveryReportsItsEvidenceAndOmissions(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	owner, received := receiver(t)
	registry := address.RegistryTokens(domain.Mainnet)
	all := walkAddress[assetItem](s, owner, "assets/discovery", 3)
	found := 0
	for i, item := range all {
		listed := slices.ContainsFunc(item.Evidence, func(p assetProof) bool {
			return p.Source == "token_registry" && p.Tier == "listed" && p.LastObservedBlock == nil && p.EvidenceCountLowerBound == nil
		})
		if listed != (i < len(registry)) {
			t.Errorf("item %d: got %s, want the %d tokens of the registry first", i, encodeText(item), len(registry))
		}
		at := slices.IndexFunc(item.Evidence, func(p assetProof) bool { return p.Source == "transfers_received" })
		if (at >= 0) != slices.Contains(received, item.TokenAddress) {
			t.Errorf("item %d: got %s, want received transfers as evidence only of %v", i, encodeText(item), received)
		}
		if at < 0 {
			continue
		}
		found++
		n, last := 0, uint64(0)
		for _, m := range movements(t) {
			if m.To == owner && m.Token == item.TokenAddress {
				n, last = n+1, max(last, m.block.Number)
			}
		}
		if p := item.Evidence[at]; p.Tier != "observed" || *p.LastObservedBlock != last || *p.EvidenceCountLowerBound != min(n, 20) {
			t.Errorf("got %s, want at least %d transfers up to block %d", encodeText(p), min(n, 20), last)
		}
	}
	if found != len(received) {
		t.Errorf("got %d received tokens, want %d", found, len(received))
	}
	first := decodeOK[assetList](t, s.get(fmt.Sprintf("/v1/SN_MAIN/address/%s/assets/discovery?limit=2", owner)))
	last := decodeOK[assetList](t, s.get(fmt.Sprintf("/v1/SN_MAIN/address/%s/assets/discovery?limit=50", owner)))
	if first.Coverage.CompleteWithinScope || !slices.Equal(first.Coverage.ReasonCodes, []string{"limit_reached"}) || first.Coverage.DeclaredScope != "discovered_plus_registry" {
		t.Errorf("first page: got %s, want incomplete for limit_reached", encodeText(first.Coverage))
	}
	if head := uint64(len(repotest.Everyday(t)) - 1); !last.Coverage.CompleteWithinScope || len(last.Coverage.ReasonCodes) != 0 || *last.Coverage.CoveredThroughBlock != head {
		t.Errorf("last page: got %s, want complete through block %d", encodeText(last.Coverage), head)
	}
}

func TestDiscoveryIsNeverGloballyComplete(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, scope := range []string{"discovered", "discovered_plus_registry"} {
		a := s.get("/v1/SN_MAIN/address/0xdead/assets/discovery?limit=50&scope=" + scope)
		if body := decodeOK[assetList](t, a); !strings.Contains(a.body, `"globallyComplete":false`) || !body.Coverage.CompleteWithinScope || string(body.Coverage.DeclaredScope) != scope {
			t.Errorf("%s: got %s, want complete within its scope but not globally", scope, a.body)
		}
	}
}

func TestAttributionNamesTheSourceOfALabel(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	const ether = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"
	padded := "0X0049D36570D4E46F48E99674BD3FCC84644DDD6B96F7C741B1562B82F9E004DC7"
	if a := s.get("/v1/SN_MAIN/address/" + padded + "/attribution"); a.body != `{"chainId":"SN_MAIN","requestedAddress":"`+padded+`","canonicalAddress":"`+ether+
		`","known":true,"label":"ETH token","confidence":"high","source":"registry","protocol":{"name":"StarkGate","kind":"token"}}` {
		t.Errorf("got %s, want the registry's label of ETH", a.body)
	}
	if a := s.get("/v1/SN_MAIN/address/0xdead/attribution"); a.body != `{"chainId":"SN_MAIN","requestedAddress":"0xdead","canonicalAddress":"0xdead",`+
		`"known":false,"label":null,"confidence":null,"source":"none","protocol":null}` {
		t.Errorf("got %s, want an unknown address without a label", a.body)
	}
	labels := address.NewLabels(addresses.NewLabels(s.db), time.Now)
	for subject, felt := range map[address.Subject]starknet.Felt{address.OfAddress: starknet.FeltFromUint64(0xdead), address.OfClass: everydayClass(t)} {
		note := address.Note{Chain: domain.Mainnet, Subject: subject, Felt: felt, Label: address.Label{Text: "Named", Confidence: address.Low, Protocol: &address.Protocol{Name: "Ours"}}}
		if err := labels.Add(t.Context(), note); err != nil {
			t.Fatal(err)
		}
	}
	for owner, source := range map[string]address.Source{"0xdead": "operator", accountOf(t, everydayClass(t)).String(): "class"} {
		body := decodeOK[attributionBody](t, s.get("/v1/SN_MAIN/address/"+owner+"/attribution"))
		if !body.Known || *body.Label != "Named" || *body.Confidence != "low" || body.Source != source || body.Protocol.Name != "Ours" || body.Protocol.Kind != nil {
			t.Errorf("%s: got %s, want the label Named with low confidence from %s", owner, encodeText(body), source)
		}
	}
}

// everydayClass is a class of accounts.
func everydayClass(t *testing.T) starknet.Felt {
	t.Helper()
	for _, b := range repotest.Everyday(t) {
		for _, class := range b.Classes {
			if class.Account {
				return class.Hash
			}
		}
	}
	t.Fatal("got no account class, want one")
	return starknet.Felt{}
}

// accountOf is the account of a class that was deployed last.
func accountOf(t *testing.T, class starknet.Felt) (account starknet.Felt) {
	t.Helper()
	for _, b := range repotest.Everyday(t) {
		for _, d := range b.Deployments {
			if d.Class == class {
				account = d.Address
			}
		}
	}
	return account
}

const (
	summariesPath    = "/v1/SN_MAIN/address/summaries"
	intelligencePath = "/v1/SN_MAIN/address/intelligence"
)

func TestSummariesKeepTheOrderOfTheRequest(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	counts, _ := involved(t)
	account, blocks := accountOf(t, everydayClass(t)), repotest.Everyday(t)
	a := s.postJSON(summariesPath, fmt.Sprintf(`{"addresses":["0xDEAD","%s","0x00dead","%s"]}`, account, account))
	body := decodeOK[batchBody[summaryItem]](t, a)
	if len(body.Items) != 4 || body.Items[0].Address.String() != "0xdead" || body.Items[1].Address != account || encodeText(body.Items[0]) != encodeText(body.Items[2]) || encodeText(body.Items[1]) != encodeText(body.Items[3]) {
		t.Fatalf("got %s, want 0xdead and %s, twice in turn", a.body, account)
	}
	if unknown := encodeText(body.Items[0]); unknown != `{"address":"0xdead","found":false,"totalActivityCount":null,"activityCountExact":false,"latestActivityBlock":null,`+
		`"classHash":null,"isAccount":null,"createdOnIso":null,"deployedAtTxHash":null,"deployedByAddress":null,"coverage":{"status":"exact","reasonCode":null}}` {
		t.Errorf("got %s, want an exact summary of an address that is not found", unknown)
	}
	known := body.Items[1]
	if !known.Found || *known.TotalActivityCount != counts[account] || !known.ActivityCountExact || *known.ClassHash != everydayClass(t) || !*known.IsAccount {
		t.Errorf("got %s, want the account with an exact count of %d", encodeText(known), counts[account])
	}
	for _, b := range blocks {
		for _, d := range b.Deployments {
			if d.Address != account {
				continue
			}
			if known.CreatedOnIso.Unix() != int64(b.Header.Timestamp) || (known.DeployedAtTxHash == nil) != (d.TxIndex == nil) || d.TxIndex != nil && *known.DeployedAtTxHash != b.Transactions[*d.TxIndex].Hash {
				t.Errorf("got %s, want the deployment %+v of block %d", encodeText(known), d, b.Header.Number)
			}
		}
	}
}

func TestAnInexactCountIsNeverATrustworthyZero(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	idle := repotest.Everyday(t)[0].Deployments[0].Address
	s.strike(fmt.Sprintf(`DELETE FROM activity WHERE address IN (SELECT id FROM addresses WHERE felt = '\x%x')`, idle[:]))
	request := fmt.Sprintf(`{"addresses":["%s","%s"]}`, idle, someone(t, 60))
	if exact := decodeOK[batchBody[summaryItem]](t, s.postJSON(summariesPath, request)).Items; !exact[0].Found || *exact[0].TotalActivityCount != 0 || !exact[0].ActivityCountExact {
		t.Errorf("whole history: got %s, want an exact count of 0", encodeText(exact))
	}
	s.strike("UPDATE index_checkpoints SET first_block = 3")
	partial := decodeOK[batchBody[summaryItem]](t, s.postJSON(summariesPath, request)).Items
	if !partial[0].Found || partial[0].TotalActivityCount != nil || partial[0].ActivityCountExact || partial[1].ActivityCountExact || *partial[1].TotalActivityCount < 1 {
		t.Errorf("partial history: got %s, want no count, then an inexact one of at least 1", encodeText(partial))
	}
}

func TestIntelligenceKeepsTheOrderOfTheRequest(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	account := accountOf(t, everydayClass(t))
	const ether = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"
	a := s.postJSON(intelligencePath, fmt.Sprintf(`{"addresses":["%s","0xdead","%s","%s"]}`, ether, account, ether))
	items := decodeOK[batchBody[intelligenceItem]](t, a).Items
	if len(items) != 4 || encodeText(items[0]) != encodeText(items[3]) {
		t.Fatalf("got %s, want 4 items, the first and the last equal", a.body)
	}
	if unknown := encodeText(items[1]); unknown != `{"address":"0xdead","found":false,"isDeployed":false,"label":null,"labelSource":null,"protocol":null,"typeLabel":"unknown",`+
		`"classHash":null,"classLabel":null,"hasReceivedFunds":false,"coverage":{"status":"exact","reasonCode":null}}` {
		t.Errorf("got %s, want an exact profile of an address that is not found", unknown)
	}
	if token := items[0]; !token.Found || !token.IsDeployed || *token.Label != "ETH token" || *token.LabelSource != "registry" || token.Protocol.Name != "StarkGate" || token.TypeLabel != "token" || token.ClassHash == nil {
		t.Errorf("got %s, want the deployed token ETH with its label from the registry", encodeText(token))
	}
	received := slices.ContainsFunc(movements(t), func(m movement) bool { return m.To == account })
	if known := items[2]; known.TypeLabel != "account" || known.Label != nil || *known.HasReceivedFunds != received || *known.ClassHash != everydayClass(t) {
		t.Errorf("got %s, want an account without a label that received funds: %v", encodeText(known), received)
	}
	s.strike("UPDATE index_checkpoints SET first_block = 3")
	if partial := decodeOK[batchBody[intelligenceItem]](t, s.postJSON(intelligencePath, `{"addresses":["0xdead"]}`)).Items[0]; partial.Coverage.Status != "partial" {
		t.Errorf("partial history: got %s, want partial coverage", encodeText(partial))
	}
}

// TestInvalidAddressBatchIsRejected sends bodies that are wrong in every
// way that the contract names.
func TestInvalidAddressBatchIsRejected(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	list := func(n int) string {
		return `{"addresses":[` + strings.TrimSuffix(strings.Repeat(`"0x1",`, n), ",") + `]}`
	}
	for _, path := range []string{summariesPath, intelligencePath} {
		for body, names := range map[string]string{
			`{"txHashes":["0x1"]}`: "txHashes", `{"transactions":["0x1"]}`: "transactions", `{"wallets":["0x1"]}`: "wallets",
			`{"owners":["0x1"]}`: "owners", `{"contracts":["0x1"]}`: "contracts", `{"addresses":["0x1"],"owners":[]}`: "owners", `{"Addresses":["0x1"]}`: "Addresses",
			`{"addresses":["0x1"],"addresses":["0x2"]}`: "addresses", `{}`: "addresses", list(0): "addresses", list(129): "addresses",
			`{"addresses":"0x1"}`: "addresses", `{"addresses":[1]}`: "addresses", `{"addresses":[null]}`: "addresses", `{"addresses":null}`: "addresses",
			`{"addresses":["1"]}`: "addresses", `{"addresses":["0xzz"]}`: "addresses", `{"addresses":[""]}`: "addresses",
			`{"addresses":["0x800000000000011000000000000000000000000000000000000000000000001"]}`: "addresses",
			`[]`: "", `"0x1"`: "", ``: "", `{"addresses":["0x1"]} x`: "", `{"addresses":["0x1"`: "", "\xff": "",
		} {
			e := requireFailure(t, s.postJSON(path, body), http.StatusBadRequest, domain.CodeInvalidRequest)
			if !strings.Contains(e.Message, names) {
				t.Errorf("%s: got %q, want it to name %s", body, e.Message, names)
			}
		}
		if body := decodeOK[batchBody[any]](t, s.postJSON(path, list(128))); len(body.Items) != 128 {
			t.Errorf("%s: got %d items, want 128", path, len(body.Items))
		}
		requireFailure(t, s.postJSON(path, `{"addresses":["`+strings.Repeat("0", 40_000)+`"]}`), http.StatusRequestEntityTooLarge, domain.CodePayloadTooLarge)
		requireFailure(t, s.get(path), http.StatusMethodNotAllowed, domain.CodeMethodNotAllowed)
	}
}

func TestAddressBatchesNeedTheUtilityTier(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, path := range []string{summariesPath, intelligencePath} {
		a := s.askWith(http.MethodPost, path, "X-Service-Api-Key", s.access.Keys[account.Read])
		requireFailure(t, a, http.StatusForbidden, domain.CodeForbidden)
		if challenge := a.Header.Get("WWW-Authenticate"); !strings.Contains(challenge, `scope="batch"`) {
			t.Errorf("%s: got the challenge %s, want the scope batch", path, challenge)
		}
	}
}

// hold runs act while a statement's transaction is open.
func (s *service) hold(statement string, act func()) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.database)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close(s.t.Context()) }()
	for _, sql := range []string{"BEGIN", statement} {
		if _, err := conn.Exec(s.t.Context(), sql); err != nil {
			s.t.Fatal(err)
		}
	}
	act()
}

// TestAddressBatchOverItsTimeLimitSaysWhenToRetry locks a table that both
// statements read until the answer is there.
func TestAddressBatchOverItsTimeLimitSaysWhenToRetry(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.hold("LOCK TABLE contract_classes IN ACCESS EXCLUSIVE MODE", func() {
		for _, path := range []string{summariesPath, intelligencePath} {
			a := s.postJSON(path, `{"addresses":["0x1"]}`)
			requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
			if after := a.Header.Get("Retry-After"); after != "2" {
				t.Errorf("%s: got Retry-After %q, want 2", path, after)
			}
		}
	})
}
