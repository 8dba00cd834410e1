package verify

import (
	"context"

	"astrolabe/repo"
)

// ListenJobs calls on with the ID of every job that is new or has a new state,
// until ctx ends. After a lost connection it calls on with an empty ID, because
// notifications of any job may have been missed.
func ListenJobs(ctx context.Context, db *repo.DB, on func(id string)) {
	db.Listen(ctx, []string{repo.VerificationChannel}, func(_, id string) { on(id) }, func(up bool) {
		if up {
			on("")
		}
	})
}
