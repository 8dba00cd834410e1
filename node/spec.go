package node

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"astrolabe/domain/chain"
	"astrolabe/domain/gateway"
	"astrolabe/node/wire"
)

// MinimumSpec is the oldest supported version of the JSON-RPC specification.
const MinimumSpec = gateway.MinimumSpec

var (
	minimumSpec = semver.MustParse(MinimumSpec)
	// flagsSpec is the version of the specification that introduced response flags.
	flagsSpec = semver.MustParse("0.10.1")
)

// checkSpec rejects an invalid version and one older than MinimumSpec.
func checkSpec(text string) error {
	version, err := parseSpec(text)
	if err != nil {
		return wire.Invalid("specification version %q", wire.Clip(text, 40))
	}
	if version.LessThan(minimumSpec) {
		return fmt.Errorf("%w: %s is older than %s", chain.ErrNodeVersion, wire.Clip(text, 40), MinimumSpec)
	}
	return nil
}

// knowsFlags reports whether the proven specification of the upstream has
// response flags. Other nodes may reject them.
func (u *upstream) knowsFlags() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	version, err := parseSpec(u.spec)
	return err == nil && version.GreaterThanEqual(flagsSpec)
}

// parseSpec parses a semantic version; a pre-release counts as its release.
func parseSpec(text string) (semver.Version, error) {
	version, err := semver.StrictNewVersion(text)
	if err != nil {
		return semver.Version{}, err
	}
	return version.SetPrerelease("")
}
