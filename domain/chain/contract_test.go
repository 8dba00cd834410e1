package chain

import "testing"

func TestAContractIsATokenOrNobodyKnows(t *testing.T) {
	t.Parallel()
	if got := (&Contract{}).IsToken(); got != nil {
		t.Errorf("a contract that was not seen as a token: %t, want nil", *got)
	}
	if got := (&Contract{Token: &TokenIdentity{}}).IsToken(); got == nil || !*got {
		t.Errorf("one that was: got %v, want true", got)
	}
}
