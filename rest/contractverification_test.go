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

// A receipt of a revoked key is not valid, so it makes no record; an older one of
// another key does.
func TestTheRecordOfARevokedKeyIsNotShown(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	path := "/v1/SN_MAIN/contract/" + frame.ContractParam.Example
	class := *read[contractBody](s, path).ClassHash
	for i, key := range []string{"good", "stolen"} {
		if _, err := conn.Exec(t.Context(), "INSERT INTO verification_keys VALUES ($1, sha256($1::text::bytea), 'demo', 'cairo-wasm', '2.8.2', 'sha256:00', now())", key); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest) VALUES (1, $1, $2, now(), $3, 'sha256:00')", class[:], i+1, key); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		end  string
		want string // key of the record; empty for none
	}{
		{"UPDATE verification_keys SET not_after = now() + interval '1 second'", "stolen"}, // retired keys keep theirs
		{"UPDATE verification_keys SET revoked_at = now() WHERE key_id = 'stolen'", "good"},
		{"UPDATE verification_keys SET revoked_at = now() WHERE key_id = 'good'", ""},
	} {
		if _, err := conn.Exec(t.Context(), step.end); err != nil {
			t.Fatal(err)
		}
		if step.want == "" {
			requireFailure(t, s.get(path+"/verification"), 404, domain.CodeNotFound)
		} else if got := read[contractVerificationBody](s, path+"/verification"); got.KeyID != step.want {
			t.Errorf("%s: got the record of %q, want that of %q", step.end, got.KeyID, step.want)
		}
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
