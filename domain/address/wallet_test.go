package address_test

import (
	"fmt"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

func TestAWalletReadsOneToMaxWalletTokens(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{-1, 0, address.MaxWallet + 1} {
		_, err := address.NewWallets(nil, nil, nil, nil).At(t.Context(), domain.Mainnet, address.WalletQuery{Preference: address.PreferLatest, Limit: limit}, starknet.Felt{})
		if domain.CodeOf(err) != domain.CodeInvalidRequest || err.Error() != fmt.Sprintf("invalid_request: limit must be between 1 and 25, got %d.", limit) {
			t.Errorf("limit %d: got %v, want it refused", limit, err)
		}
	}
	// A good limit gets as far as the next mistake of the query.
	for _, limit := range []int{1, address.MaxWallet} {
		_, err := address.NewWallets(nil, nil, nil, nil).At(t.Context(), domain.Mainnet, address.WalletQuery{Preference: address.PreferExplicit, Limit: limit}, starknet.Felt{})
		if err == nil || err.Error() != "invalid_request: blockPreference explicit requires either blockHash or blockNumber." {
			t.Errorf("limit %d: got %v, want the error of the missing block", limit, err)
		}
	}
}

func TestCoverageWithAReasonIsNotComplete(t *testing.T) {
	t.Parallel()
	if !(address.AssetCoverage{}).Complete() {
		t.Error("got incomplete coverage without a reason, want it complete")
	}
	if (address.AssetCoverage{Reasons: []string{domain.ReasonLimit}}).Complete() {
		t.Error("got complete coverage with a reason, want it incomplete")
	}
}
