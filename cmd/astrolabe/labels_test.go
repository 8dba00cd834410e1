package main

import (
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

func TestOperatorLabelsAddressesAndClasses(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	added := k.types(exitOK, "labels add 0x00A1 Treasury --protocol Acme --kind dao --confidence medium")
	k.expects(strings.Join(strings.Fields(added), " "), "SN_MAIN address 0xa1 medium Acme dao operator:")
	k.types(exitOK, "labels add 0xa1 Vault")
	k.types(exitOK, "labels add 0xa1 Accounts --class --chain SN_SEPOLIA")
	listed := strings.Split(strings.TrimSpace(k.types(exitOK, "labels list")), "\n")
	for i := range listed {
		listed[i] = strings.Join(strings.Fields(listed[i]), " ")
	}
	if len(listed) != 3 || !strings.HasPrefix(listed[0], "CHAIN SUBJECT ADDRESS CONFIDENCE") ||
		!strings.HasPrefix(listed[1], "SN_MAIN address 0xa1 high - - ") || !strings.HasSuffix(listed[1], " Vault") ||
		!strings.HasPrefix(listed[2], "SN_SEPOLIA class 0xa1 high") {
		t.Errorf("got %q, want both labels", listed)
	}
	found, err := labels(&database{DB: k.db}).Of(t.Context(), domain.Mainnet, []starknet.Felt{starknet.FeltFromUint64(0xa1)})
	if err != nil || found[0].Text != "Vault" || found[0].Source != address.FromOperator {
		t.Errorf("got %+v and %v, want Vault from the operator", found, err)
	}
	k.types(exitOK, "labels remove 0xa1 --class --chain SN_SEPOLIA")
	k.types(exitOK, "labels remove 0xa1")
	if left := k.types(exitOK, "labels list"); strings.Count(left, "\n") != 1 {
		t.Errorf("got %q, want only the header", left)
	}
	for _, mistake := range []string{
		"labels remove 0xa1", "labels add 0xa1", "labels add nonsense Name", "labels add 0xa1 Name --kind dex", "labels add 0xa1 Name --protocol X --kind DEX",
		"labels add 0xa1 Name --confidence certain", "labels add 0xa1 Name --chain SN_GOERLI", "labels add 0xa1 " + strings.Repeat("x", 65),
	} {
		k.types(exitUsage, mistake)
	}
}
