package rest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// everyMessage lists the messages of the chain, newest first, as the contract
// shows them.
func everyMessage(t *testing.T) []messageItem {
	t.Helper()
	var list []messageItem
	for _, block := range repotest.Everyday(t) {
		for _, m := range block.Messages {
			tx := block.Transactions[m.TxIndex]
			item := messageItem{
				ID: fmt.Sprintf("%s:%s:%d", tx.Hash, m.Direction, m.Index), Direction: m.Direction,
				BlockNumber: block.Header.Number, TimestampIso: time.Unix(int64(block.Header.Timestamp), 0).UTC(),
				TxIndex: m.TxIndex, MessageIndex: m.Index, MessageHash: m.Hash, FromAddress: m.From, ToAddress: m.To, TxHash: tx.Hash,
				L1ContractAddress: m.From, L2ContractAddress: m.To, Nonce: m.Nonce, Selector: m.Selector,
				Payload: m.Payload, Status: "accepted_on_l2", SourceTier: "head",
			}
			if m.Direction == facts.L2ToL1 {
				item.L1ContractAddress, item.L2ContractAddress = m.To, m.From
			}
			if block.Header.Number <= repotest.FollowedFinalized {
				item.SourceTier = "finalized"
			}
			switch {
			case tx.Reverted:
				item.Status = "reverted"
			case block.Header.Number <= repotest.FollowedL1:
				item.Status = "accepted_on_l1"
			}
			if item.Payload == nil {
				item.Payload = []starknet.Felt{}
			}
			list = append(list, item)
		}
	}
	slices.Reverse(list)
	return list
}

// walk reads a list to its end, so many items at a time.
func walk[T any](s *service, path string, query url.Values, limit int) (items []T) {
	s.t.Helper()
	if query == nil {
		query = url.Values{}
	}
	query.Set("limit", fmt.Sprint(limit))
	for {
		a := s.get(path + "?" + query.Encode())
		var page listBody[T]
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.StatusCode != 200 {
			s.t.Fatalf("%s?%s: got %d %s, want 200 and a list", path, query.Encode(), a.StatusCode, a.body)
		}
		if len(page.Items) > limit {
			s.t.Fatalf("%s?%s: got %d items, want at most %d", path, query.Encode(), len(page.Items), limit)
		}
		items = append(items, page.Items...)
		if page.NextCursor == nil {
			return items
		}
		query.Set("cursor", *page.NextCursor)
	}
}

// picked are the items that a condition holds for.
func picked[T any](list []T, is func(T) bool) (found []T) {
	for _, item := range list {
		if is(item) {
			found = append(found, item)
		}
	}
	return found
}

func requireEqual[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(want) == 0 {
		t.Errorf("%s: got nothing to compare with, want some items", what)
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("%s (-want +got):\n%.2000s", what, difference)
	}
}

func TestMessagesMatchTheChain(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), everyMessage(t)
	requireEqual(t, "all", walk[messageItem](s, "/v1/SN_MAIN/messages", nil, 100), all)
	for _, direction := range []facts.Direction{facts.L1ToL2, facts.L2ToL1} {
		requireEqual(t, string(direction),
			walk[messageItem](s, "/v1/SN_MAIN/messages", url.Values{"direction": {string(direction)}}, 100),
			picked(all, func(m messageItem) bool { return m.Direction == direction }))
	}
	for _, status := range []chain.MessageStatus{chain.MessageOnL2, chain.MessageOnL1, chain.MessageReverted} {
		if !slices.ContainsFunc(all, func(m messageItem) bool { return m.Status == status }) {
			t.Errorf("got no message with the status %s, want some", status)
		}
	}
}

func TestPagesContainEveryMessageOnce(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), everyMessage(t)
	for _, limit := range []int{1, 2, 7, 25} {
		requireEqual(t, fmt.Sprint(limit), walk[messageItem](s, "/v1/SN_MAIN/messages", nil, limit), all)
	}
}

func TestMessageIDsAreUniqueAlthoughHashesAreNot(t *testing.T) {
	t.Parallel()
	ids, hashes := map[string]bool{}, map[starknet.Hash256]bool{}
	for _, m := range walk[messageItem](newExplorer(t), "/v1/SN_MAIN/messages", nil, 100) {
		if ids[m.ID] {
			t.Errorf("got the id %s twice, want it once", m.ID)
		}
		ids[m.ID], hashes[m.MessageHash] = true, true
	}
	if len(hashes) == len(ids) {
		t.Error("got no repeated hash, want some")
	}
}

func TestARepeatedMessageHashGivesSeveralRows(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), everyMessage(t)
	count := map[starknet.Hash256]int{}
	for _, m := range all {
		count[m.MessageHash]++
	}
	for hash, n := range count {
		if n < 2 {
			continue
		}
		want := picked(all, func(m messageItem) bool { return m.MessageHash == hash })
		for _, limit := range []int{1, 2, 100} {
			requireEqual(t, hash.String(), walk[messageItem](s, "/v1/SN_MAIN/messages", url.Values{"messageHash": {hash.String()}}, limit), want)
		}
		contract := "/v1/SN_MAIN/contract/" + want[0].L2ContractAddress.String() + "/messages"
		requireEqual(t, "of its contract", walk[messageItem](s, contract, url.Values{"messageHash": {hash.String()}}, 1), want)
	}
}

func TestMessagesOfAContractMatchTheChain(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), everyMessage(t)
	seen := map[starknet.Felt]bool{}
	for _, m := range all {
		if seen[m.L2ContractAddress] {
			continue
		}
		seen[m.L2ContractAddress] = true
		path := "/v1/SN_MAIN/contract/" + m.L2ContractAddress.String() + "/messages"
		want := picked(all, func(other messageItem) bool { return other.L2ContractAddress == m.L2ContractAddress })
		for _, limit := range []int{3, 100} {
			requireEqual(t, path, walk[messageItem](s, path, nil, limit), want)
		}
		requireEqual(t, "its direction", walk[messageItem](s, path, url.Values{"direction": {string(m.Direction)}}, 2),
			picked(want, func(other messageItem) bool { return other.Direction == m.Direction }))
	}
}

func TestMessagesAreFoundByTransactionHash(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), everyMessage(t)
	seen := map[starknet.Felt]int{}
	for _, m := range all {
		if seen[m.TxHash]++; seen[m.TxHash] > 1 {
			continue
		}
		want := picked(all, func(other messageItem) bool { return other.TxHash == m.TxHash })
		requireEqual(t, m.ID, walk[messageItem](s, "/v1/SN_MAIN/messages", url.Values{"txHash": {m.TxHash.String()}}, 2), want)
		both := url.Values{"txHash": {m.TxHash.String()}, "messageHash": {m.MessageHash.String()}, "direction": {string(m.Direction)}}
		requireEqual(t, m.ID+" by everything", walk[messageItem](s, "/v1/SN_MAIN/messages", both, 100),
			picked(want, func(other messageItem) bool { return other.MessageHash == m.MessageHash }))
	}
	if !slices.ContainsFunc(all, func(m messageItem) bool { return seen[m.TxHash] > 1 }) {
		t.Error("got no transaction with several messages, want some")
	}
}

// TestHashWithTheSamePrefixFindsNothing looks for hashes that agree with
// a stored one in the eight bytes by which it is located.
func TestHashWithTheSamePrefixFindsNothing(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), everyMessage(t)
	hash, tx := all[0].MessageHash, all[0].TxHash
	hash[31]++
	tx[31]++
	for name, text := range map[string]string{"messageHash": hash.String(), "txHash": tx.String()} {
		if got := walk[messageItem](s, "/v1/SN_MAIN/messages", url.Values{name: {text}}, 100); len(got) > 0 {
			t.Errorf("%s %s: got %+v, want no messages", name, text, got)
		}
	}
}

func TestMessageHashCanExceedTheFieldPrime(t *testing.T) {
	t.Parallel()
	s, all := newExplorer(t), everyMessage(t)
	at := slices.IndexFunc(all, func(m messageItem) bool { return m.MessageHash[0] > 8 })
	if at < 0 {
		t.Fatal("got no message hash above the field prime, want one")
	}
	hash := all[at].MessageHash.String()
	if got := walk[messageItem](s, "/v1/SN_MAIN/messages", url.Values{"messageHash": {hash}}, 100); len(got) == 0 {
		t.Errorf("%s: got no message, want one", hash)
	}
	requireFailure(t, s.get("/v1/SN_MAIN/messages?messageHash=0x1"+hash[2:]), 400, domain.CodeInvalidRequest)
}
