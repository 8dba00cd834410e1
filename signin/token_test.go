package signin

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// signer builds tokens by hand, with any header.
type signer struct{ private ed25519.PrivateKey }

func newSigner(tb testing.TB) signer {
	tb.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return signer{private}
}

func (s signer) sign(header, payload string) string {
	encode := base64.RawURLEncoding.EncodeToString
	input := encode([]byte(header)) + "." + encode([]byte(payload))
	return input + "." + encode(ed25519.Sign(s.private, []byte(input)))
}

// verify verifies a token at second 100 for the issuer i, the client c and
// the nonce n.
func (s signer) verify(ctx context.Context, token string) error {
	now := func() time.Time { return time.Unix(100, 0) }
	keys := &oidc.StaticKeySet{PublicKeys: []crypto.PublicKey{s.private.Public()}}
	_, err := verifier{oidc.NewVerifier("i", keys, verifierConfig("c", now)), "c", now}.verify(ctx, token, "", "n")
	return err
}

const (
	goodHeader = `{"alg":"EdDSA","kid":"k"}`
	goodClaims = `{"iss":"i","sub":"s","aud":"c","exp":100,"iat":100,"nonce":"n"}`
)

func TestTokenInAnotherEncodingIsRejected(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	good := s.sign(goodHeader, goodClaims)
	if err := s.verify(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	part := strings.Split(good, ".")
	serialized := fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, part[0], part[1], part[2])
	for _, bad := range []string{
		"", "..", good + ".", good + "=", good + "\n", " " + good, strings.Replace(good, ".", "..", 1), "a.b", good[:len(good)-1],
		strings.Replace(good, ".", "\n.", 1), part[0] + ".." + part[2], serialized,
	} {
		if err := s.verify(t.Context(), bad); err == nil {
			t.Errorf("%q: got it accepted, want an error", bad)
		}
	}
	for _, header := range []string{
		`{"alg":"none","kid":"k"}`, `{"alg":"HS256","kid":"k"}`, `{"alg":"eddsa","kid":"k"}`, `{"kid":"k"}`, `[]`,
		`{"alg":"EdDSA","alg":"none","kid":"k"}`, `{"alg":"EdDSA","crit":[]}`, `{"alg":"EdDSA","crit":["b64"],"b64":true}`,
	} {
		if err := s.verify(t.Context(), s.sign(header, goodClaims)); err == nil {
			t.Errorf("header %s: got it accepted, want an error", header)
		}
	}
}

func FuzzToken(f *testing.F) {
	s := newSigner(f)
	good := s.sign(goodHeader, goodClaims)
	f.Add(good)
	f.Add("e30.e30.")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("eyJhbGciOiJSUzI1NiIsImNyaXQiOltdfQ.e30.AA")
	f.Fuzz(func(t *testing.T, text string) {
		if s.verify(t.Context(), text) == nil && decoded(text) != decoded(good) {
			t.Errorf("%q: got it accepted, want an error", text)
		}
	})
}

// decoded decodes the parts of a token. The last characters of a part have
// unused bits, so that several texts decode to the same token.
func decoded(token string) string {
	var parts []string
	for part := range strings.SplitSeq(token, ".") {
		raw, err := base64.RawURLEncoding.DecodeString(part)
		parts = append(parts, fmt.Sprintf("%x %v", raw, err))
	}
	return strings.Join(parts, ".")
}

func FuzzClaims(f *testing.F) {
	s := newSigner(f)
	f.Add([]byte(`"c"`), 100.0, 100.0)
	f.Add([]byte(`["c"]`), 1e300, -1.5)
	f.Add([]byte(`["c"]`), 100.0, 1e300)
	f.Add([]byte(`["c","d"]`), 0.0, 0.0)
	f.Fuzz(func(t *testing.T, audience []byte, expires, issued float64) {
		claims, err := json.Marshal(map[string]any{
			"iss": "i", "sub": "s", "aud": json.RawMessage(audience), "exp": expires, "iat": issued, "nonce": "n",
		})
		if err != nil || s.verify(t.Context(), s.sign(goodHeader, string(claims))) != nil {
			return
		}
		var list []string
		var one string
		alone := json.Unmarshal(audience, &one) == nil && one == "c" ||
			json.Unmarshal(audience, &list) == nil && len(list) == 1 && list[0] == "c"
		if !alone || expires < 40 || issued > 160 {
			t.Errorf("aud %s, exp %g, iat %g: got it accepted, want an error", audience, expires, issued)
		}
	})
}
