package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/domain/secret"
	"astrolabe/failpoint"
	"astrolabe/repo/accounts"
)

// cursorSecret is the current secret of cursors, opened as a start does it.
func (k *keeper) cursorSecret() secret.Material {
	k.Helper()
	masters, err := secretSettings{}.masters(k.data)
	if err != nil {
		k.Fatal(err)
	}
	ring, err := secret.Open(k.Context(), accounts.NewSecrets(k.db), masters[0], masters[1:]...)
	if err != nil {
		k.Fatal(err)
	}
	return ring.Current(secret.Cursor).Material
}

func (k *keeper) masterText() string {
	k.Helper()
	text, err := os.ReadFile(filepath.Join(k.data, "master.key"))
	if err != nil {
		k.Fatal(err)
	}
	return string(text)
}

func TestMasterKeyIsReplaced(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	k.types(exitOK, "secrets rotate")
	before, old := k.cursorSecret(), k.masterText()
	k.expects(k.types(exitOK, "secrets rotate --master"), "secrets are encrypted with a new master key in "+k.data)
	if k.cursorSecret() != before || k.masterText() == old {
		t.Error("got another secret or the same master key, want the same secret under a new master key")
	}
	supplied := filepath.Join(t.TempDir(), "new.key")
	if err := os.WriteFile(supplied, []byte(secret.NewMaster().Reveal()), 0o600); err != nil {
		t.Fatal(err)
	}
	k.expects(k.types(exitOK, "secrets rotate --master --new-master-key-file "+supplied), "Configure it for every process")
	k.types(exitUsage, "secrets rotate")
	k.expects(k.stderr.String(), "sealed with another master key")
	k.types(exitOK, "secrets rotate --master-key-file "+supplied)
	k.types(exitUsage, "secrets rotate cursor --master")
	k.types(exitUsage, "secrets rotate --new-master-key-file "+supplied)
}

// TestMasterKeyIsReplacedOrKeptAfterAKill kills the rotation at every step.
// Afterwards the secrets are readable, and the next rotation succeeds.
func TestMasterKeyIsReplacedOrKeptAfterAKill(t *testing.T) {
	t.Parallel()
	for _, point := range append(failpoint.Resealing, failpoint.SecretResealed+":3") {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t)
			k.types(exitOK, "secrets rotate")
			before := k.cursorSecret()
			dying := start(t, []string{"ASTROLABE_FAILPOINT=" + point, "ASTROLABE_DATABASE_URL=" + k.url}, "secrets", "rotate", "--master", "--data", k.data)
			dying.wait(t)
			if !dying.killed() {
				t.Fatalf("got a program that was not killed at %s, want it killed:\n%s", point, dying.text())
			}
			if k.cursorSecret() != before {
				t.Error("got another secret after the kill, want the same")
			}
			k.types(exitOK, "session create --workspace acme --create-workspace") // which starts with what it finds
			k.types(exitOK, "secrets rotate --master")
			if k.cursorSecret() != before {
				t.Error("got another secret after the next rotation, want the same")
			}
			if _, err := os.Stat(filepath.Join(k.data, "master.key.next")); err == nil {
				t.Error("got a second key file after a complete rotation, want one")
			}
		})
	}
}

func TestWeakOrExposedMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	file := filepath.Join(t.TempDir(), "master.key")
	for _, c := range []struct {
		text string
		mode os.FileMode
		want string
	}{
		{strings.Repeat("00", secret.Size), 0o600, "the master key is not random; generate a new one (openssl rand -hex 32 > FILE; chmod 600 FILE) and pass it with --master-key-file"},
		{secret.NewMaster().Reveal(), 0o640, "other users can read the master key in " + file + "; run: chmod 600 " + file},
		{secret.NewMaster().Reveal(), 0o604, "other users can read the master key in " + file + "; run: chmod 600 " + file},
		{"short", 0o600, "a master key must be 64 hex digits"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		k.types(exitUsage, "session create --workspace acme --create-workspace --master-key-file "+file)
		k.expects(k.stderr.String(), c.want)
	}
}
