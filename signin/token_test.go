package signin

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// signedText makes a token by hand, with a key of its own.
func signedText(tb testing.TB, header, payload string) (string, keySet) {
	tb.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		tb.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	input := encode([]byte(header)) + "." + encode([]byte(payload))
	return input + "." + encode(ed25519.Sign(private, []byte(input))), keySet{{"k", public}}
}

func TestATokenHasOneSpelling(t *testing.T) {
	t.Parallel()
	good, keys := signedText(t, `{"alg":"EdDSA","kid":"k"}`, `{}`)
	if parsed, err := parseToken(good); err != nil || !parsed.signedBy(keys) {
		t.Fatalf("%+v, %v", parsed, err)
	}
	for _, bad := range []string{"", "..", good + ".", good + "=", good + "\n", " " + good, strings.Replace(good, ".", "..", 1), "a.b", good[:len(good)-1]} {
		if parsed, err := parseToken(bad); err == nil && parsed.signedBy(keys) {
			t.Errorf("%q was accepted", bad)
		}
	}
	for _, header := range []string{
		`{"alg":"none","kid":"k"}`, `{"alg":"HS256","kid":"k"}`, `{"alg":"eddsa","kid":"k"}`, `{"kid":"k"}`, `[]`,
		`{"alg":"EdDSA","alg":"none","kid":"k"}`, `{"alg":"EdDSA","crit":[]}`, `{"alg":"EdDSA","crit":null}`,
	} {
		text, keys := signedText(t, header, `{}`)
		if parsed, err := parseToken(text); err == nil && parsed.signedBy(keys) {
			t.Errorf("%s was accepted", header)
		}
	}
}

func TestWeakAndForeignKeysAreNotUsed(t *testing.T) {
	t.Parallel()
	bytes := func(n int, first byte) string {
		raw := make([]byte, n)
		raw[0], raw[n-1] = first, 1
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	for name, c := range map[string]struct {
		key    jwk
		usable bool
	}{
		"rsa":               {jwk{Type: "RSA", N: bytes(256, 0x80), E: "AQAB"}, true},
		"short modulus":     {jwk{Type: "RSA", N: bytes(255, 0x80), E: "AQAB"}, false},
		"endless modulus":   {jwk{Type: "RSA", N: bytes(1025, 0x80), E: "AQAB"}, false},
		"exponent 1":        {jwk{Type: "RSA", N: bytes(256, 0x80), E: "AQ"}, false},
		"even exponent":     {jwk{Type: "RSA", N: bytes(256, 0x80), E: "AQAA"}, false},
		"huge exponent":     {jwk{Type: "RSA", N: bytes(256, 0x80), E: bytes(5, 1)}, false},
		"no exponent":       {jwk{Type: "RSA", N: bytes(256, 0x80)}, false},
		"encryption":        {jwk{Type: "RSA", N: bytes(256, 0x80), E: "AQAB", Use: "enc"}, false},
		"another algorithm": {jwk{Type: "RSA", N: bytes(256, 0x80), E: "AQAB", Alg: "PS256"}, false},
		"off the curve":     {jwk{Type: "EC", Curve: "P-256", X: bytes(32, 1), Y: bytes(32, 1)}, false},
		"another curve":     {jwk{Type: "EC", Curve: "P-384", X: bytes(48, 1), Y: bytes(48, 1)}, false},
		"short ed25519":     {jwk{Type: "OKP", Curve: "Ed25519", X: bytes(31, 1)}, false},
		"ed25519":           {jwk{Type: "OKP", Curve: "Ed25519", X: bytes(32, 1)}, true},
		"symmetric":         {jwk{Type: "oct"}, false},
	} {
		if _, err := c.key.public(); (err == nil) != c.usable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	good, keys := signedText(f, `{"alg":"EdDSA","kid":"k"}`, `{"iss":"i","sub":"s","aud":"c","exp":1,"iat":1,"nonce":"n"}`)
	f.Add(good)
	f.Add("e30.e30.")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("eyJhbGciOiJSUzI1NiIsImNyaXQiOltdfQ.e30.AA")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseToken(text)
		if err != nil {
			return
		}
		encode := base64.RawURLEncoding.EncodeToString
		if again := parsed.signed + "." + encode(parsed.signature); again != text {
			t.Errorf("%q was read as %q", text, again)
		}
		if parsed.signedBy(keys) && text != good {
			t.Errorf("%q was accepted", text)
		}
	})
}

func FuzzClaims(f *testing.F) {
	f.Add([]byte(`"c"`), 100.0, 100.0)
	f.Add([]byte(`["c"]`), 1e300, -1.5)
	f.Add([]byte(`["c","d"]`), 0.0, 0.0)
	f.Fuzz(func(t *testing.T, audience []byte, expires, issued float64) {
		if !json.Valid(audience) {
			return
		}
		c := claims{Issuer: "i", Subject: "s", Audience: audience, Expires: expires, IssuedAt: issued, Nonce: "n"}
		if err := c.check("i", "c", "n", time.Unix(100, 0)); err != nil {
			return
		}
		var list []string
		var single string
		lone := json.Unmarshal(audience, &single) == nil && single == "c" ||
			json.Unmarshal(audience, &list) == nil && len(list) == 1 && list[0] == "c"
		if !lone || expires <= 40 || issued > 160 {
			t.Errorf("%s, %g, %g was accepted", audience, expires, issued)
		}
	})
}
