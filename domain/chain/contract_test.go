package chain

import "testing"

func TestAContractIsATokenOrUnknown(t *testing.T) {
	t.Parallel()
	if got := (&Contract{}).IsToken(); got != nil {
		t.Errorf("without a token: got %t, want nil", *got)
	}
	if got := (&Contract{Token: &TokenIdentity{}}).IsToken(); got == nil || !*got {
		t.Errorf("with a token: got %v, want true", got)
	}
}
