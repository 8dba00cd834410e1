package verify

import "time"

// The values of Package.SourceVisibility.
const (
	Private = "private"
	Public  = "public"
)

// Retention is how long the source of a job is kept after it was committed, in
// every state of the job.
type Retention struct {
	ID         string
	Visibility string // the only sourceVisibility that may choose it
	Keep       time.Duration
}

const day = 24 * time.Hour

// Retentions lists every retention policy.
var Retentions = []Retention{
	{"private-24h-v1", Private, day},
	{"private-7d-v1", Private, 7 * day},
	{"public-30d-v1", Public, 30 * day},
}

// retentionOf returns the policy with an ID.
func retentionOf(id string) (Retention, bool) {
	for _, r := range Retentions {
		if r.ID == id {
			return r, true
		}
	}
	return Retention{}, false
}
