package account

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"astrolabe/domain"
)

func TestKeyTextMatchesTheContract(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^svc_(live|test)_[a-z0-9]{12}_[A-Za-z0-9]{49}$`)
	for _, env := range []Environment{Live, Test} {
		key := NewKeyText(env)
		if text := key.Reveal(); !form.MatchString(text) {
			t.Errorf("got %s, want the form %s", text, form)
		}
		if parsed, err := ParseKeyText(key.Reveal()); err != nil || parsed != key {
			t.Errorf("got %v and %v, want %v", parsed, err, key)
		}
	}
}

func TestMalformedKeyIsUnauthorized(t *testing.T) {
	t.Parallel()
	key := KeyText{Environment: Live, PublicID: "abcdefghijk1", secret: strings.Repeat("s", secretLength)}
	good := key.Reveal()
	for name, text := range map[string]string{
		"empty":          "",
		"other prefix":   "x" + good,
		"other env":      strings.Replace(good, "live", "prod", 1),
		"test for live":  strings.Replace(good, "live", "test", 1),
		"cut":            good[:len(good)-1],
		"one letter off": strings.Replace(good, "sssss", "ssrss", 1),
		"upper id":       strings.Replace(good, "abcdef", "ABCDEF", 1),
		"white space":    good + " ",
		"more parts":     good + "_x",
	} {
		if _, err := ParseKeyText(text); domain.CodeOf(err) != domain.CodeUnauthorized {
			t.Errorf("%s: got %v, want %s", name, err, domain.CodeUnauthorized)
		}
	}
}

func TestKeyNeverPrintsItsSecret(t *testing.T) {
	t.Parallel()
	key := NewKeyText(Live)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("key", "key", key)
	encoded, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(key), fmt.Sprintf("%+v %#v %s %q", key, key, key, key), log.String(), string(encoded), key.Masked()} {
		if strings.Contains(text, key.secret[:8]) {
			t.Errorf("got the secret in %s, want it masked", text)
		}
	}
}

func TestKeyHashDependsOnThePepper(t *testing.T) {
	t.Parallel()
	key := NewKeyText(Live)
	if string(key.Hash([]byte("a"))) == string(key.Hash([]byte("b"))) {
		t.Error("got one hash with two peppers, want two")
	}
}

func FuzzParseKeyText(f *testing.F) {
	f.Add(NewKeyText(Test).Reveal())
	f.Add("svc_live__")
	f.Fuzz(func(t *testing.T, text string) {
		if key, err := ParseKeyText(text); err == nil && key.Reveal() != text {
			t.Errorf("got %q, want %q", key.Reveal(), text)
		}
	})
}
