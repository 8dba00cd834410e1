package account

import (
	"testing"
	"time"
)

func TestEveryKindOfCredentialIsRecognised(t *testing.T) {
	t.Parallel()
	ring := newRing(t)
	for name, text := range map[string]string{
		"a live key":      NewKeyText(Live).Reveal(),
		"a test key":      NewKeyText(Test).Reveal(),
		"a key in a name": "job-" + NewKeyText(Live).Reveal(),
		"a session":       newSessionText().Reveal(),
		"a bearer":        signer{kind: "svb", ring: ring, now: time.Now}.sign(time.Now(), "x").Reveal(),
		"a page token":    signer{kind: "svf", ring: ring, now: time.Now}.sign(time.Now(), "").Reveal(),
	} {
		if !ResemblesCredential(text) {
			t.Errorf("%s: got false, want true", name)
		}
	}
	for _, text := range []string{"", "req_ABCDEF", "svc_orders-17", "svs_1", "018f2c7e-7d1c-7c3e-9a55-0a2f3d1b2c4d"} {
		if ResemblesCredential(text) {
			t.Errorf("%q: got true, want false", text)
		}
	}
}
