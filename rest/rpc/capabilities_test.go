package rpc_test

import (
	"encoding/json"
	"testing"

	"astrolabe/rest/rpc"
)

func TestCapabilitiesShowEveryLimitOfAStorageProof(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(rpc.Describe().StorageProof)
	want := `{"maxTargets":32,"maxClassHashes":8,"maxContractAddresses":8,"maxStorageContracts":8,"maxStorageKeysPerContract":16,"maxResponseBytes":1048576}`
	if err != nil || string(got) != want {
		t.Errorf("got %s and %v, want %s", got, err, want)
	}
}
