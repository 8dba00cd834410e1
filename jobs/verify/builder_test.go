package verify_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	work "astrolabe/jobs/verify"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// workshop is a database with a builder that runs with the privileges of its role.
type workshop struct {
	*testing.T
	jobs    *verify.Jobs
	conn    *pgx.Conn
	class   starknet.Felt
	moved   chan verify.State
	metrics *telemetry.Metrics
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	jobs, _, conn, class := newJobs(t)
	return &workshop{T: t, jobs: jobs, conn: conn, class: class, moved: make(chan verify.State, 100), metrics: telemetry.NewMetrics()}
}

// queues uploads a source, which is ready to be built.
func (w *workshop) queues(key string) string {
	w.Helper()
	id := uploaded(w.T, w.jobs, w.class, key, packed(w.T, "Scarb.lock", lock, "Scarb.toml", manifest))
	if err := w.jobs.Validate(w.Context(), id, verify.Rules{}); err != nil {
		w.Fatal(err)
	}
	return id
}

// compiler is a compiler whose builds the test decides.
type compiler func(ctx context.Context, archive io.Reader) (*verify.Output, error)

// Toolchain implements verify.Compiler.
func (compiler) Toolchain() verify.Toolchain {
	return verify.Toolchain{Name: "scarb", Version: "2.12.0", Digest: "sha256:00"} // for which the controller of newJobs signs
}

// Compile implements verify.Compiler.
func (c compiler) Compile(ctx context.Context, archive io.Reader, _ verify.Package) (*verify.Output, error) {
	return c(ctx, archive)
}

// runs starts a builder, and returns what stops it and waits for its end.
func (w *workshop) runs(id string, c compiler, changes ...func(*work.Builder)) (stop func()) {
	w.Helper()
	repository := store.NewBuilds(repotest.As(w.T, w.conn, repo.BuilderRole))
	builds := verify.NewBuilds(repository, time.Now)
	builds.OnTransition(func(to verify.State) { w.moved <- to })
	builder := &work.Builder{
		Description: verify.Builder{ID: id, Toolchain: c.Toolchain(), Ready: true}, Builds: builds, Compiler: c,
		Listen: repository.Listen, Logger: slog.New(slog.DiscardHandler), Metrics: w.metrics,
	}
	for _, change := range changes {
		change(builder)
	}
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan error, 1)
	go func() { ended <- builder.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			w.Errorf("builder: got %v, want no error", err)
		}
	}
	w.Cleanup(stop)
	return stop
}

// moves expects the next moves that builders make.
func (w *workshop) moves(states ...verify.State) {
	w.Helper()
	for _, want := range states {
		select {
		case got := <-w.moved:
			if got != want {
				w.Fatalf("got a move to %s, want %s", got, want)
			}
		case <-time.After(time.Minute):
			w.Fatalf("timed out, want a move to %s", want)
		}
	}
}

// count returns how many rows there are.
func (w *workshop) count(from string) (n int) {
	w.Helper()
	if err := w.conn.QueryRow(w.Context(), "SELECT count(*) FROM "+from).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

// received waits for a signal.
func received[T any](t *testing.T, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(time.Minute):
		t.Fatal("timed out, want a signal")
	}
	return value
}

func TestBuilderBuildsWhatIsQueued(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	first := w.queues("first")
	results := make(chan error, 2)
	w.runs("one", func(_ context.Context, archive io.Reader) (*verify.Output, error) {
		_, err := io.Copy(io.Discard, archive)
		return &verify.Output{Class: []byte("{}")}, errors.Join(err, <-results)
	})
	results <- nil
	w.moves(verify.Building, verify.Comparing)
	if n := w.count("verification_candidates"); n != 1 {
		t.Errorf("got %d candidates, want one", n)
	}
	if _, err := w.jobs.Cancel(t.Context(), domain.Mainnet, "a", first); err != nil {
		t.Fatal(err)
	}
	second := w.queues("second") // it is notified
	results <- &verify.Failure{Code: verify.BuildFailed, Message: "The compiler refused the source."}
	w.moves(verify.Building, verify.Failed)
	job, err := w.jobs.Of(t.Context(), domain.Mainnet, "a", second)
	if err != nil || job.Failure == nil || job.Failure.Code != verify.BuildFailed {
		t.Errorf("got %+v and %v, want %s", job, err, verify.BuildFailed)
	}
}

func TestBuilderEndsTheBuildOfACancelledJob(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	id := w.queues("first")
	began, ended := make(chan struct{}), make(chan error, 1)
	stop := w.runs("one", func(ctx context.Context, _ io.Reader) (*verify.Output, error) {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return &verify.Output{Class: []byte("{}")}, nil // too late
	})
	w.moves(verify.Building)
	received(t, began)
	if _, err := w.jobs.Cancel(t.Context(), domain.Mainnet, "a", id); err != nil {
		t.Fatal(err)
	}
	if cause := received(t, ended); !errors.Is(cause, verify.ErrLeaseLost) {
		t.Errorf("got the cause %v, want %v", cause, verify.ErrLeaseLost)
	}
	stop()
	if n := w.count("verification_candidates"); n != 0 {
		t.Errorf("got %d candidates of a cancelled job, want none", n)
	}
	page := httptest.NewRecorder()
	w.metrics.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	if want := `astrolabe_verification_build_duration_seconds_count{outcome="lost"} 1`; !strings.Contains(page.Body.String(), want) {
		t.Errorf("got metrics without %s, want them with it", want)
	}
}

func TestBuilderThatShutsDownGivesItsJobBack(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	w.queues("first")
	began := make(chan struct{})
	stop := w.runs("one", func(ctx context.Context, _ io.Reader) (*verify.Output, error) {
		close(began)
		<-ctx.Done()
		return nil, &verify.Failure{Code: verify.BuildFailed, Message: "The compiler was killed."} // because of the end
	})
	w.moves(verify.Building)
	received(t, began)
	stop()
	if n := w.count("verification_builders WHERE NOT ready AND reason_code = 'builder_stopping'"); n != 1 {
		t.Errorf("got %d builders that say that they stop, want one", n)
	}
	w.runs("two", func(context.Context, io.Reader) (*verify.Output, error) {
		return &verify.Output{Class: []byte("{}")}, nil
	})
	w.moves(verify.Comparing) // within the lease that the first had
	if n := w.count("verification_builds WHERE builder = 'two' AND attempt = 1"); n != 1 {
		t.Error("got another attempt, want the first one: a shutdown does not count")
	}
}

// TestBuilderEndsABuildThatAnotherTookOver takes a job over as a builder does after
// the first one was paused.
func TestBuilderEndsABuildThatAnotherTookOver(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	w.queues("first")
	began, ended := make(chan struct{}), make(chan error, 1)
	w.runs("one", func(ctx context.Context, _ io.Reader) (*verify.Output, error) {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	w.moves(verify.Building)
	received(t, began)
	late := verify.NewBuilds(store.NewBuilds(repotest.As(t, w.conn, repo.BuilderRole)), func() time.Time { return time.Now().Add(2 * verify.LeaseTime) })
	if job, err := late.Claim(t.Context(), "two"); err != nil || job == nil || job.Lease.Attempt != 2 {
		t.Fatalf("got %+v and %v, want the second attempt", job, err)
	}
	if cause := received(t, ended); !errors.Is(cause, verify.ErrLeaseLost) {
		t.Errorf("got the cause %v, want %v", cause, verify.ErrLeaseLost)
	}
}

func TestBuildWithoutAResultIsRepeated(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	w.queues("first")
	broke := make(chan struct{}, 1)
	stop := w.runs("one", func(ctx context.Context, _ io.Reader) (*verify.Output, error) {
		select {
		case broke <- struct{}{}:
			return nil, errors.New("the sandbox broke")
		default:
			<-ctx.Done() // it took the job again before it was stopped, which does not count
			return nil, ctx.Err()
		}
	})
	w.moves(verify.Building)
	for w.count("verification_builds WHERE seen_at < claimed_at OR attempt > 1") == 0 { // released
		if t.Context().Err() != nil {
			t.Fatalf("got %v, want the job released", t.Context().Err())
		}
	}
	stop()
	// It may have stopped while it took the job again. Then nobody renews the lease.
	if _, err := w.conn.Exec(t.Context(), "UPDATE verification_builds SET seen_at = seen_at - interval '1 hour'"); err != nil {
		t.Fatal(err)
	}
	w.runs("two", func(context.Context, io.Reader) (*verify.Output, error) {
		return &verify.Output{Class: []byte("{}")}, nil
	})
	w.moves(verify.Comparing)
	if n := w.count("verification_builds WHERE builder = 'two' AND attempt IN (2, 3)"); n != 1 {
		t.Error("got the first attempt, want a later one")
	}
}

func TestBuilderThatIsNotReadyOnlySaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	w.queues("first")
	stop := w.runs("two", nil, func(b *work.Builder) {
		b.Description = verify.Builder{ID: "two", ReasonCode: "no_toolchain", Reason: "No compiler is installed."}
	})
	for w.count("verification_builders WHERE reason_code = 'no_toolchain'") == 0 {
		if t.Context().Err() != nil {
			t.Fatalf("got %v, want a report", t.Context().Err())
		}
	}
	stop()
	if n := w.count("verification_jobs WHERE state = 2"); n != 1 {
		t.Errorf("got %d queued jobs, want the one that nobody builds", n)
	}
}
