package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/repo/repotest"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// postJSON sends a body and holds the answer against the OpenAPI document.
func (s *service) postJSON(path, body string) answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Service-Api-Key", s.access.Key)
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.holdToContract(request, response, text)
	return answer{response, string(text)}
}

const walletPath = "/v1/SN_MAIN/query/wallet-state"

// wallet asks for a snapshot that must succeed.
func (s *service) wallet(format string, args ...any) (body walletBody) {
	s.t.Helper()
	a := s.postJSON(walletPath, fmt.Sprintf(format, args...))
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
		s.t.Fatalf("got %d %s (%v), want 200 and a wallet", a.StatusCode, a.body, err)
	}
	if body.RequestID != a.Header.Get("X-Request-Id") {
		s.t.Errorf("got the request id %s, want %s as in the header", body.RequestID, a.Header.Get("X-Request-Id"))
	}
	return body
}

// receiver is an address that received several tokens, and these in the order
// in which the chain showed them.
func receiver(t *testing.T) (owner starknet.Felt, tokens []starknet.Felt) {
	t.Helper()
	received := map[starknet.Felt][]starknet.Felt{}
	for _, m := range movements(t) {
		if !slices.Contains(received[m.To], m.Token) && !m.To.IsZero() {
			received[m.To] = append(received[m.To], m.Token)
		}
	}
	for address, list := range received {
		if len(list) > len(tokens) || len(list) == len(tokens) && address.Cmp(owner) < 0 {
			owner, tokens = address, list
		}
	}
	return owner, tokens
}

// allRead reports whether every balance was read.
func allRead(items []walletItem) bool {
	return !slices.ContainsFunc(items, func(item walletItem) bool { return item.BalanceRaw == nil })
}

func TestEveryBalanceOfAWalletIsOfOneBlock(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	owner, tokens := receiver(t)
	if len(tokens) < 3 {
		t.Fatalf("%s: got %d received tokens, want at least 3", owner, len(tokens))
	}
	at := func(number uint64) *starknet.Felt {
		block, err := s.sim.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		return &block.Header.BlockHash
	}
	for request, number := range map[string]uint64{
		`"scope":"discovered","mode":"verified_partial"`:                                                                    60,
		`"scope":"discovered","blockPreference":"latest_accepted_l2","mode":"verified_partial"`:                             60,
		`"scope":"discovered","mode":"verified_partial","blockPreference":"l1_accepted"`:                                    s.sim.L1Head(),
		`"scope":"discovered","mode":"verified_partial","blockPreference":"explicit","blockNumber":50`:                      50,
		`"scope":"discovered","mode":"verified_partial","blockPreference":"explicit","blockHash":"` + at(40).String() + `"`: 40,
	} {
		before := len(s.wire.calls())
		got := s.wallet(`{"ownerAddress":"%s",%s}`, owner, request)
		if got.Block.BlockNumber != number || *got.Block.BlockHash != *at(number) || (got.Correctness == "verified_complete") != allRead(got.Items) || got.OwnerAddress != owner {
			t.Errorf("%s: got %s, want block %d, complete if every balance was read", request, encodeText(got), number)
		}
		if len(got.Items) != min(len(tokens), 25) || !got.Coverage.CompleteWithinScope || got.Coverage.GloballyComplete || *got.Coverage.CoveredThroughBlock != 60 {
			t.Errorf("%s: got %d items with the coverage %s, want %d, complete within the scope through block 60", request, len(got.Items), encodeText(got.Coverage), min(len(tokens), 25))
		}
		for _, item := range got.Items {
			if !slices.Contains(tokens, item.TokenAddress) || item.Metadata.Standard == nil {
				t.Errorf("%s: got %s, want a received token with a standard", request, encodeText(item))
			}
			if item.Status != "ok" {
				continue
			}
			if want := s.says(number, item.TokenAddress, []starknet.Felt{owner}, "balance_of", "balanceOf"); *item.BalanceRaw != want {
				t.Errorf("%s, %s: got %s, want %s", request, item.TokenAddress, *item.BalanceRaw, want)
			}
		}
		for _, call := range s.wire.calls()[before:] {
			if !strings.Contains(call, fmt.Sprintf(`{"block_hash":"%s"}`, *at(number))) {
				t.Errorf("%s: got the call %s of the node, want block %d", request, call, number)
			}
		}
	}
}

func TestWalletContainsTheRequestedTokens(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	owner, _ := receiver(t)
	names := []starknet.Felt{s.contract("USDC"), s.contract("items"), starknet.FeltFromUint64(0xdead), s.contract("USDC"), s.contract("counter")}
	text, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	got := s.wallet(`{"ownerAddress":"%s","mode":"verified_partial","scope":"explicit","tokenAddresses":%s}`, owner, text)
	statuses := []string{"ok", "error", "unsupported", "ok", "unsupported"}
	for i, item := range got.Items {
		if item.TokenAddress != names[i] || string(item.Status) != statuses[i] || (item.BalanceRaw != nil) != (statuses[i] == "ok") {
			t.Errorf("item %d: got %s, want %s of %s", i, encodeText(item), statuses[i], names[i])
		}
	}
	if got.Correctness != "verified_partial" || got.Coverage.DeclaredScope != "explicit" || !got.Coverage.CompleteWithinScope || len(got.Items) != len(names) {
		t.Errorf("got %s, want verified_partial, complete within the explicit scope of %d tokens", encodeText(got), len(names))
	}
}

func TestTokensOfTheRegistryAreReadToo(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	got := s.wallet(`{"ownerAddress":"0xdead"}`)
	listed := address.RegistryTokens(domain.Mainnet)
	if len(listed) < 3 || got.Scope != "discovered_plus_registry" || got.Correctness != "verified_complete" {
		t.Fatalf("got %s of %d registry tokens, want a verified_complete wallet of at least 3", encodeText(got), len(listed))
	}
	there := 0
	for _, token := range listed {
		i := slices.IndexFunc(got.Items, func(item walletItem) bool { return item.TokenAddress == token.Address })
		if i < 0 {
			continue // this chain does not have it
		}
		there++
		if item := got.Items[i]; item.Status != "ok" || *item.BalanceRaw != "0" || item.Metadata.Symbol == nil {
			t.Errorf("%s: got %s, want a balance of 0 and a symbol", token.Symbol, encodeText(item))
		}
	}
	if there == 0 || there != len(got.Items) {
		t.Errorf("got %s with %d of the registry, want tokens of the registry alone", encodeText(got.Items), there)
	}
}

// breaks makes the node answer calls of a contract with an internal error.
func (s *stateful) breaks(contract starknet.Felt) {
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.wire.answer = func(w http.ResponseWriter, _ *http.Request, method, params string, id json.RawMessage) bool {
		if method != "starknet_call" || !strings.Contains(params, `"contract_address":"`+contract.String()+`"`) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"out of luck"}}`, id)
		return true
	}
}

func TestOneFailedBalanceFailsACompleteSnapshot(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	s.breaks(s.contract("ETH"))
	for _, mode := range []string{"", `"mode":"require_complete",`} {
		a := s.postJSON(walletPath, fmt.Sprintf(`{"ownerAddress":"0x1",%s"scope":"explicit","tokenAddresses":["%s","%s"]}`, mode, s.contract("USDC"), s.contract("ETH")))
		if requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable); a.Header.Get("Retry-After") == "" {
			t.Error("got no Retry-After, want one")
		}
	}
}

func TestAPartialSnapshotNamesWhatFailed(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	s.breaks(s.contract("ETH"))
	got := s.wallet(`{"ownerAddress":"0x1","mode":"verified_partial","scope":"explicit","tokenAddresses":["%s","%s"]}`, s.contract("USDC"), s.contract("ETH"))
	if got.Correctness != "verified_partial" || got.Items[0].Status != "ok" || *got.Items[0].BalanceRaw != "0" ||
		got.Items[1].Status != "error" || got.Items[1].BalanceRaw != nil {
		t.Errorf("got %s, want verified_partial with 0 USDC and an error for ETH", encodeText(got))
	}
}

func TestABalanceThatTakesTooLongIsATimeout(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	slow := s.contract("ETH").String()
	s.wire.answer = func(_ http.ResponseWriter, r *http.Request, method, params string, _ json.RawMessage) bool {
		if method != "starknet_call" || !strings.Contains(params, slow) {
			return false
		}
		<-r.Context().Done()
		return true
	}
	got := s.wallet(`{"ownerAddress":"0x1","mode":"verified_partial","scope":"explicit","tokenAddresses":["%s","%s"]}`, slow, s.contract("USDC"))
	if got.Items[0].Status != "timeout" || got.Items[0].BalanceRaw != nil || got.Items[1].Status != "ok" || got.Correctness != "verified_partial" {
		t.Errorf("got %s, want verified_partial with a timeout, then ok", encodeText(got))
	}
}

func TestAWalletWithoutItsNodeIsUnavailable(t *testing.T) {
	t.Parallel()
	s := newOwnStateful(t)
	if err := s.sim.Fault(fault.Fault{Kind: fault.Cut}); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"require_complete", "verified_partial"} {
		body := fmt.Sprintf(`{"ownerAddress":"0x1","mode":"%s"}`, mode)
		requireFailure(t, s.postJSON(walletPath, body), http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	}
	requireFailure(t, newOwnExplorer(t).postJSON(walletPath, `{"ownerAddress":"0x1"}`), http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
}

func TestPartialDiscoveryIsNeverVerifiedComplete(t *testing.T) {
	t.Parallel()
	s := newOwnStateful(t)
	owner, tokens := receiver(t)
	if len(tokens) <= 2 {
		t.Fatalf("%s: got %d received tokens, want at least 3", owner, len(tokens))
	}
	// requires asks for all or nothing, and expects nothing.
	requires := func(rest string, status int, code domain.Code) {
		t.Helper()
		a := s.postJSON(walletPath, fmt.Sprintf(`{"ownerAddress":"%s","scope":"discovered",%s}`, owner, rest))
		if requireFailure(t, a, status, code); status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got no Retry-After, want one", rest)
		}
	}
	lacks := func(rest, reason string) walletBody {
		t.Helper()
		got := s.wallet(`{"ownerAddress":"%s","scope":"discovered","mode":"verified_partial",%s}`, owner, rest)
		if got.Correctness != "verified_partial" || got.Coverage.CompleteWithinScope || !slices.Equal(got.Coverage.ReasonCodes, []string{reason}) {
			t.Errorf("%s: got %s with the coverage %s, want verified_partial for %s", rest, got.Correctness, encodeText(got.Coverage), reason)
		}
		return got
	}
	lacks(`"limit":2`, "limit_reached")
	requires(`"limit":2`, http.StatusBadRequest, domain.CodeInvalidRequest)
	if err := s.sim.Mine(1); err != nil {
		t.Fatal(err)
	}
	if got := lacks(`"limit":25`, "index_behind"); got.Block.BlockNumber != 61 {
		t.Errorf("got block %d, want 61", got.Block.BlockNumber)
	}
	requires(`"blockPreference":"explicit","blockNumber":61`, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	old := fmt.Sprintf(`"blockPreference":"explicit","blockNumber":%d`, repotest.FollowedFinalized)
	s.strike("UPDATE index_checkpoints SET first_block = 3")
	lacks(old, "index_starts_later")
	requires(old, http.StatusUnprocessableEntity, domain.CodeHistoryNotIndexed)
}

func TestCompleteSnapshotUsesAnIndexedBlock(t *testing.T) {
	t.Parallel()
	s := newOwnStateful(t)
	if err := s.sim.Mine(1); err != nil {
		t.Fatal(err)
	}
	if got := s.wallet(`{"ownerAddress":"0xdead"}`); got.Block.BlockNumber != 60 || got.Correctness != "verified_complete" || !got.Coverage.CompleteWithinScope {
		t.Errorf("got %s, want verified_complete at block 60", encodeText(got))
	}
	if got := s.wallet(`{"ownerAddress":"0xdead","scope":"explicit","tokenAddresses":["%s"]}`, s.contract("USDC")); got.Block.BlockNumber != 61 || got.Correctness != "verified_complete" {
		t.Errorf("explicit scope: got %s, want verified_complete at block 61", encodeText(got))
	}
}

// TestSnapshotOfAForkThatTheIndexDoesNotHaveIsNotComplete reorganises the node, which
// the index does not follow: blocks have the numbers of indexed ones and other hashes.
func TestSnapshotOfAForkThatTheIndexDoesNotHaveIsNotComplete(t *testing.T) {
	t.Parallel()
	s := newOwnStateful(t)
	if err := s.sim.Reorg(3); err != nil {
		t.Fatal(err)
	}
	for _, block := range []string{`"blockPreference":"latest_accepted_l2"`, `"blockPreference":"explicit","blockNumber":59`} {
		a := s.postJSON(walletPath, `{"ownerAddress":"0xdead",`+block+`}`)
		requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
		got := s.wallet(`{"ownerAddress":"0xdead","mode":"verified_partial",%s}`, block)
		if got.Correctness != "verified_partial" || !slices.Equal(got.Coverage.ReasonCodes, []string{"index_behind"}) {
			t.Errorf("%s: got %s with the coverage %s, want verified_partial for index_behind", block, got.Correctness, encodeText(got.Coverage))
		}
	}
	if got := s.wallet(`{"ownerAddress":"0xdead","blockPreference":"explicit","blockNumber":57}`); got.Correctness != "verified_complete" {
		t.Errorf("below the fork: got %s, want verified_complete", encodeText(got))
	}
}

func TestInvalidWalletRequestIsRejected(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	many, err := json.Marshal(slices.Repeat([]string{"0x1"}, 26))
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{}`, `[]`, `{"ownerAddress":"0x1","owner":"0x1"}`, `{"ownerAddress":"wallet"}`, `{"ownerAddress":1}`, `{"ownerAddress":"0x1","ownerAddress":"0x2"}`,
		`{"ownerAddress":"0x1","mode":"complete"}`, `{"ownerAddress":"0x1","scope":"all"}`, `{"ownerAddress":"0x1","blockPreference":"latest"}`,
		`{"ownerAddress":"0x1","limit":0}`, `{"ownerAddress":"0x1","limit":26}`, `{"ownerAddress":"0x1","limit":1.5}`,
		`{"ownerAddress":"0x1","scope":"explicit","limit":1,"tokenAddresses":["0x1","0x2"]}`,
		`{"ownerAddress":"0x1","scope":"explicit"}`, `{"ownerAddress":"0x1","scope":"explicit","tokenAddresses":[]}`,
		`{"ownerAddress":"0x1","scope":"explicit","tokenAddresses":` + string(many) + `}`, `{"ownerAddress":"0x1","tokenAddresses":["0x1"]}`,
		`{"ownerAddress":"0x1","blockNumber":1}`, `{"ownerAddress":"0x1","blockPreference":"l1_accepted","blockHash":"0x1"}`,
		`{"ownerAddress":"0x1","blockPreference":"explicit"}`, `{"ownerAddress":"0x1","blockPreference":"explicit","blockNumber":1,"blockHash":"0x1"}`,
		`{"ownerAddress":"0x1","blockPreference":"explicit","blockNumber":9007199254740992}`, `{"ownerAddress":"0x1","blockPreference":"explicit","blockNumber":-1}`,
		`{"ownerAddress":"0x800000000000011000000000000000000000000000000000000000000000001"}`,
	} {
		if requireFailure(t, s.postJSON(walletPath, body), http.StatusBadRequest, domain.CodeInvalidRequest); t.Failed() {
			t.Fatalf("%s: got the failures above, want %s", body, domain.CodeInvalidRequest)
		}
	}
	for _, block := range []string{`"blockNumber":1000`, `"blockHash":"0xdead"`} {
		body := `{"ownerAddress":"0x1","blockPreference":"explicit",` + block + `}`
		requireFailure(t, s.postJSON(walletPath, body), http.StatusNotFound, domain.CodeNotFound)
	}
	requireFailure(t, s.postJSON(walletPath, `{"ownerAddress":"0x1","mode":"`+strings.Repeat("x", 9000)+`"}`), http.StatusRequestEntityTooLarge, domain.CodePayloadTooLarge)
}
