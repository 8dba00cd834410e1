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

	"astrolabe/cmd/astrolabe/listing"
	"astrolabe/cmd/astrolabe/wholefile"
	"astrolabe/domain/secret"
	"astrolabe/failpoint"
	"astrolabe/repo/accounts"
)

// secretsCommand lists and rotates the secrets of the deployment.
type secretsCommand struct {
	List   secretsList   `cmd:"" help:"List the generations of every secret, without the secrets themselves."`
	Rotate secretsRotate `cmd:"" help:"Create a new generation of one secret or of all. Old generations stay valid for the overlap. With --master, replace the master key instead."`
}

type secretsList struct {
	databaseSettings
	listing.Format
}

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
		if err != nil {
			return err
		}
		rows := make([]generationRow, len(stored))
		for i, s := range stored {
			rows[i] = generation(s.Purpose, s.Generation, s.CreatedAt, s.HonouredUntil)
		}
		return listing.Print(c.stdout, s.Format, rows)
	})
}

type secretsRotate struct {
	databaseSettings
	secretSettings
	Secret  string        `arg:"" optional:"" default:"all" enum:"all,cursor,pepper,session,receipt,prove" help:"Secret to rotate: cursor, pepper, session, receipt, prove or all."`
	Overlap time.Duration `help:"How long old cursor and session keys stay valid. Old peppers, receipt and prove keys never expire, because stored hashes and digests and published receipts refer to them." default:"720h"`

	Master           bool   `help:"Replace the master key and encrypt all secrets again. Without --new-master-key-file, a new key replaces the key file." env:"-"`
	NewMasterKeyFile string `help:"With --master: read the new master key from this file: 64 hex digits, for example the output of openssl rand -hex 32. Then configure it for every process." type:"path" placeholder:"FILE" env:"-"`
}

// Validate checks the settings before anything starts.
func (s secretsRotate) Validate() error {
	switch {
	case s.Master && s.Secret != "all":
		return errors.New("--master replaces the key that encrypts all secrets; do not name one")
	case !s.Master && s.NewMasterKeyFile != "":
		return errors.New("--new-master-key-file needs --master")
	}
	if s.Master { // also in place of a weak one
		return s.databaseSettings.check()
	}
	return firstError(s.databaseSettings.check(), s.secretSettings.check(s.Data))
}

// Run rotates the secrets.
func (s secretsRotate) Run(ctx context.Context, c *console) error {
	if s.Master {
		return s.rotateMaster(ctx, c)
	}
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
		var rows []generationRow
		for _, purpose := range purposes {
			key, err := ring.Rotate(ctx, purpose, s.Overlap)
			if err != nil {
				return err
			}
			rows = append(rows, generation(key.Purpose, key.Generation, key.CreatedAt, key.HonouredUntil))
		}
		return listing.Print(c.stdout, listing.Format{}, rows)
	})
}

// generationRow is a generation of a secret in a list.
type generationRow struct {
	Secret     secret.Purpose `json:"secret"`
	Generation uint32         `json:"generation"`
	CreatedAt  time.Time      `json:"createdAt"`
	ValidUntil *time.Time     `json:"validUntil"` // nil: no expiry
}

func generation(purpose secret.Purpose, number uint32, created, honoured time.Time) generationRow {
	row := generationRow{Secret: purpose, Generation: number, CreatedAt: created}
	if !honoured.IsZero() {
		row.ValidUntil = &honoured
	}
	return row
}

// rotateMaster replaces the master key. The new key is on disk before the first
// secret is encrypted with it, and all secrets change in one transaction; so
// after a crash at any point, one of the two key files opens all of them, and
// the program finds out which.
func (s secretsRotate) rotateMaster(ctx context.Context, c *console) error {
	if s.NewMasterKeyFile == "" && s.MasterKey != "" {
		return usageError{errors.New("ASTROLABE_MASTER_KEY sets the master key; pass the new one with --new-master-key-file")}
	}
	return withDatabase(ctx, c, s.databaseSettings, func(db *database) error {
		if _, err := db.Migrate(ctx); err != nil {
			return err
		}
		store := accounts.NewSecrets(db.DB)
		if err := s.mustHaveMaster(ctx, store, s.Data); err != nil {
			return err
		}
		masters, err := s.masters(s.Data)
		if err != nil {
			return err
		}
		ring, err := openRing(ctx, store, masters)
		if err != nil {
			return err
		}
		if s.NewMasterKeyFile != "" {
			return s.resealWith(ctx, c, store, ring.Master())
		}
		path := s.masterPath(s.Data)
		if len(masters) > 1 && ring.Master() == masters[1] { // which must not be overwritten
			if err := placeMaster(path); err != nil {
				return err
			}
		}
		return resealAt(ctx, c, store, ring.Master(), path)
	})
}

// resealWith encrypts the secrets with a key that the operator supplies.
func (s secretsRotate) resealWith(ctx context.Context, c *console, store accounts.Secrets, from secret.Master) error {
	to, err := readMaster(s.NewMasterKeyFile)
	if err == nil {
		err = checkMasters([]secret.Master{to})
	}
	if err != nil {
		return err
	}
	count, err := secret.Reseal(ctx, store, from, to)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%d secrets are encrypted with the master key in %s. Configure it for every process and restart them.\n", count, s.NewMasterKeyFile)
	return nil
}

// resealAt encrypts the secrets with a new key, which replaces the one in path.
func resealAt(ctx context.Context, c *console, store accounts.Secrets, from secret.Master, path string) error {
	to := secret.NewMaster()
	if err := wholefile.Write(nextMaster(path), masterText(to)); err != nil {
		return usageError{fmt.Errorf("write the new master key: %w; or pass one with --new-master-key-file", err)}
	}
	failpoint.Hit(failpoint.MasterNextWritten)
	count, err := secret.Reseal(ctx, store, from, to)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.MasterResealed)
	if err := placeMaster(path); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%d secrets are encrypted with a new master key in %s. Back it up.\n", count, path)
	return nil
}

// placeMaster puts the new master key in the place of the old one. Another
// process may have done so.
func placeMaster(path string) error {
	err := os.Rename(nextMaster(path), path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace the master key: %w", err)
	}
	return wholefile.SyncFolder(filepath.Dir(path))
}
