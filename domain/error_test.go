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

func TestCauseOfUnavailabilityIsLoggedButNotPublic(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp node-7: refused")
	err := Unavailable(time.Second, cause, "The node did not answer.")
	if strings.Contains(err.Message, "node-7") {
		t.Errorf("got the message %q, want it without the cause", err.Message)
	}
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), "node-7") {
		t.Errorf("got the log text %q, want the cause %q in it", err, cause)
	}
}

func TestEveryCodeIsExplainedOnce(t *testing.T) {
	t.Parallel()
	seen := map[Code]bool{}
	for _, e := range Catalogue {
		if seen[e.Code] || e.Meaning == "" || e.Remedy == "" {
			t.Errorf("%s: got meaning %q and remedy %q, seen before: %t; want both, once", e.Code, e.Meaning, e.Remedy, seen[e.Code])
		}
		seen[e.Code] = true
	}
	if got := CodeNotFound.DocSlug(); got != "errors/not-found" {
		t.Errorf("the slug is %s, want errors/not-found", got)
	}
}

func TestChainNamesAreParsedExactly(t *testing.T) {
	t.Parallel()
	for _, c := range Chains {
		if got, err := ParseChain(string(c)); err != nil || got != c {
			t.Errorf("ParseChain(%q) = %v, %v; want it back", c, got, err)
		}
	}
	for _, bad := range []string{"", "sn_main", "SN_GOERLI", "SN_MAIN "} {
		if _, err := ParseChain(bad); CodeOf(err) != CodeInvalidRequest {
			t.Errorf("ParseChain(%q): got %v, want invalid_request", bad, err)
		}
	}
	if got := Mainnet.ID().String(); got != "0x534e5f4d41494e" {
		t.Errorf("the chain id is %s, want 0x534e5f4d41494e", got)
	}
}

func TestChainThatIsNotServedIsUnsupported(t *testing.T) {
	t.Parallel()
	if err := Mainnet.Served([]Chain{Sepolia, Mainnet}); err != nil {
		t.Errorf("a served chain: got %v, want no error", err)
	}
	if got := CodeOf(Sepolia.Served([]Chain{Mainnet})); got != CodeUnsupportedChain {
		t.Errorf("another chain: got %s, want %s", got, CodeUnsupportedChain)
	}
}
