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
	"astrolabe/repo/accounts"
)

// secretsCommand lists and rotates the secrets of the deployment.
type secretsCommand struct {
	List   secretsList   `cmd:"" help:"List the generations of every secret, without the secrets themselves."`
	Rotate secretsRotate `cmd:"" help:"Create a new generation of one secret or of all. Old generations stay valid for the overlap."`
}

type secretsList struct{ databaseSettings }

// Run lists generations. It decrypts nothing, so it needs no master key.
func (s secretsList) Run(ctx context.Context, c *console) error {
	return withDatabase(ctx, c, s.databaseSettings, func(db *database) error {
		if _, err := db.Migrate(ctx); err != nil {
			return err
		}
		stored, err := accounts.NewSecrets(db.DB).Secrets(ctx)
		slices.SortFunc(stored, func(a, b secret.Sealed) int {
			return cmp.Or(cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Generation, b.Generation))
		})
		for _, s := range stored {
			printGeneration(c, s.Purpose, s.Generation, s.CreatedAt, s.HonouredUntil)
		}
		return err
	})
}

type secretsRotate struct {
	databaseSettings
	secretSettings
	Secret  string        `arg:"" optional:"" default:"all" enum:"all,cursor,pepper,session,receipt" help:"Secret to rotate: cursor, pepper, session, receipt or all."`
	Overlap time.Duration `help:"How long old cursor and session keys stay valid. Old peppers and receipt keys never expire, because stored hashes and published receipts refer to them." default:"720h"`
}

// Run rotates the secrets.
func (s secretsRotate) Run(ctx context.Context, c *console) error {
	purposes := secret.Purposes
	if s.Secret != "all" {
		purpose, err := secret.ParsePurpose(s.Secret)
		if err != nil {
			return usageError{err}
		}
		purposes = []secret.Purpose{purpose}
	}
	return withDatabase(ctx, c, s.databaseSettings, func(db *database) error {
		ring, err := prepare(ctx, c, db, s.databaseSettings, s.secretSettings)
		if err != nil {
			return err
		}
		for _, purpose := range purposes {
			key, err := ring.Rotate(ctx, purpose, s.Overlap)
			if err != nil {
				return err
			}
			printGeneration(c, key.Purpose, key.Generation, key.CreatedAt, key.HonouredUntil)
		}
		return nil
	})
}

func printGeneration(c *console, purpose secret.Purpose, generation uint32, created, honoured time.Time) {
	validity := "no expiry"
	if !honoured.IsZero() {
		validity = "valid until " + honoured.UTC().Format(time.RFC3339)
	}
	fmt.Fprintf(c.stdout, "%s  generation %d  created %s  %s\n",
		purpose, generation, created.UTC().Format(time.RFC3339), validity)
}

// master returns the configured master key, or else the one in the data folder,
// which the first start creates.
func (s secretSettings) master(data string) (secret.Master, error) {
	if s.MasterKey != "" && onCommandLine(os.Args, "--master-key") {
		return secret.Master{}, usageError{errors.New("every user of this machine can read --master-key; set ASTROLABE_MASTER_KEY or --master-key-file")}
	}
	text, err := secretFrom("master key", s.MasterKey, s.MasterKeyFile)
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

// masterFile reads the key in path, or creates it. The file is written
// atomically and is on disk before anything is encrypted with it. Processes that
// create it concurrently all use the first.
func masterFile(path string) (string, error) {
	key, err := readMaster(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o711); err != nil {
		return "", usageError{fmt.Errorf("create the data folder: %w", err)}
	}
	err = createWhole(path, []byte(secret.NewMaster().Reveal()+"\n"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("write the master key: %w", err)
	}
	failpoint.Hit(failpoint.MasterKeyWritten)
	return readMaster(path)
}

// readMaster refuses a file that other users can read.
func readMaster(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", usageError{fmt.Errorf("other users can read %s; run: chmod 600 %[1]s", path)}
	}
	content, err := os.ReadFile(path)
	return string(content), err
}
