package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/domain/search"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

func (s *service) search(text string) []searchHit {
	s.t.Helper()
	return decodeBody[searchBody](s.t, s.get("/v1/SN_MAIN/search?"+url.Values{"q": {text}}.Encode())).Items
}

func TestSearchFindsEveryKindOfHash(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	hit := func(kind search.Kind, id any, matched search.Match) []searchHit {
		return []searchHit{{Kind: kind, ID: fmt.Sprint(id), Matched: matched}}
	}
	b := &blocks[42]
	requireEqual(t, "a block's number", s.search(" 42 "), hit("block", 42, "number"))
	requireEqual(t, "a block's hash", s.search(b.Header.Hash.String()), hit("block", 42, "hash"))
	requireEqual(t, "a transaction", s.search(b.Transactions[3].Hash.String()), hit("transaction", b.Transactions[3].Hash, "hash"))
	requireEqual(t, "an account", s.search(b.Transactions[3].Sender.String()), hit("account", b.Transactions[3].Sender, "address"))
	requireEqual(t, "a padded address", s.search(fmt.Sprintf("0X%064X", b.Transactions[3].Sender[:])), hit("account", b.Transactions[3].Sender, "address"))
	class := firstClass(blocks)
	requireEqual(t, "a class", s.search(class.Hash.String()), hit("class", class.Hash, "hash"))
	token := unlabelledTokens(t, s)[0]
	requireEqual(t, "a token", s.search(token.String()), hit("token", token, "address"))
	for _, text := range []string{"61", "0x1", "0x0", "no such thing", "99999999999999999999", "%", "' OR 1=1 --", "\\", "💎", strings.Repeat("x", 256)} {
		if got := s.search(text); len(got) != 0 {
			t.Errorf("%q: got %s, want nothing", text, encodeText(got))
		}
	}
}

func firstClass(blocks []facts.Block) *facts.Class {
	for i := range blocks {
		if len(blocks[i].Classes) > 0 {
			return blocks[i].Classes[0]
		}
	}
	return nil
}

// TestSearchReportsTheKindOfEveryAddress asks for all addresses of the chain.
func TestSearchReportsTheKindOfEveryAddress(t *testing.T) {
	t.Parallel()
	s, blocks := newExplorer(t), repotest.Everyday(t)
	want := map[starknet.Felt]search.Kind{}
	h := newHistory(blocks)
	for i := range blocks {
		for _, a := range blocks[i].Activity {
			want[a.Address] = "address"
		}
	}
	for address, hash := range h.began[len(blocks)] {
		want[address] = "contract"
		if h.classes[hash].Account {
			want[address] = "account"
		}
	}
	for i := range blocks {
		for _, token := range blocks[i].Tokens {
			want[token.Address] = "token"
		}
	}
	seen := map[search.Kind]int{}
	for address, kind := range want {
		if seen[kind]++; seen[kind] > 8 {
			continue
		}
		got := s.search(address.String())
		if !slices.ContainsFunc(got, func(hit searchHit) bool {
			return hit.Kind == kind && hit.ID == address.String() && hit.Matched == "address"
		}) {
			t.Errorf("%s: got %s, want %s", address, encodeText(got), kind)
		}
	}
	for _, kind := range []search.Kind{"token", "account", "contract", "address"} {
		if seen[kind] == 0 {
			t.Errorf("got no %s on the chain, want some", kind)
		}
	}
}

// unlabelledTokens are tokens of the chain that the registry does not know.
func unlabelledTokens(t *testing.T, s *service) (list []starknet.Felt) {
	t.Helper()
	for _, b := range repotest.Everyday(t) {
		for _, shown := range b.Tokens {
			labels, err := s.services.Labels.Of(t.Context(), domain.Mainnet, []starknet.Felt{shown.Address})
			if err != nil {
				t.Fatal(err)
			}
			if labels[0] == nil && !slices.Contains(list, shown.Address) {
				list = append(list, shown.Address)
			}
		}
	}
	return list
}

// nameTokens gives tokens of the chain symbols and names and returns their
// addresses.
func nameTokens(t *testing.T, s *service, words ...[2]string) []starknet.Felt {
	t.Helper()
	blocks, addresses := repotest.Everyday(t), unlabelledTokens(t, s)
	if len(addresses) < len(words) {
		t.Fatalf("got %d tokens on the chain, want at least %d", len(addresses), len(words))
	}
	last := len(addresses) - 1 // which is of a later block than the first
	addresses[1], addresses[last] = addresses[last], addresses[1]
	reading := token.Reading{Block: domain.BlockRef{Number: 60, Hash: blocks[60].Header.Hash}, At: time.Now(), Next: time.Now()}
	for i, w := range words {
		said := token.Metadata{Symbol: frame.NullIfEmpty(w[0]), Name: frame.NullIfEmpty(w[1])}
		reading.Tokens = append(reading.Tokens, token.Description{Token: addresses[i], Metadata: said})
	}
	if n, err := tokens.NewTokens(s.db).StoreMetadata(t.Context(), domain.Mainnet, reading); err != nil || n != len(words) {
		t.Fatalf("got %d named tokens and %v, want %d", n, err, len(words))
	}
	return addresses[:len(words)]
}

func TestSearchFindsTokensByPrefix(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	addresses := nameTokens(t, s,
		[2]string{"XYDC", "XYD Coin"}, [2]string{"XYDC", "XYD Coin (bridged)"}, [2]string{"XYD", ""}, [2]string{"XYDT", "Zether XYD"}, [2]string{"", "xydollar"}, [2]string{"42", "Answer"})
	label := map[int]string{0: "XYDC (XYD Coin)", 1: "XYDC (XYD Coin (bridged))", 2: "XYD", 3: "XYDT (Zether XYD)", 4: "xydollar", 5: "42 (Answer)"}
	for text, want := range map[string][]struct {
		token   int
		matched search.Match
	}{
		"xyd":    {{2, "symbol"}, {0, "symbol"}, {1, "symbol"}, {3, "symbol"}, {4, "name"}},
		"XYDC":   {{0, "symbol"}, {1, "symbol"}},
		"xydt ":  {{3, "symbol"}},
		"zether": {{3, "name"}},
		"xyd c":  {{0, "name"}, {1, "name"}},
		"xYd_":   nil,
		"xyd%":   nil,
	} {
		got := s.search(text)
		if len(got) != len(want) {
			t.Errorf("%q: got %s, want %d tokens", text, encodeText(got), len(want))
			continue
		}
		for i, w := range want {
			if got[i].Kind != "token" || got[i].ID != addresses[w.token].String() || got[i].Matched != w.matched || *got[i].Label != label[w.token] {
				t.Errorf("%q: hit %d: got %s, want token %d by %s", text, i, encodeText(got[i]), w.token, w.matched)
			}
		}
	}
	if got := s.search("42"); len(got) != 2 || got[0].Kind != "block" || got[1].ID != addresses[5].String() {
		t.Errorf("42: got %s, want the block and the token %s", encodeText(got), addresses[5])
	}
	if got := s.search(addresses[3].String()); len(got) != 1 || *got[0].Label != "XYDT (Zether XYD)" {
		t.Errorf("%s: got %s, want XYDT (Zether XYD)", addresses[3], encodeText(got))
	}
}

func TestSearchNeedsAQuery(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, query := range []string{"", "?q=", "?q=%20", "?q=a&q=b", "?q=%00", "?q=%FF", "?q=" + strings.Repeat("x", 257), "?q=a&limit=1"} {
		requireFailure(t, s.get("/v1/SN_MAIN/search"+query), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestSearchFindsAddressesByTheirLabels(t *testing.T) {
	t.Parallel()
	s, blocks := newOwnExplorer(t), repotest.Everyday(t)
	account, nobody := *blocks[42].Transactions[3].Sender, starknet.FeltFromUint64(0xabcdef)
	for felt, text := range map[starknet.Felt]string{account: "Treasury of the guild", nobody: "Treasury that never moved"} {
		note := address.Note{Chain: domain.Mainnet, Subject: address.OfAddress, Felt: felt, Label: address.Label{Text: text, Confidence: address.High}, By: "test"}
		if err := s.services.Labels.Add(t.Context(), note); err != nil {
			t.Fatal(err)
		}
	}
	want := []searchHit{
		{Kind: "account", ID: account.String(), Label: new("Treasury of the guild"), Matched: "label"},
		{Kind: "address", ID: nobody.String(), Label: new("Treasury that never moved"), Matched: "label"},
	}
	requireEqual(t, "both", s.search("treasury"), want)
	requireEqual(t, "one", s.search("TREASURY OF"), want[:1])
	want[1].Matched = "address"
	requireEqual(t, "by address", s.search(nobody.String()), want[1:])
	strk := starknet.MustFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")
	shipped, err := s.services.Labels.Of(t.Context(), domain.Mainnet, []starknet.Felt{strk})
	if err != nil || shipped[0] == nil {
		t.Fatalf("got the label %v and %v, want one of the fee token", shipped, err)
	}
	requireEqual(t, "the registry", s.search(shipped[0].Text), []searchHit{{Kind: "token", ID: strk.String(), Label: &shipped[0].Text, Matched: "label"}})
}
