package graph

import (
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// farewell matches the end of every @deprecated reason: the date of the
// deprecation, and the date until which clients can rely on the element.
var farewell = regexp.MustCompile(`\S Deprecated (\d{4}-\d{2}-\d{2})\. Removed after (\d{4}-\d{2}-\d{2})\.$`)

// noticePeriod is the least time between the two dates, as in the
// REST interface.
const noticePeriod = 180 * 24 * time.Hour

// dated checks the reason of a deprecation.
func dated(reason string) error {
	found := farewell.FindStringSubmatch(reason)
	if found == nil {
		return errors.New("the reason must end with: Deprecated YYYY-MM-DD. Removed after YYYY-MM-DD.")
	}
	since, err := time.Parse(time.DateOnly, found[1])
	until, untilErr := time.Parse(time.DateOnly, found[2])
	if err := errors.Join(err, untilErr); err != nil {
		return err
	}
	if until.Sub(since) < noticePeriod {
		return fmt.Errorf("from %s to %s are less than 180 days", found[1], found[2])
	}
	return nil
}

func TestEveryDeprecationNamesItsDates(t *testing.T) {
	t.Parallel()
	check := func(what string, directives ast.DirectiveList) {
		deprecated := directives.ForName("deprecated")
		if deprecated == nil {
			return
		}
		reason := ""
		if argument := deprecated.Arguments.ForName("reason"); argument != nil {
			reason = argument.Value.Raw
		}
		if err := dated(reason); err != nil {
			t.Errorf("%s: got %v, want valid dates", what, err)
		}
	}
	for _, definition := range schema.Types {
		for _, value := range definition.EnumValues {
			check(definition.Name+"."+value.Name, value.Directives)
		}
		for _, field := range definition.Fields {
			check(definition.Name+"."+field.Name, field.Directives)
			for _, argument := range field.Arguments {
				check(definition.Name+"."+field.Name+"("+argument.Name+")", argument.Directives)
			}
		}
	}
}

func TestDeprecationWithInvalidDatesIsDetected(t *testing.T) {
	t.Parallel()
	for reason, good := range map[string]bool{
		"Ask for `sender`. Deprecated 2026-11-15. Removed after 2027-05-14.": true,
		"Ask for `sender`. Deprecated 2026-11-15. Removed after 2027-05-13.": false,
		"Ask for `sender`. Deprecated 2026-11-15. Removed after 2027-02-30.": false,
		"Ask for `sender`. Removed after 2027-05-14.":                        false,
		"Deprecated 2026-11-15. Removed after 2027-05-14.":                   false,
		"Ask for `sender`.": false,
		"":                  false,
	} {
		if err := dated(reason); (err == nil) != good {
			t.Errorf("%q: got error %v, want valid: %v", reason, err, good)
		}
	}
}
