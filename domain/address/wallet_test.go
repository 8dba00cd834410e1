package address_test

import (
	"fmt"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/address"
)

func TestAWalletLooksAtOneToMaxWalletTokens(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{-1, 0, address.MaxWallet + 1} {
		_, err := address.NewWallets(nil, nil, nil).At(t.Context(), domain.Mainnet, address.WalletQuery{Preference: address.PreferLatest, Limit: limit})
		if domain.CodeOf(err) != domain.CodeInvalidRequest || err.Error() != fmt.Sprintf("invalid_request: limit must be between 1 and 25, got %d.", limit) {
			t.Errorf("a limit of %d: %v", limit, err)
		}
	}
	// A good limit gets as far as the next mistake of the query.
	for _, limit := range []int{1, address.MaxWallet} {
		_, err := address.NewWallets(nil, nil, nil).At(t.Context(), domain.Mainnet, address.WalletQuery{Preference: address.PreferExplicit, Limit: limit})
		if err == nil || err.Error() != "invalid_request: blockPreference explicit requires either blockHash or blockNumber." {
			t.Errorf("a limit of %d: %v", limit, err)
		}
	}
}

func TestCoverageWithAReasonIsNotComplete(t *testing.T) {
	t.Parallel()
	if !(address.AssetCoverage{}).Complete() {
		t.Error("nothing is missing, and yet it is not complete")
	}
	if (address.AssetCoverage{Reasons: []string{domain.ReasonLimit}}).Complete() {
		t.Error("a list that goes on is called complete")
	}
}
