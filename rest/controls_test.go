package rest

import (
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// TestTokensHaveTheControlsOfTheirClasses reads the controls of every
// token of the simulated chain. Its tokens tell of control by their entry
// points only.
func TestTokensHaveTheControlsOfTheirClasses(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	functions := map[starknet.Felt]map[string]bool{}
	for _, block := range repotest.Everyday(t) {
		for _, class := range block.Classes {
			functions[class.Hash] = map[string]bool{}
			for _, f := range class.Functions {
				functions[class.Hash][f.Name] = !f.View
			}
		}
	}
	last := uint64(len(repotest.Everyday(t))) - 1
	statuses := map[token.ControlStatus]int{}
	for address, contract := range everyContract(repotest.Everyday(t), 0, 0) {
		path := "/v1/SN_MAIN/token/" + address.String() + "/controls"
		if contract.IsToken == nil {
			requireFailure(t, s.get(path), 404, domain.CodeNotFound)
			continue
		}
		got := read[controlsBody](s, path)
		has := functions[*contract.ClassHash]
		want := controlsSnapshot{
			SupplyControl:   present(has["mint"] || has["permissioned_mint"]),
			TransferControl: present(has["pause"]),
			MetadataAdmin:   present(has["set_uri"]),
			UpgradeControl:  present(has["upgrade"] || has["replace_to"]),
		}
		if !got.Indexed || got.ReasonCode != token.ReasonControlsIndexed || got.Snapshot.AsOfBlock != last ||
			got.Snapshot.SupplyControl != want.SupplyControl || got.Snapshot.TransferControl != want.TransferControl ||
			got.Snapshot.MetadataAdmin != want.MetadataAdmin || got.Snapshot.UpgradeControl != want.UpgradeControl {
			t.Errorf("%s: got %+v with %+v, want %+v", address, got, got.Snapshot, want)
		}
		statuses[got.Snapshot.SupplyControl.Status]++
		statuses[got.Snapshot.MetadataAdmin.Status]++
		if deployed := contract.DeployedAtTx; deployed != nil && got.Snapshot.Evidence[0] != (controlEvidence{Kind: "deployed", BlockNumber: *contract.DeployedAtBlock, TxHash: *deployed}) {
			t.Errorf("%s: got the evidence %+v, want the deployment %s first", address, got.Snapshot.Evidence, deployed)
		}
	}
	if statuses[token.ControlPresent] == 0 || statuses[token.ControlAbsent] == 0 {
		t.Errorf("got the statuses %v, want some present and some absent", statuses)
	}
}

func present(is bool) controlBody {
	if is {
		return controlBody{Status: token.ControlPresent}
	}
	return controlBody{Status: token.ControlAbsent}
}

func TestControlsOfATokenOlderThanTheIndexAreUnknown(t *testing.T) {
	t.Parallel()
	s := newServiceOver(t, repotest.OpenTemplate(t, repotest.Begun), time.Now, nil)
	older := 0
	for address, contract := range everyContract(repotest.Partial(t), 0, 0) {
		if contract.IsToken == nil || contract.DeployedAtBlock != nil {
			continue
		}
		older++
		got := read[controlsBody](s, "/v1/SN_MAIN/token/"+address.String()+"/controls")
		if got.ReasonCode != token.ReasonControlsPartial || got.Snapshot.SupplyControl.Status == token.ControlPresent || got.Snapshot.SupplyControl.Actor != nil {
			t.Errorf("%s: got %s, want %s without a known control of the supply", address, encodeText(got), token.ReasonControlsPartial)
		}
	}
	if older == 0 {
		t.Error("got no token older than the index, want some")
	}
}

func TestControlsWithoutTheClassAreNotIndexed(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	if _, err := conn.Exec(t.Context(), "UPDATE classes SET abi = NULL, missing = true"); err != nil {
		t.Fatal(err)
	}
	got := read[controlsBody](s, "/v1/SN_MAIN/token/"+frame.TokenParam.Example+"/controls")
	if got.Indexed || got.Snapshot != nil || got.ReasonCode != token.ReasonControlsNoClass {
		t.Errorf("got %s, want %s", encodeText(got), token.ReasonControlsNoClass)
	}
}
