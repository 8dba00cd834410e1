package domain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestOnlyADomainErrorHasACode(t *testing.T) {
	t.Parallel()
	denied := Errorf(CodeForbidden, "no")
	for _, c := range []struct {
		err  error
		want Code
	}{
		{denied, CodeForbidden},
		{fmt.Errorf("while reading: %w", denied), CodeForbidden},
		{errors.New("pq: password authentication failed"), CodeInternal},
		{context.Canceled, CodeInternal},
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("%v has the code %s, want %s", c.err, got, c.want)
		}
	}
}

func TestTheCauseOfUnavailabilityIsForTheLogAlone(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp node-7: refused")
	err := Unavailable(time.Second, cause, "The node did not answer.")
	if strings.Contains(err.Message, "node-7") {
		t.Errorf("the message tells the cause: %s", err.Message)
	}
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), "node-7") {
		t.Errorf("the log would not tell the cause: %v", err)
	}
}

func TestEveryCodeIsExplainedOnce(t *testing.T) {
	t.Parallel()
	seen := map[Code]bool{}
	for _, e := range Catalogue {
		if seen[e.Code] || e.Meaning == "" || e.Remedy == "" {
			t.Errorf("%s is explained twice or not fully", e.Code)
		}
		seen[e.Code] = true
	}
	if got := CodeNotFound.DocSlug(); got != "errors/not-found" {
		t.Errorf("slug %s", got)
	}
}

func TestChainsAreReadExactly(t *testing.T) {
	t.Parallel()
	for _, c := range Chains {
		if got, err := ParseChain(string(c)); err != nil || got != c {
			t.Errorf("%s: %v, %v", c, got, err)
		}
	}
	for _, bad := range []string{"", "sn_main", "SN_GOERLI", "SN_MAIN "} {
		if _, err := ParseChain(bad); CodeOf(err) != CodeInvalidRequest {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if got := Mainnet.ID().String(); got != "0x534e5f4d41494e" {
		t.Errorf("chain id %s", got)
	}
}

func TestAPageEndsWhereItsListEnds(t *testing.T) {
	t.Parallel()
	at := func(v int) Position { return Position{uint64(v)} }
	if p := CutPage([]int{1, 2}, 2, at); p.Next != nil || len(p.Items) != 2 {
		t.Errorf("a full last page: %+v", p)
	}
	if p := CutPage([]int{1, 2, 3}, 2, at); p.Next[0] != 2 || len(p.Items) != 2 {
		t.Errorf("a page with more behind it: %+v", p)
	}
}

func TestAChainThatIsNotServedHereIsUnsupported(t *testing.T) {
	t.Parallel()
	if err := Mainnet.Served([]Chain{Sepolia, Mainnet}); err != nil {
		t.Errorf("a served chain: %v", err)
	}
	if got := CodeOf(Sepolia.Served([]Chain{Mainnet})); got != CodeUnsupportedChain {
		t.Errorf("another chain is %s", got)
	}
}
