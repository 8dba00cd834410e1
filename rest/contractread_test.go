package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/starknet"
)

func TestAContractIsReadWithCalldataInItsOrder(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	of := s.contract("USDC")
	want, err := s.sim.Call(30, of, "name")
	if err != nil {
		t.Fatal(err)
	}
	got := decoded[contractReadBody](s.service, fmt.Sprintf("/v1/SN_MAIN/contract/%s/read?selector=%s&block_tag=30", of, starknet.Selector("name")))
	if !slices.Equal(got.Result, want) || got.ContractAddress != of || got.Selector != starknet.Selector("name") || got.BlockNumber != 30 || got.BlockTag != "30" {
		t.Errorf("got %+v, want %v", got, want)
	}
	decoded[contractReadBody](s.service, fmt.Sprintf("/v1/SN_MAIN/contract/%s/read?selector=%s&calldata=0x00b&calldata=0xA&block_tag=30", of, starknet.Selector("allowance")))
	calls := s.wire.calls()
	if last := calls[len(calls)-1]; !strings.Contains(last, `"calldata":["0xb","0xa"]`) {
		t.Errorf("got the call %s of the node, want the calldata 0xb and 0xa", last)
	}
}

func TestFailedContractCallIsReported(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	// 0x5 has nothing that could be taken from it.
	a := s.get(fmt.Sprintf("/v1/SN_MAIN/contract/%s/read?selector=%s&calldata=0x5&calldata=0x6&calldata=0x1&calldata=0x0",
		s.contract("USDC"), starknet.Selector("transfer_from")))
	requireFailure(t, a, http.StatusUnprocessableEntity, domain.CodeContractCallFailed)
}

func TestContractCallEnforcesItsLimits(t *testing.T) {
	t.Parallel()
	s := newStateful(t)
	path := "/v1/SN_MAIN/contract/" + s.contract("USDC").String() + "/read?"
	for name, query := range map[string]url.Values{
		"no selector":       {},
		"a name":            {"selector": {"name"}},
		"two selectors":     {"selector": {"0x1", "0x2"}},
		"no felt":           {"selector": {"0x1"}, "calldata": {"1"}},
		"too much calldata": {"selector": {"0x1"}, "calldata": slices.Repeat([]string{"0x1"}, 1025)},
	} {
		a := s.get(path + query.Encode())
		if requireFailure(t, a, http.StatusBadRequest, domain.CodeInvalidRequest); t.Failed() {
			t.Fatalf("%s: got the failures above, want %s", name, domain.CodeInvalidRequest)
		}
	}
	a := s.get(path + url.Values{"selector": {starknet.Selector("name").String()}, "calldata": slices.Repeat([]string{"0x1"}, 1024)}.Encode())
	if a.StatusCode == http.StatusBadRequest {
		t.Errorf("1024 felts: got %d %s, want them accepted", a.StatusCode, a.body)
	}
}
