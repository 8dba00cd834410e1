package commitment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/starknet"
)

// ErrUnknownVersion reports a header whose Starknet version cannot be read, so
// that its formula is not known.
var ErrUnknownVersion = errors.New("unknown Starknet version")

// Formula is a way to compute the commitments and the hash of a block.
type Formula int

// The formulas, in the order in which they were in force.
const (
	// BeforeEvents is the Pedersen formula from before Starknet 0.7. It
	// commits to transactions and chain, not to events.
	BeforeEvents Formula = iota + 1
	// Pedersen is the formula from 0.7 to 0.13.1. It commits to transactions
	// and events, not to receipts and state diff.
	Pedersen
	// Poseidon is the formula of 0.13.2 and 0.13.3. It commits to everything
	// but the price of L2 gas, which did not exist.
	Poseidon
	// PoseidonL2Gas is the formula since 0.13.4.
	PoseidonL2Gas
)

// release is a Starknet version: major, minor and patch.
type release [3]int

// before reports whether a release is older than another.
func (r release) before(other release) bool { return slices.Compare(r[:], other[:]) < 0 }

// parseRelease reads a version such as 0.13.2 or 0.13.2.1. The oldest headers
// have none, which is before all others.
func parseRelease(version string) (r release, err error) {
	if version == "" {
		return r, nil
	}
	parts := strings.Split(version, ".")
	if len(parts) != 3 && len(parts) != 4 {
		return r, fmt.Errorf("%w: %.40q", ErrUnknownVersion, version)
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return r, fmt.Errorf("%w: %.40q", ErrUnknownVersion, version)
		}
		if i < len(r) {
			r[i] = int(n)
		}
	}
	return r, nil
}

// OlderVersion reports whether a Starknet version is older than another. One that
// cannot be read is not.
func OlderVersion(version, than string) bool {
	a, errA := parseRelease(version)
	b, errB := parseRelease(than)
	return errA == nil && errB == nil && a.before(b)
}

// SinceVersion reports whether a Starknet version is the first one or a later one.
// One that cannot be read is not.
func SinceVersion(version, first string) bool {
	a, errA := parseRelease(version)
	b, errB := parseRelease(first)
	return errA == nil && errB == nil && !a.before(b)
}

// FormulaOf returns the formula of a block, or ErrUnknownVersion.
func FormulaOf(chainID starknet.Felt, header *starknet.BlockHeader) (Formula, error) {
	version, err := parseRelease(header.StarknetVersion)
	switch {
	case err != nil:
		return 0, err
	case !version.before(release{0, 13, 4}):
		return PoseidonL2Gas, nil
	case !version.before(release{0, 13, 2}):
		return Poseidon, nil
	case header.BlockNumber < firstWithEvents[chainID]:
		return BeforeEvents, nil
	}
	return Pedersen, nil
}

// CommitsState reports whether blocks of this formula commit to their receipts
// and state diff.
func (f Formula) CommitsState() bool { return f >= Poseidon }
