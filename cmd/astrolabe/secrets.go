package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"astrolabe/domain/secret"
	"astrolabe/failpoint"
)

// secretsCommand looks after the deployment's own keys.
type secretsCommand struct {
	List   secretsList   `cmd:"" help:"List the generations of every secret, without the secrets."`
	Rotate secretsRotate `cmd:"" help:"Make a new generation of one secret or of all; the old ones stay honoured for the overlap."`
}

type secretsList struct {
	databaseSettings
	secretSettings
}

// Run lists generations.
func (s secretsList) Run(ctx context.Context, c *console) error {
	return withSecrets(ctx, c, s.databaseSettings, s.secretSettings, func(ring *secret.Ring) error {
		for _, purpose := range secret.Purposes {
			keys := ring.Keys(purpose)
			slices.SortFunc(keys, func(a, b secret.Key) int { return cmp.Compare(a.Generation, b.Generation) })
			for _, key := range keys {
				printKey(c, key)
			}
		}
		return nil
	})
}

type secretsRotate struct {
	databaseSettings
	secretSettings
	Secret  string        `arg:"" optional:"" default:"all" enum:"all,cursor,pepper,session,receipt" help:"Which secret: cursor, pepper, session, receipt or all."`
	Overlap time.Duration `help:"How long the old cursor and session keys stay honoured. Peppers and receipt keys always do: stored hashes and published receipts name them." default:"720h"`
}

// Run rotates.
func (s secretsRotate) Run(ctx context.Context, c *console) error {
	purposes := secret.Purposes
	if s.Secret != "all" {
		purpose, err := secret.ParsePurpose(s.Secret)
		if err != nil {
			return usageError{err}
		}
		purposes = []secret.Purpose{purpose}
	}
	return withSecrets(ctx, c, s.databaseSettings, s.secretSettings, func(ring *secret.Ring) error {
		for _, purpose := range purposes {
			key, err := ring.Rotate(ctx, purpose, s.Overlap)
			if err != nil {
				return err
			}
			printKey(c, key)
		}
		return nil
	})
}

func printKey(c *console, key secret.Key) {
	until := "no end"
	if !key.HonouredUntil.IsZero() {
		until = key.HonouredUntil.UTC().Format(time.RFC3339)
	}
	fmt.Fprintf(c.stdout, "%s  generation %d  created %s  honoured until %s\n",
		key.Purpose, key.Generation, key.CreatedAt.UTC().Format(time.RFC3339), until)
}

func withSecrets(ctx context.Context, c *console, d databaseSettings, s secretSettings, act func(*secret.Ring) error) error {
	deployment, err := openDeployment(ctx, c, d, s)
	if err != nil {
		return err
	}
	defer deployment.db.close()
	return act(deployment.ring)
}

// master returns the configured master key. When none is configured it is the
// one in the data folder, made there at the first start.
func (s secretSettings) master(data string) (secret.Master, error) {
	if s.MasterKey != "" && onCommandLine(os.Args, "--master-key") {
		return secret.Master{}, usageError{errors.New("--master-key shows the key to every user of this machine; set ASTROLABE_MASTER_KEY or --master-key-file")}
	}
	text, err := secretFrom(s.MasterKey, s.MasterKeyFile)
	if err != nil {
		return secret.Master{}, err
	}
	if text == "" {
		if text, err = masterFile(filepath.Join(data, "master.key")); err != nil {
			return secret.Master{}, err
		}
	}
	master, err := secret.ParseMaster(text)
	if err != nil {
		return secret.Master{}, usageError{err}
	}
	return master, nil
}

// masterFile reads the key in path, or makes it. The file appears whole or
// not at all, and is on disk before anything is sealed with it.
func masterFile(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return string(content), err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o711); err != nil {
		return "", usageError{fmt.Errorf("the data folder cannot be made: %w", err)}
	}
	key := secret.NewMaster().Reveal()
	if err := writeWhole(path, []byte(key+"\n")); err != nil {
		return "", fmt.Errorf("write the master key: %w", err)
	}
	failpoint.Hit(failpoint.MasterKeyWritten)
	return key, nil
}
