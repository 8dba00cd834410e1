package facts

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"astrolabe/starknet"
)

func TestEveryValueOfABaseRowIsInTheBaseDigest(t *testing.T) {
	t.Parallel()
	changed := sample()
	changed.Deployments[0].Deployer = pointer(felt(1)) // the sample shares it with base rows
	before := BaseDigest(changed)
	base := []string{"Header", "Transactions", "Events", "Messages", "Declarations", "Changes", "Implementations"}
	values := 0
	mutate(reflect.ValueOf(changed), "", func(path string) {
		field, _, _ := strings.Cut(strings.TrimPrefix(path, "."), ".")
		covered := slices.Contains(base, strings.TrimSuffix(field, "[]")) || path == ".Classes" || path == ".Classes[].Hash"
		if covered {
			values++
		}
		if (BaseDigest(changed) != before) != covered {
			t.Errorf("%s: got it covered by the digest %t, want %t", path, !covered, covered)
		}
	})
	if values < 60 {
		t.Errorf("got %d changed values of base rows, want at least 60", values)
	}
}

func TestAClassDigestCoversWhatTheNodeSaid(t *testing.T) {
	t.Parallel()
	class := StoredClass(felt(1), true, []byte("[]"), false)
	for name, other := range map[string]*Class{
		"hash":    StoredClass(felt(2), true, []byte("[]"), false),
		"sierra":  StoredClass(felt(1), false, []byte("[]"), false),
		"abi":     StoredClass(felt(1), true, []byte("[ ]"), false),
		"missing": StoredClass(felt(1), true, []byte("[]"), true),
	} {
		if other.Digest() == class.Digest() {
			t.Errorf("%s: got the same digest for another value, want another", name)
		}
	}
	derived := *class
	derived.Account, derived.Standard = true, ERC20
	if derived.Digest() != class.Digest() {
		t.Error("got another digest for other derived fields, want the same")
	}
}

func TestAMessageHashFollowsFromTheMessage(t *testing.T) {
	t.Parallel()
	from := starknet.MessageFromL1{FromAddress: felt(1), ToAddress: felt(2), Selector: felt(3), Nonce: felt(4), Payload: felts(5, 6)}
	to := starknet.MessageToL1{FromAddress: felt(1), ToAddress: felt(2), Payload: felts(5, 6)}
	for name, m := range map[string]Message{
		"from L1":         {Direction: L1ToL2, Hash: from.Hash(), From: felt(1), To: felt(2), Selector: pointer(felt(3)), Nonce: pointer(felt(4)), Payload: felts(5, 6)},
		"without a nonce": {Direction: L1ToL2, Hash: from.HashWithoutNonce(), From: felt(1), To: felt(2), Selector: pointer(felt(3)), Nonce: pointer(felt(4)), Payload: felts(5, 6)},
		"to L1":           {Direction: L2ToL1, Hash: to.Hash(), From: felt(1), To: felt(2), Payload: felts(5, 6)},
	} {
		if !m.HashHolds() {
			t.Errorf("%s: got a hash that does not hold, want it to hold", name)
		}
		m.Payload = felts(5, 7)
		if m.HashHolds() {
			t.Errorf("%s: got a hash that holds for another payload, want it not to", name)
		}
	}
}
