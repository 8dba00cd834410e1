package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/repo/repotest"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

func TestSupplyAndBalanceMatchTheContract(t *testing.T) {
	t.Parallel()
	s, all := newStateful(t), movements(t)
	for tag, number := range map[string]uint64{"latest": 60, "59": 59, "20": 20, s.sim.Head().Header.BlockHash.String(): 60} {
		block, err := s.sim.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"STRK", "USDC", "HUGE"} {
			of := s.contract(name)
			got := decoded[supplyBody](s.service, "/v1/SN_MAIN/token/"+of.String()+"/total-supply?block_tag="+tag)
			want := supplyBody{
				ChainID: domain.Mainnet, TokenAddress: of, BlockTag: tag, BlockNumber: number, BlockHash: &block.Header.BlockHash,
				TotalSupplyRaw: s.says(number, of, nil, "total_supply"),
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || *got.BlockHash != block.Header.BlockHash {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		for _, name := range []string{"STRK", "USDC", "collection", "old collection"} { // the last one knows only balanceOf
			of := s.contract(name)
			owner := busiest(all, func(m *movement) starknet.Felt {
				if m.Token == of {
					return m.To
				}
				return starknet.Felt{}
			})
			got := decoded[balanceBody](s.service, fmt.Sprintf("/v1/SN_MAIN/token/%s/balance-of/%s?block_tag=%s", of, owner, tag))
			if want := s.says(number, of, []starknet.Felt{owner}, "balance_of", "balanceOf"); got.BalanceRaw != want ||
				got.OwnerAddress != owner || got.BlockNumber != number || *got.BlockHash != block.Header.BlockHash {
				t.Errorf("%s at %s: got %+v, want %s", name, tag, got, want)
			}
		}
	}
}

// statePaths are one path of each operation that reads the node.
func (s *stateful) statePaths(tag string) []string {
	of := s.contract("STRK").String()
	return []string{
		"/v1/SN_MAIN/token/" + of + "/total-supply?block_tag=" + tag,
		"/v1/SN_MAIN/token/" + of + "/balance-of/0x1?block_tag=" + tag,
		"/v1/SN_MAIN/contract/" + of + "/read?selector=" + starknet.Selector("name").String() + "&block_tag=" + tag,
	}
}

func TestLatestIsResolvedToAHashFirst(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	head := fmt.Sprintf(`{"block_hash":"%s"}`, s.sim.Head().Header.BlockHash)
	for _, path := range s.statePaths("latest") {
		decoded[map[string]any](s.service, path)
	}
	decoded[map[string]any](s.service, strings.ReplaceAll(s.statePaths("")[0], "?block_tag=", "")) // what is meant without a tag
	calls := s.wire.calls()
	for _, call := range calls {
		if !strings.HasSuffix(call, head+"]") {
			t.Errorf("got the call %s of the node, want the block %s", call, head)
		}
	}
	if len(calls) != 4 {
		t.Errorf("got %d calls of the node, want 4", len(calls))
	}
}

func TestPendingHasNoHash(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	for _, path := range s.statePaths("pending") {
		got := decoded[map[string]any](s.service, path)
		if hash, there := got["blockHash"]; !there || hash != nil || got["blockNumber"] != float64(61) || got["blockTag"] != "pending" {
			t.Errorf("%s: got %v, want the pending block 61 without a hash", path, got)
		}
	}
	for _, call := range s.wire.calls() {
		if !strings.HasSuffix(call, `"pre_confirmed"]`) {
			t.Errorf("got the call %s of the node, want pre_confirmed", call)
		}
	}
}

func TestAFailingNodeIsNeverZero(t *testing.T) {
	t.Parallel()
	s := newOwnStateful(t)
	for name, f := range map[string]fault.Fault{
		"no service":         {Kind: fault.Status, Status: http.StatusServiceUnavailable},
		"too many requests":  {Kind: fault.Status},
		"closed connections": {Kind: fault.Cut},
		"half answers":       {Kind: fault.Truncate},
		"internal errors":    {Kind: fault.RPCError, Code: -32603},
		"unknown errors":     {Kind: fault.RPCError, Code: 63},
		"another chain":      {Kind: fault.OtherChain},
	} {
		if err := s.sim.Fault(f); err != nil {
			t.Fatal(err)
		}
		for _, tag := range []string{"latest", "pending", "59"} {
			for _, path := range s.statePaths(tag) {
				s.reconnect()
				a := s.get(path)
				if requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable); a.Header.Get("Retry-After") == "" {
					t.Errorf("%s, %s: got no Retry-After, want one", name, path)
				}
			}
		}
		s.sim.ClearFaults()
	}
	s.reconnect()
	decoded[map[string]any](s.service, s.statePaths("latest")[0])
}

func TestAContractWithoutTheViewIsNotFound(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	for _, path := range []string{
		"/token/" + s.contract("counter").String() + "/total-supply",
		"/token/" + s.contract("collection").String() + "/total-supply", // has no supply
		"/token/" + s.contract("items").String() + "/balance-of/0x1",    // its balances need an id, too
		"/token/0xdead/total-supply",
		"/token/0xdead/balance-of/0x1?block_tag=pending",
		"/token/" + s.contract("ASTRO").String() + "/total-supply?block_tag=0", // was deployed later
		"/contract/0xdead/read?selector=0x1",
		"/contract/" + s.contract("counter").String() + "/read?selector=" + starknet.Selector("name").String(),
	} {
		requireFailure(t, s.get("/v1/SN_MAIN"+path), http.StatusNotFound, domain.CodeNotFound)
	}
}

// TestUnknownTokenOfAQuantityIsTheSentenceOfAllRoutes reads an address without a
// contract, which the node proves.
func TestUnknownTokenOfAQuantityIsTheSentenceOfAllRoutes(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	for _, route := range []string{"/total-supply", "/balance-of/0x1"} {
		e := requireFailure(t, s.get("/v1/SN_MAIN/token/0xdead"+route), http.StatusNotFound, domain.CodeNotFound)
		if want := "No token is indexed at 0xdead. No contract is deployed at 0xdead at block "; !strings.HasPrefix(e.Message, want) {
			t.Errorf("%s: got %q, want it to begin with %q", route, e.Message, want)
		}
	}
}

func TestAnUnknownBlockIsNotFound(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	for _, tag := range []string{"61", "9007199254740991", "0xdead"} {
		for _, path := range s.statePaths(tag) {
			requireFailure(t, s.get(path), http.StatusNotFound, domain.CodeNotFound)
		}
	}
	for _, tag := range []string{"-1", "01", "earliest", "pre_confirmed", "0x800000000000011000000000000000000000000000000000000000000000001"} {
		requireFailure(t, s.get(s.statePaths(tag)[0]), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

// TestReplacedBlockIsLookedUpAgain exchanges the block between its
// lookup and the reading.
func TestReplacedBlockIsLookedUpAgain(t *testing.T) {
	t.Parallel()
	s := newOwnStateful(t)
	gone := fault.Fault{Kind: fault.RPCError, Code: 24, Methods: []string{"starknet_call"}, Times: 1}
	head := s.sim.Head().Header.BlockHash.String()
	for tag, status := range map[string]int{"latest": 200, "60": 200, head: 404} {
		if err := s.sim.Fault(gone); err != nil {
			t.Fatal(err)
		}
		if a := s.get(s.statePaths(tag)[0]); a.StatusCode != status {
			t.Errorf("%s: got %d %s, want %d", tag, a.StatusCode, a.body, status)
		}
		s.sim.ClearFaults()
	}
	gone.Times = 0
	if err := s.sim.Fault(gone); err != nil {
		t.Fatal(err)
	}
	requireFailure(t, s.get(s.statePaths("latest")[0]), http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
}

func TestFinalizedResponseIsCached(t *testing.T) {
	t.Parallel()
	s := newOwnStateful(t)
	block, err := s.sim.Block(repotest.FollowedFinalized)
	if err != nil {
		t.Fatal(err)
	}
	number, hash := fmt.Sprint(repotest.FollowedFinalized), block.Header.BlockHash.String()
	answers := map[string]string{}
	for _, path := range s.statePaths(number) {
		answers[path] = s.get(path).body
	}
	asked := len(s.wire.calls())
	for _, path := range s.statePaths("59") {
		s.get(path)
	}
	if err := s.sim.Fault(fault.Fault{Kind: fault.Cut}); err != nil {
		t.Fatal(err)
	}
	for i, path := range s.statePaths(number) {
		if got := s.get(path); got.body != answers[path] {
			t.Errorf("%s: got %s, want %s as before", path, got.body, answers[path])
		}
		same := s.get(s.statePaths(hash)[i]).body // the same block by another name
		if strings.Replace(same, `"blockTag":"`+hash, `"blockTag":"`+number, 1) != answers[path] {
			t.Errorf("by its hash: got %s, want %s as by its number", same, answers[path])
		}
	}
	for _, path := range s.statePaths("59") { // which a reorganisation can undo
		requireFailure(t, s.get(path), http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	}
	if again := len(s.wire.calls()); again < asked {
		t.Errorf("got %d calls of the node, want at least %d", again, asked)
	}
}

func TestStateIsUnavailableWithoutANode(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	bare := newExplorer(t)
	for _, path := range s.statePaths("latest") {
		a := bare.get(path)
		if e := requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable); !strings.Contains(e.Message, "has no upstream node for") {
			t.Errorf("got %q, want that there is no upstream node", e.Message)
		}
	}
}
