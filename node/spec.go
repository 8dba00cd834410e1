package node

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/domain/chain"
	"astrolabe/domain/gateway"
	"astrolabe/node/wire"
)

// MinimumSpec is the oldest supported version of the JSON-RPC specification.
const MinimumSpec = gateway.MinimumSpec

// checkSpec rejects an invalid version and one older than MinimumSpec.
func checkSpec(text string) error {
	version, ok := parseSpec(text)
	if !ok {
		return wire.Invalid("specification version %q", wire.Clip(text, 40))
	}
	if minimum, _ := parseSpec(MinimumSpec); slices.Compare(version, minimum) < 0 {
		return fmt.Errorf("%w: %s is older than %s", chain.ErrNodeVersion, wire.Clip(text, 40), MinimumSpec)
	}
	return nil
}

// flagsSpec is the version of the specification that introduced response flags.
const flagsSpec = "0.10.1"

// knowsFlags reports whether the proven specification of the upstream has
// response flags. Other nodes may reject them.
func (u *upstream) knowsFlags() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	version, ok := parseSpec(u.spec)
	first, _ := parseSpec(flagsSpec)
	return ok && slices.Compare(version, first) >= 0
}

// parseSpec parses major, minor and patch; a pre-release counts as its release.
func parseSpec(text string) (version []uint64, ok bool) {
	text, _, _ = strings.Cut(text, "-")
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, false
		}
		version = append(version, n)
	}
	return version, len(version) == 3
}
