package tokens

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"astrolabe/domain/facts"
)

// outdated is true for a chain whose index was not made entirely by the current
// versions of the derivers, such as one of an earlier release. It may lack
// transfers and the evidence of untyped ones, so that nothing read from it is
// exact until it is made again. Events of privacy pools do not count: no transfer
// follows from them. It scans deriver_versions, which has a few rows.
var outdated = func() string {
	current := make([]string, 0, len(facts.Versions))
	for _, fact := range slices.Sorted(maps.Keys(facts.Versions)) {
		if fact == string(facts.TablePrivacyEvents) {
			continue
		}
		current = append(current, fmt.Sprintf("('%s', %d)", fact, facts.Versions[fact]))
	}
	return fmt.Sprintf("(SELECT count(*) < %d FROM deriver_versions WHERE chain = %%[1]d AND (fact, version) IN (%s))",
		len(current), strings.Join(current, ", "))
}()
