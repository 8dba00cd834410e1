package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// fails makes the node answer calls of a contract with an error of its own.
func (s *stateful) fails(contract starknet.Felt, failure string) {
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.wire.answer = func(w http.ResponseWriter, _ *http.Request, method, params string, id json.RawMessage) bool {
		if method != "starknet_call" || !strings.Contains(params, `"contract_address":"`+contract.String()+`"`) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, failure)
		return true
	}
}

func TestACompleteSnapshotIsWholeOrRefused(t *testing.T) {
	t.Parallel()
	s := newOwnStateful(t)
	owner, _ := receiver(t)
	ask := func(format string, args ...any) answer {
		t.Helper()
		return s.postJSON(walletPath, fmt.Sprintf(`{"ownerAddress":"`+owner.String()+`",`+format+`}`, args...))
	}
	usdc, eth, counter := s.contract("USDC"), s.contract("ETH"), s.contract("counter")

	whole := ask(`"scope":"explicit","tokenAddresses":["%s","%s"]`, usdc, eth)
	if got := decodeBody[walletBody](t, whole); got.Correctness != "verified_complete" {
		t.Errorf("two readable tokens: got %+v, want verified_complete", got)
	}
	unsupported := ask(`"scope":"explicit","tokenAddresses":["%s","%s"]`, usdc, counter)
	if e := requireFailure(t, unsupported, http.StatusUnprocessableEntity, domain.CodeUnsupportedToken); !strings.Contains(e.Message, counter.String()) || unsupported.Header.Get("Retry-After") != "" {
		t.Errorf("a contract without a balance: got %q with Retry-After %q, want its address and no delay", e.Message, unsupported.Header.Get("Retry-After"))
	}
	nobody := starknet.FeltFromUint64(0xdead)
	if e := requireFailure(t, ask(`"scope":"explicit","tokenAddresses":["%s"]`, nobody), http.StatusUnprocessableEntity, domain.CodeUnsupportedToken); !strings.Contains(e.Message, nobody.String()) {
		t.Errorf("no contract: got %q, want its address", e.Message)
	}
	s.fails(eth, `{"code":40,"message":"Contract error","data":{"revert_error":"paused"}}`)
	reverted := ask(`"scope":"explicit","tokenAddresses":["%s","%s"]`, usdc, eth)
	if requireFailure(t, reverted, http.StatusServiceUnavailable, domain.CodeServiceUnavailable); reverted.Header.Get("Retry-After") == "" {
		t.Error("a revert: got no Retry-After, want one")
	}
	partial := decodeBody[walletBody](t, ask(`"mode":"verified_partial","scope":"explicit","tokenAddresses":["%s"]`, eth))
	if item := partial.Items[0]; item.Status != "error" || item.BalanceRaw != nil {
		t.Errorf("a revert in a partial snapshot: got %+v, want the status error", item)
	}

	const at = `"scope":"discovered","blockPreference":"explicit","blockNumber":20`
	s.strike(`INSERT INTO untyped_transfers (chain, address, part, block, events)
		SELECT 1, id, 1, 10, 1 FROM addresses WHERE chain = 1 AND felt = '\x` + fmt.Sprintf("%x", owner[:]) + `'`)
	untyped := ask(at)
	if e := requireFailure(t, untyped, http.StatusUnprocessableEntity, domain.CodeHistoryNotIndexed); !strings.Contains(e.Message, "untyped_transfers") || untyped.Header.Get("Retry-After") != "" {
		t.Errorf("untyped transfers: got %q with Retry-After %q, want the reason and no delay", e.Message, untyped.Header.Get("Retry-After"))
	}
	s.strike("DELETE FROM untyped_transfers")
	s.strike("UPDATE index_checkpoints SET first_block = 3")
	if e := requireFailure(t, ask(at), http.StatusUnprocessableEntity, domain.CodeHistoryNotIndexed); !strings.Contains(e.Message, "index_starts_later") {
		t.Errorf("an index that begins later: got %q, want the reason", e.Message)
	}
}

func TestAbsentRegistryTokensDoNotUseUpTheLimit(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	deployed := len(s.wallet(`{"ownerAddress":"0xdead"}`).Items)
	if deployed < 2 {
		t.Fatalf("got %d registry tokens on this chain, want several", deployed)
	}
	if got := s.wallet(`{"ownerAddress":"0xdead","limit":%d}`, deployed); len(got.Items) != deployed || got.Correctness != "verified_complete" {
		t.Errorf("got %d items, %s with a limit of %d, want all, verified_complete", len(got.Items), got.Correctness, deployed)
	}
	body := fmt.Sprintf(`{"ownerAddress":"0xdead","limit":%d}`, deployed-1)
	requireFailure(t, s.postJSON(walletPath, body), http.StatusBadRequest, domain.CodeInvalidRequest)
	partial := s.wallet(`{"ownerAddress":"0xdead","mode":"verified_partial","limit":%d}`, deployed-1)
	if len(partial.Items) != deployed-1 || partial.Coverage.CompleteWithinScope || len(partial.Coverage.ReasonCodes) != 1 || partial.Coverage.ReasonCodes[0] != "limit_reached" {
		t.Errorf("got %d items with %+v, want %d with limit_reached", len(partial.Items), partial.Coverage, deployed-1)
	}
}
