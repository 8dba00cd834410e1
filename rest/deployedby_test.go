package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// otherThan returns a deployer unless it is the contract itself.
func otherThan(deployer *starknet.Felt, contract starknet.Felt) *starknet.Felt {
	if deployer != nil && *deployer == contract {
		return nil
	}
	return deployer
}

// TestDeployerOfASelfDeployedAccountIsNull looks at accounts that paid for their
// own deployment, and at contracts that another address deployed.
func TestDeployerOfASelfDeployedAccountIsNull(t *testing.T) {
	t.Parallel()
	s, kinds := newExplorer(t), map[facts.Evidence]int{}
	blocks := repotest.Everyday(t)
	for i := range blocks {
		for _, d := range blocks[i].Deployments {
			if kinds[d.Evidence]++; kinds[d.Evidence] > 3 {
				continue
			}
			want := "null"
			if deployer := otherThan(d.Deployer, d.Address); deployer != nil {
				want = fmt.Sprintf("%q", deployer)
			}
			for path, a := range map[string]answer{
				"contract":  s.get("/v1/SN_MAIN/contract/" + d.Address.String()),
				"summaries": s.postJSON("/v1/SN_MAIN/address/summaries", fmt.Sprintf(`{"addresses":[%q]}`, d.Address)),
			} {
				if a.StatusCode != http.StatusOK || !strings.Contains(a.body, `"deployedByAddress":`+want) {
					t.Errorf("%s of %s, deployed by %s: got %d %s, want deployedByAddress %s", path, d.Address, d.Evidence, a.StatusCode, a.body, want)
				}
			}
		}
	}
	if len(kinds) < 2 {
		t.Errorf("got deployments of the kinds %v, want several", kinds)
	}
}
