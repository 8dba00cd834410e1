package sim

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"astrolabe/sim/chain"
	"astrolabe/sim/contract"
	"astrolabe/starknet"
)

// MismatchError reports a State file of another chain than the configured one.
// The file was not changed.
type MismatchError struct {
	Path string
	// What is the setting that differs, with its value in the file and in the
	// configuration.
	What, File, Config string
}

// Error implements error.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("sim: %s keeps another chain: its %s is %s instead of %s", e.Path, e.What, e.File, e.Config)
}

// Began returns the timestamp of block 0 of the chain in a State file, and false
// if there is no such file.
func Began(path string) (time.Time, bool, error) {
	recording, err := chain.OpenRecording(path)
	if errors.Is(err, os.ErrNotExist) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, err
	}
	return time.Unix(int64(recording.About.Genesis), 0).UTC(), true, recording.Close() //nolint:gosec // It was a time.
}

// about describes the inputs of block generation.
func (c Config) about(documents []contract.Document) chain.About {
	script := fmt.Sprintf("%+v", c.Profile)
	if c.Predeployed > 0 {
		script += fmt.Sprintf(" with %d predeployed accounts", c.Predeployed)
	}
	return chain.About{
		Chain: c.Chain, Seed: c.Seed, Genesis: uint64(c.Genesis.Unix()), Spacing: c.spacing(),
		Script: script, Classes: fingerprint(documents),
	}
}

// fingerprint hashes the classes independent of their order: contracts of other
// classes could not be executed.
func fingerprint(documents []contract.Document) starknet.Felt {
	hashes := make([]starknet.Felt, len(documents))
	for i := range documents {
		hashes[i] = documents[i].Hash
	}
	slices.SortFunc(hashes, starknet.Felt.Cmp)
	return starknet.PoseidonMany(hashes...)
}

// openState opens or creates the file of a resumable chain. It returns
// *MismatchError if the file belongs to another chain.
func openState(path string, about chain.About) (*chain.Recording, error) {
	recording, err := chain.ContinueRecording(path, func(file chain.About) error { return compare(path, file, about) })
	if errors.Is(err, os.ErrNotExist) {
		return chain.CreateRecording(path, about)
	}
	return recording, err
}

// compare finds the first difference between the chain of a file and the
// configured one.
func compare(path string, file, config chain.About) error {
	for _, field := range []struct {
		what         string
		file, config any
	}{
		{"chain", file.Chain, config.Chain},
		{"seed", file.Seed, config.Seed},
		{"time of block 0", file.Genesis, config.Genesis},
		{"time between blocks", file.Spacing, config.Spacing},
		{"profile", file.Script, config.Script},
		{"set of classes", file.Classes, config.Classes},
	} {
		if field.file != field.config {
			return &MismatchError{path, field.what, fmt.Sprint(field.file), fmt.Sprint(field.config)}
		}
	}
	return nil
}
