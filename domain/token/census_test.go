package token_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

func TestExpiredAndUnqualifiedCensusesAreNotServed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	qualified, contract := &token.CensusPolicy{Qualified: true}, starknet.FeltFromUint64(0x70)
	generation := func(status token.CensusStatus, left time.Duration) *token.Generation {
		g := &token.Generation{ID: 7, Status: status, ExpiresAt: now.Add(left)}
		if status == token.CensusCertified {
			g.Snapshot = new(token.Snapshot)
		}
		return g
	}
	for name, c := range map[string]struct {
		standing token.CensusState
		want     domain.Code
	}{
		"no token":           {token.CensusState{}, domain.CodeNotFound},
		"not judged yet":     {token.CensusState{Known: true}, domain.CodeServiceUnavailable},
		"unqualified":        {token.CensusState{Known: true, Policy: &token.CensusPolicy{Reason: "not_erc20"}, Generation: generation(token.CensusCertified, time.Hour)}, domain.CodeUnqualifiedToken},
		"no generation yet":  {token.CensusState{Known: true, Policy: qualified}, domain.CodeServiceUnavailable},
		"only an expired":    {token.CensusState{Known: true, Policy: qualified, Generation: generation(token.CensusCertified, 0)}, domain.CodeServiceUnavailable},
		"a live one":         {token.CensusState{Known: true, Policy: qualified, Generation: generation(token.CensusCertified, time.Second)}, ""},
		"one that failed":    {token.CensusState{Known: true, Policy: qualified, Generation: generation(token.CensusAuditFailed, time.Second)}, ""},
		"an unaudited one":   {token.CensusState{Known: true, Policy: qualified, Generation: generation(token.CensusUnavailable, time.Second)}, ""},
		"one revoked before": {token.CensusState{Known: true, Policy: qualified, Generation: generation(token.CensusRevoked, -time.Hour)}, ""},
	} {
		got, err := c.standing.Serve(contract, now)
		if c.want == "" && (err != nil || got != c.standing.Generation) || c.want != "" && domain.CodeOf(err) != c.want {
			t.Errorf("%s: got %v and %v, want code %q", name, got, err, c.want)
		}
		if e, ok := errors.AsType[*domain.Error](err); ok && (e.RetryAfter > 0) != (c.want == domain.CodeServiceUnavailable) {
			t.Errorf("%s: got a retry after %s, want one only with service_unavailable", name, e.RetryAfter)
		}
	}
}

func TestUnqualifiedTokenIsToldTheRequirementThatItDoesNotMeet(t *testing.T) {
	t.Parallel()
	for _, criterion := range token.Criteria {
		state := token.CensusState{Known: true, Policy: &token.CensusPolicy{Reason: criterion.Reason}}
		_, err := state.Serve(starknet.FeltFromUint64(0x70), time.Time{})
		if err == nil || !strings.Contains(err.Error(), "("+criterion.Reason+"). "+criterion.Requirement) || !strings.Contains(criterion.Requirement, " must ") {
			t.Errorf("%s: got %v, want what the token must have", criterion.Reason, err)
		}
	}
}

func TestTheCensusOfAnUnknownTokenIsNotFound(t *testing.T) {
	t.Parallel()
	contract := starknet.FeltFromUint64(0x70)
	_, err := token.CensusState{}.Serve(contract, time.Now())
	if err == nil || err.Error() != token.Unknown(contract).Error() {
		t.Errorf("got %v, want %v", err, token.Unknown(contract))
	}
}

func TestOnlyACertifiedGenerationListsAllHolders(t *testing.T) {
	t.Parallel()
	checked := time.Date(2026, 7, 1, 14, 0, 0, 999_999_999, time.FixedZone("CEST", 7200))
	g := &token.Generation{CheckedAt: checked}
	if got := g.Completeness(); got != token.CensusTruncated {
		t.Errorf("without a snapshot: got %s, want %s", got, token.CensusTruncated)
	}
	g.Snapshot = &token.Snapshot{Digest: [32]byte{0xab}}
	if got := g.Completeness(); got != token.CensusExact {
		t.Errorf("with a snapshot: got %s, want %s", got, token.CensusExact)
	}
	if got := g.Snapshot.RowDigest(); got != "sha256:ab"+strings.Repeat("0", 62) {
		t.Errorf("got the digest %s, want sha256:ab and zeros", got)
	}
	if got := g.Checked(); got != time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) {
		t.Errorf("got the time of the check %s, want %s", got, time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	}
}

func TestOnlyCertifiedGenerationsHaveAnalytics(t *testing.T) {
	t.Parallel()
	failed := token.Census{Generation: &token.Generation{Status: token.CensusAuditFailed}}
	if _, err := failed.Certified(); domain.CodeOf(err) != domain.CodeCensusNotCertified {
		t.Errorf("got %v, want %s", err, domain.CodeCensusNotCertified)
	}
	refused := token.Census{Err: domain.Errorf(domain.CodeUnqualifiedToken, "no")}
	if _, err := refused.Certified(); domain.CodeOf(err) != domain.CodeUnqualifiedToken {
		t.Errorf("got %v, want %s", err, domain.CodeUnqualifiedToken)
	}
}

// answers are the views of one contract.
type answers map[starknet.Felt][]starknet.Felt

var errAway = errors.New("the node is away")

// View implements token.Views.
func (a answers) View(_ context.Context, _, _, selector starknet.Felt) ([]starknet.Felt, bool, error) {
	result, ok := a[selector]
	if ok && result == nil {
		return nil, false, errAway
	}
	return result, ok, nil
}

func TestTheSupplyIsOneFeltOrAU256InEitherSpelling(t *testing.T) {
	t.Parallel()
	snake, camel := starknet.Selector("total_supply"), starknet.Selector("totalSupply")
	for name, c := range map[string]struct {
		views answers
		want  string
		err   error
	}{
		"one felt":             {answers{snake: felts("0x2a")}, "42", nil},
		"a u256":               {answers{snake: felts("0x1", "0x1")}, "340282366920938463463374607431768211457", nil},
		"the old spelling":     {answers{camel: felts("0x7", "0x0")}, "7", nil},
		"an odd answer first":  {answers{snake: felts("0x1", "0x2", "0x3"), camel: felts("0x7")}, "7", nil},
		"neither":              {answers{}, "none", nil},
		"halves over 128 bits": {answers{snake: felts("0x100000000000000000000000000000000", "0x0")}, "none", nil},
		"nothing":              {answers{snake: []starknet.Felt{}}, "none", nil},
		"no node":              {answers{snake: nil}, "none", errAway},
	} {
		supply, err := token.ReadSupply(t.Context(), c.views, starknet.Felt{}, starknet.Felt{})
		got := "none"
		if supply != nil {
			got = supply.String()
		}
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %s, %v, want %s, %v", name, got, err, c.want, c.err)
		}
	}
}
