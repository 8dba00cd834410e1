package rest

import (
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

func TestAVerifiedClassShowsItsNewestRecord(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	class := *read[contractBody](s, "/v1/SN_MAIN/contract/"+frame.ContractParam.Example).ClassHash
	issued := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for _, receipt := range []int{7, 42, 9} {
		if _, err := conn.Exec(t.Context(), `INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
			VALUES (1, $1, $2, $3, 'key-1', $4)`, class[:], receipt, issued, digest); err != nil {
			t.Fatal(err)
		}
	}
	got := read[contractVerificationBody](s, "/v1/SN_MAIN/contract/"+frame.ContractParam.Example+"/verification")
	want := contractVerificationBody{
		ChainID: domain.Mainnet, Address: starknet.MustFelt(frame.ContractParam.Example), ClassHash: class, Verification: "verified_exact",
		ReceiptID: 42, IssuedAt: issued, KeyID: "key-1", ReceiptDigest: digest,
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestVerificationOfAnEarlierClassIsNotShown verifies the class that the
// pool had before it was replaced, and a class of the other chain.
func TestVerificationOfAnEarlierClassIsNotShown(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	for _, want := range everyContract(repotest.Everyday(t), 0, 0) {
		if want.DeploymentClassHash == nil || *want.DeploymentClassHash == *want.CurrentClassHash {
			continue
		}
		if _, err := conn.Exec(t.Context(), `INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
			VALUES (1, $1, 1, now(), 'key', 'digest'), (2, $2, 2, now(), 'key', 'digest') ON CONFLICT DO NOTHING`,
			want.DeploymentClassHash[:], want.CurrentClassHash[:]); err != nil {
			t.Fatal(err)
		}
		requireFailure(t, s.get("/v1/SN_MAIN/contract/"+want.Address.String()+"/verification"), 404, domain.CodeNotFound)
		return
	}
	t.Error("got no contract with a replaced class, want one")
}

func TestAContractWithoutARecordIsNotFound(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, address := range []string{frame.ContractParam.Example, "0x123456789"} {
		requireFailure(t, s.get("/v1/SN_MAIN/contract/"+address+"/verification"), 404, domain.CodeNotFound)
	}
}
