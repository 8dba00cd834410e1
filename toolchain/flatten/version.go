package flatten

import (
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// comparator is a part of a requirement in the syntax of Scarb, which is that of
// Cargo.
var comparator = regexp.MustCompile(`^(=|>=?|<=?|~|\^)? *([0-9]+(\.([0-9]+|\*))?(\.([0-9]+|\*))?(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?|\*)$`)

// met reports whether the compiler's version meets a requirement. A requirement
// that is not well-formed is never met.
func met(requirement string) bool {
	for part := range strings.SplitSeq(requirement, ",") {
		part = strings.TrimSpace(part)
		match := comparator.FindStringSubmatch(part)
		if match == nil {
			return false
		}
		if match[1] == "" && !strings.Contains(part, "*") {
			part = "^" + part // Scarb's default operator
		}
		constraint, err := semver.NewConstraint(part)
		if err != nil || !constraint.Check(semver.MustParse(cairoVersion)) {
			return false
		}
	}
	return true
}
