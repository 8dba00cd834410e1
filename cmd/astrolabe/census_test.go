package main

import (
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// showsEachStateOfACensus waits for the states that demo.json has samples of.
func (s *simulated) showsEachStateOfACensus(t *testing.T) {
	if len(s.demo.Samples.Tokens) != 4 {
		t.Fatalf("got the samples %v, want 4 tokens", s.demo.Samples)
	}
	for state, contract := range s.demo.Samples.Tokens {
		want := `"status":"` + state + `"`
		if state == "unqualified" {
			want = `"code":"unqualified_token_policy"`
		}
		s.until(t, "a token is "+state, func() bool {
			return strings.Contains(get(t, s.base+"/v1/SN_MAIN/token/"+contract.String()+"/holders", keyHeader, s.demo.Keys["partner"]), want)
		})
	}
	if got := get(t, s.base+"/v1/SN_MAIN/token/"+s.demo.Samples.Tokens["certified"].String()+"/holders", keyHeader, s.demo.Keys["read"]); !strings.Contains(got, `"code":"forbidden"`) {
		t.Errorf("key with read only: got %s, want forbidden", got)
	}
}

func TestOperatorRevokesAndRestoresACensus(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	contract := starknet.MustFelt("0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")
	target := " --chain SN_MAIN --token 0x0" + contract.String()[2:]
	o.expects(o.types(exitUsage, "census revoke --reason test"+target), "SN_MAIN has no certified holder census of "+contract.String())
	o.expects(o.types(exitUsage, "census restore"+target), "the holder census of "+contract.String()+" on SN_MAIN is not revoked")
	o.expects(o.types(exitUsage, "census restore --chain SN_MAIN --token x"), "--token must be a 0x-prefixed address")
	o.certify(contract)
	o.expects(o.types(exitOK, "census revoke --reason test"+target), "revoked with its cursors (generations: 1)")
	standings, err := tokens.NewCensus(o.db).CensusStates(t.Context(), domain.Mainnet, []starknet.Felt{contract}, time.Now())
	if err != nil || !standings[0].Held || standings[0].Generation.Status != token.CensusRevoked {
		t.Errorf("got %+v and %v, want the census revoked and held", standings, err)
	}
	o.expects(o.types(exitOK, "census restore"+target), "restored")
}

// certify creates a census of a token at block 30, whose supply is what was
// minted and not burned.
func (o *operator) certify(contract starknet.Felt) {
	o.Helper()
	blocks, supply := repotest.Everyday(o.T), domain.Amount{}
	for _, block := range blocks[:31] {
		for _, transfer := range block.Transfers {
			amount := domain.Amount{}
			if transfer.Amount != nil {
				amount = domain.AmountFromBig(transfer.Amount.Big())
			}
			if transfer.Token == contract && transfer.From.IsZero() {
				supply = supply.Add(amount)
			}
			if transfer.Token == contract && transfer.To.IsZero() {
				supply = supply.Sub(amount)
			}
		}
	}
	draft, err := tokens.NewCensusBuilder(o.db).BuildCensus(o.Context(), domain.Mainnet, token.CensusOrder{
		Token: contract, Block: domain.BlockRef{Number: 30, Hash: blocks[30].Header.Hash}, Supply: &supply,
	})
	if err != nil || draft.Status != token.CensusCertified {
		o.Fatalf("got the census %+v, %v, want a certified one", draft, err)
	}
	draft.CheckedAt, draft.ExpiresAt = time.Now(), time.Now().Add(time.Hour)
	if _, err := tokens.NewCensusBuilder(o.db).PublishCensus(o.Context(), domain.Mainnet, draft); err != nil {
		o.Fatal(err)
	}
}
