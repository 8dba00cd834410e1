package receipt_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"astrolabe/domain/verify/receipt"
	"astrolabe/starknet"
)

// candidateDigest returns the digest of a class in JSON.
func candidateDigest(t *testing.T, class string) string {
	t.Helper()
	var c starknet.SierraClass
	if err := json.Unmarshal([]byte(class), &c); err != nil {
		t.Fatal(err)
	}
	digest, err := receipt.CandidateDigest(&c)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func TestTheCandidateDigestCoversTheDeclaredClassOnly(t *testing.T) {
	t.Parallel()
	// The compiler writes debug information and an array, the node neither; the
	// declared text has a space after each comma and colon.
	compiler := `{"sierra_program":["0x01","0xA"],"sierra_program_debug_info":{"type_names":[]},"contract_class_version":"0.1.0",
		"entry_points_by_type":{"EXTERNAL":[{"selector":"0x2","function_idx":7}],"L1_HANDLER":[],"CONSTRUCTOR":[]},"abi":[{"type":"event","name":"<é>"}]}`
	node := `{"abi":"[{\"type\": \"event\", \"name\": \"<é>\"}]","sierra_program":["0x1","0xa"],"contract_class_version":"0.1.0",
		"entry_points_by_type":{"CONSTRUCTOR":[],"EXTERNAL":[{"function_idx":7,"selector":"0x2"}],"L1_HANDLER":[]}}`
	const canonical = `{"abi":"[{\"type\": \"event\", \"name\": \"<é>\"}]","contract_class_version":"0.1.0",` +
		`"entry_points_by_type":{"CONSTRUCTOR":[],"EXTERNAL":[{"function_idx":7,"selector":"0x2"}],"L1_HANDLER":[]},"sierra_program":["0x1","0xa"]}`
	want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(canonical)))
	for _, class := range []string{compiler, node} {
		if got := candidateDigest(t, class); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s of %s", class, got, want, canonical)
		}
	}
}

func TestAClassWithoutPartsHasACandidateDigest(t *testing.T) {
	t.Parallel()
	const canonical = `{"abi":"","contract_class_version":"","entry_points_by_type":{"CONSTRUCTOR":[],"EXTERNAL":[],"L1_HANDLER":[]},"sierra_program":[]}`
	want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(canonical)))
	if got := candidateDigest(t, `{}`); got != want {
		t.Errorf("got %s, want %s of %s", got, want, canonical)
	}
}

func TestAClassThatIsNotUTF8HasNoCandidateDigest(t *testing.T) {
	t.Parallel()
	for _, class := range []starknet.SierraClass{{ABI: "\xff"}, {ContractClassVersion: "\xff"}} {
		if got, err := receipt.CandidateDigest(&class); !errors.Is(err, starknet.ErrMalformedClass) {
			t.Errorf("got %s, %v, want ErrMalformedClass", got, err)
		}
	}
}
