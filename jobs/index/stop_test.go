package index

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
)

// newestStored reads the newest block in the checkpoint.
const newestStored = "SELECT coalesce(max(block), 0)::int FROM index_checkpoints"

// slowTurn starts a turn behind a node that serves some of 150 blocks and then
// asks for a pause of five minutes. It returns after ten seconds, while the turn
// waits. It must be called in a synctest bubble.
func slowTurn(ctx context.Context, t *testing.T, database string, age time.Duration) (*world, *limitedProxy, <-chan error) {
	t.Helper()
	proxy := &limitedProxy{limiter: rate.NewLimiter(rate.Every(time.Hour), 200), pause: "300"}
	w := behind(t, proxy, database, 150)
	leader := w.limitedLeader()
	leader.Sizes.BatchAge = age
	ended := make(chan error, 1)
	go func() { ended <- leader.turn(ctx) }()
	time.Sleep(10 * time.Second)
	synctest.Wait()
	return w, proxy, ended
}

func TestSlowNodeDoesNotDelayDerivedBlocks(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t, repotest.Migrated)
	synctest.Test(t, func(t *testing.T) {
		w, proxy, ended := slowTurn(t.Context(), t, database, 5*time.Second)
		if got := w.number(newestStored); got < 10 {
			t.Errorf("after 10 s: got blocks stored up to %d, want those that were derived", got)
		}
		if got := w.status().Backfill; got == nil || got.Done == 0 {
			t.Errorf("after 10 s: got the progress %+v, want some", got)
		}
		proxy.limiter.SetLimit(rate.Inf)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestStopStoresWhatIsDerived(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t, repotest.Migrated)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w, proxy, ended := slowTurn(ctx, t, database, time.Hour)
		if got := w.number(newestStored); got != 0 {
			t.Fatalf("before the stop: got blocks stored up to %d, want a batch that is still open", got)
		}
		stop()
		if err := <-ended; err == nil {
			t.Error("got a turn that reached the head, want it stopped")
		}
		if got := w.number(newestStored); got < 10 {
			t.Errorf("after the stop: got blocks stored up to %d, want those that were derived", got)
		}
		proxy.limiter.SetLimit(rate.Inf)
		time.Sleep(5 * time.Minute) // the pause
		w.catchUp(w.limitedLeader())
		if got, want := digest(t, w.db), w.clean(nil); got != want {
			t.Errorf("got the digest %s after the next start, want %s of a clean index", got, want)
		}
	})
}
