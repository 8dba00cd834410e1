package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"astrolabe/cmd/astrolabe/wholefile"
	"astrolabe/domain/secret"
	"astrolabe/failpoint"
)

// masters returns the master keys that may have encrypted the stored secrets:
// the configured one, or else the one in the data folder, which the first start
// creates; and the one that was about to replace it when a rotation was
// interrupted.
func (s secretSettings) masters(data string) ([]secret.Master, error) {
	if s.MasterKey != "" {
		master, err := s.direct()
		return []secret.Master{master}, err
	}
	path := s.masterPath(data)
	read := readMaster
	if s.MasterKeyFile == "" {
		read = masterFile
	}
	master, err := read(path)
	if err != nil {
		return nil, err
	}
	next, err := readMaster(nextMaster(path))
	if errors.Is(err, fs.ErrNotExist) {
		return []secret.Master{master}, nil
	}
	return []secret.Master{master, next}, err
}

// check reads the master key, if there is one already, before anything starts.
func (s secretSettings) check(data string) error {
	if s.MasterKey == "" && s.MasterKeyFile == "" {
		if _, err := os.Stat(s.masterPath(data)); err != nil {
			return nil //nolint:nilerr // the first start creates it
		}
	}
	masters, err := s.masters(data)
	if err != nil {
		return err
	}
	return checkMasters(masters)
}

// mustHaveMaster refuses a data folder without a master key if the database has
// secrets, which a new key could not decrypt. Processes write their key before they
// store secrets with it.
func (s secretSettings) mustHaveMaster(ctx context.Context, store secret.Store, data string) error {
	if s.MasterKey != "" || s.MasterKeyFile != "" {
		return nil
	}
	stored, err := store.Secrets(ctx)
	if err != nil || len(stored) == 0 {
		return err
	}
	if _, err := os.Stat(s.masterPath(data)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return usageError{fmt.Errorf("there is no master key in %s, but the database has secrets that are encrypted with one; "+
		"give this process the master key of the deployment (ASTROLABE_MASTER_KEY or --master-key-file), or its data folder (--data)", data)}
}

// direct returns the master key of the environment.
func (s secretSettings) direct() (secret.Master, error) {
	if onCommandLine(os.Args, "--master-key") {
		return secret.Master{}, usageError{errors.New("every user of this machine can read --master-key; set ASTROLABE_MASTER_KEY or --master-key-file")}
	}
	text, err := secretFrom("--master-key", s.MasterKey, s.MasterKeyFile)
	if err != nil {
		return secret.Master{}, err
	}
	return parseMaster(text)
}

func (s secretSettings) masterPath(data string) string {
	return cmp.Or(s.MasterKeyFile, filepath.Join(data, "master.key"))
}

// nextMaster is where a rotation keeps the new key until all secrets are
// encrypted with it.
func nextMaster(path string) string { return path + ".next" }

// checkMasters refuses master keys that are not random.
func checkMasters(masters []secret.Master) error {
	for _, master := range masters {
		if master.Check() == nil {
			return nil // the rotation from a weak one was interrupted
		}
	}
	return usageError{fmt.Errorf("%w; generate a new one (openssl rand -hex 32 > FILE; chmod 600 FILE) and pass it with --master-key-file; "+
		"if the database has secrets that are encrypted with the old one, first run: astrolabe secrets rotate --master --new-master-key-file FILE", secret.ErrWeakMaster)}
}

// masterFile reads the key in path, or creates it. The file is written
// atomically and is on disk before anything is encrypted with it. Processes that
// create it concurrently all use the first.
func masterFile(path string) (secret.Master, error) {
	key, err := readMaster(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o711); err != nil {
		return secret.Master{}, usageError{fmt.Errorf("--data: %w", err)}
	}
	err = wholefile.Create(path, masterText(secret.NewMaster()))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return secret.Master{}, fmt.Errorf("write the master key: %w", err)
	}
	failpoint.Hit(failpoint.MasterKeyWritten)
	return readMaster(path)
}

func masterText(m secret.Master) []byte { return []byte(m.Reveal() + "\n") }

// readMaster refuses a file that other users can read.
func readMaster(path string) (secret.Master, error) {
	info, err := os.Stat(path)
	if err != nil {
		return secret.Master{}, usageError{fmt.Errorf("--master-key-file: %w", err)}
	}
	if info.Mode().Perm()&0o077 != 0 {
		return secret.Master{}, usageError{fmt.Errorf("other users can read the master key in %s; run: chmod 600 %[1]s", path)}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return secret.Master{}, usageError{fmt.Errorf("--master-key-file: %w", err)}
	}
	return parseMaster(string(content))
}

func parseMaster(text string) (secret.Master, error) {
	master, err := secret.ParseMaster(text)
	if err != nil {
		return secret.Master{}, usageError{err}
	}
	return master, nil
}
