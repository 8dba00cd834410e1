package frame

import (
	"regexp"
	"time"

	"astrolabe/domain"
)

// hourForm matches the RFC 3339 times that can be the start of an hour in UTC.
var hourForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:00:00(\.0{1,9})?(Z|\+00:00)$`)

// canonicalHour validates a value of HourKind.
func (p Param) canonicalHour(text string) (string, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || !hourForm.MatchString(text) {
		return "", p.refuse("must be the start of an hour in UTC as in RFC 3339, such as 2026-01-31T15:00:00Z, got %s.", domain.Quote(text))
	}
	return at.UTC().Format(time.RFC3339), nil
}

// Hour returns a parameter of HourKind, the zero time when it is absent.
func (c *Call) Hour(name string) time.Time {
	at, _ := time.Parse(time.RFC3339, c.Text(name)) // valid or absent
	return at
}
