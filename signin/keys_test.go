package signin

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWeakAndUnsupportedKeysAreIgnored(t *testing.T) {
	t.Parallel()
	number := func(n int, first byte) string {
		raw := make([]byte, n)
		raw[0], raw[n-1] = first, 1
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	type jwk = map[string]string
	rsa := func(members ...string) jwk {
		key := jwk{"kty": "RSA", "n": number(256, 0x80), "e": "AQAB"}
		for i := 0; i < len(members); i += 2 {
			key[members[i]] = members[i+1]
		}
		return key
	}
	for name, c := range map[string]struct {
		key    jwk
		usable bool
	}{
		"rsa":               {rsa(), true},
		"rsa, all named":    {rsa("use", "sig", "alg", "RS256"), true},
		"unknown member":    {rsa("example", "unknown"), true},
		"short modulus":     {rsa("n", number(255, 0x80)), false},
		"long modulus":      {rsa("n", number(512, 0x80)), true},
		"endless modulus":   {rsa("n", number(513, 0x80)), false},
		"exponent 1":        {rsa("e", "AQ"), false},
		"even exponent":     {rsa("e", "AQAA"), false},
		"huge exponent":     {rsa("e", number(5, 1)), false},
		"no exponent":       {jwk{"kty": "RSA", "n": number(256, 0x80)}, false},
		"private":           {rsa("d", number(256, 0x70)), false},
		"encryption":        {rsa("use", "enc"), false},
		"another algorithm": {rsa("alg", "PS256"), false},
		"unknown algorithm": {rsa("alg", "RS257"), false},
		"p-256":             {jwk{"kty": "EC", "crv": "P-256", "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY", "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}, true},
		"off the curve":     {jwk{"kty": "EC", "crv": "P-256", "x": number(32, 1), "y": number(32, 1)}, false},
		"another curve":     {jwk{"kty": "EC", "crv": "P-384", "x": number(48, 1), "y": number(48, 1)}, false},
		"short ed25519":     {jwk{"kty": "OKP", "crv": "Ed25519", "x": number(31, 1)}, false},
		"ed25519":           {jwk{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}, true},
		"symmetric":         {jwk{"kty": "oct", "k": "c2VjcmV0"}, false},
		"unknown type":      {jwk{"kty": "example"}, false},
	} {
		document := map[string][]jwk{"keys": {c.key}}
		encoded, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]jwk{"keys": {}}
		if c.usable {
			want = document
		}
		usable, err := usableKeys(encoded)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got map[string][]jwk
		if err := json.Unmarshal(usable, &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzUsableKeys(f *testing.F) {
	f.Add([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},{"kty":"oct"}]}`))
	f.Add([]byte(`{"keys":null}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		usable, err := usableKeys(document)
		if err != nil {
			return
		}
		if again, err := usableKeys(usable); err != nil || string(again) != string(usable) {
			t.Errorf("got %s and %v from the usable keys %s of %s, want them unchanged", again, err, usable, document)
		}
	})
}
