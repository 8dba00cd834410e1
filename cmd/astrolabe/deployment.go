package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/cmd/astrolabe/plain"
	"astrolabe/domain"
	"astrolabe/domain/secret"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/telemetry"
)

// deployment is what every long-running command needs: a database with the
// current schema, and the secrets that all processes share.
type deployment struct {
	*console
	db     *database
	ring   *secret.Ring
	health *telemetry.Health
	outage *telemetry.Outage // of the database
	// masters reads the configured master keys again.
	masters func() ([]secret.Master, error)
	memory  int64 // soft limit of the process
}

// addMemory adds the memory of a part of the process to its soft limit, which
// GOMEMLIMIT overrides.
func (d *deployment) addMemory(bytes int64) {
	d.memory += bytes
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(d.memory)
	}
}

// openDeployment opens the database before it writes anything, so that a data
// folder that is refused stays unchanged.
func openDeployment(ctx context.Context, c *console, d databaseSettings, s secretSettings, may creation) (*deployment, error) {
	d, err := d.resolved()
	if err != nil {
		return nil, err
	}
	if err := d.mustHaveFolder(may); err != nil {
		return nil, err
	}
	c.logStart()
	db, err := openDatabase(ctx, c, d, may)
	if err != nil {
		return nil, err
	}
	c.logger.Info("using the database", repo.Place(db.DB))
	ring, err := prepare(ctx, c, db, d, s)
	if err != nil {
		db.close()
		return nil, err
	}
	opened := newDeployment(c, db)
	opened.health.Check("database", db.Writable)
	opened.health.Check("database_read", db.Readable)
	opened.ring, opened.masters = ring, func() ([]secret.Master, error) { return s.masters(d.Data) }
	return opened, nil
}

// newDeployment returns a deployment without secrets. Its logger counts what fails
// because of an outage of the database, which has lines of its own, and logs other
// equal failures of requests once a minute.
func newDeployment(c *console, db *database) *deployment {
	outage := &telemetry.Outage{
		Logger: c.logger, Lost: "the database cannot be used; waiting for it", Back: "the database is back", Text: plain.Message,
	}
	quiet := *c
	quiet.logger = outage.Absorb(telemetry.Sparse(c.logger, failureKind), func(err error) bool {
		return domain.DatabaseAway(err) || outage.Lasts() && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, repo.ErrQueueGaveUp))
	})
	return &deployment{console: &quiet, db: db, health: new(telemetry.Health), outage: outage}
}

// failureKind is the kind of a failed request: its code and the message that its
// client sees. One that failed unexpectedly has none, because its client was told
// that the operator can find its request ID in the log.
func failureKind(record slog.Record) string {
	code := ""
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "code" {
			code = a.Value.String()
		}
		return code == ""
	})
	if code == "" || code == string(domain.CodeInternal) {
		return ""
	}
	kind := record.Message + " " + code
	if failure, ok := errors.AsType[*domain.Error](telemetry.ErrorOf(record)); ok {
		kind += " " + failure.Message
	}
	return kind
}

// prepare applies pending migrations and opens the secrets.
func prepare(ctx context.Context, c *console, db *database, d databaseSettings, s secretSettings) (*secret.Ring, error) {
	applied, err := db.Migrate(ctx)
	if err != nil {
		return nil, err
	}
	if len(applied) > 0 {
		c.logger.Info("applied database migrations", "migrations", len(applied), "newest", applied[len(applied)-1])
	}
	missing, err := db.MissingRoles(ctx)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		c.logger.Warn("verification is disabled: the database role of this process may not create roles; create the missing roles, then run: astrolabe migrate up", "missing", missing)
	}
	store := accounts.NewSecrets(db.DB)
	if err := s.mustHaveMaster(ctx, store, d.Data); err != nil {
		return nil, err
	}
	masters, err := s.masters(d.Data)
	if err != nil {
		return nil, err
	}
	ring, err := openRing(ctx, store, masters)
	if err == nil && len(masters) > 1 && ring.Master() == masters[1] {
		c.logger.Info("completing an interrupted rotation of the master key")
		err = placeMaster(s.masterPath(d.Data))
	}
	return ring, err
}

// openRing opens the secrets with one of the master keys.
func openRing(ctx context.Context, store secret.Store, masters []secret.Master) (*secret.Ring, error) {
	ring, err := secret.Open(ctx, store, masters[0], masters[1:]...)
	if errors.Is(err, secret.ErrOtherMaster) {
		return nil, usageError{errors.New(err.Error() + "; give this process the master key of the deployment (ASTROLABE_MASTER_KEY or --master-key-file)")}
	}
	return ring, err
}

// logStart logs the first line of a long-running command.
func (c *console) logStart() {
	c.logger.Info("starting", "command", c.command, "version", version())
}

// component runs until its context ends or it fails.
type component func(ctx context.Context) error

// run starts the components and runs them concurrently until ctx ends or one of
// them fails. It waits for all of them and then closes the admin listener,
// which reports readiness during the drain, and the database.
func (d *deployment) run(ctx context.Context, adminAddress string, start func(*admin) ([]component, error)) error {
	return d.runAll(ctx, adminAddress, func(operators *admin) ([]component, error) {
		components, err := start(operators)
		return append(components, d.followSecrets, d.watchServer), err
	})
}

// runAll is run without components that every command with secrets needs.
func (d *deployment) runAll(ctx context.Context, adminAddress string, start func(*admin) ([]component, error)) error {
	defer d.db.close()
	operators, err := d.listenAdmin(ctx, adminAddress)
	if err != nil {
		return err
	}
	defer operators.close()
	components, err := start(operators)
	if err != nil {
		return err
	}
	go operators.serve()
	stopped := ctx
	group, ctx := errgroup.WithContext(ctx)
	context.AfterFunc(ctx, d.health.Drain)
	defer context.AfterFunc(stopped, func() { d.logger.Info("stopping", "command", d.command) })()
	for _, run := range append(components, d.watchDatabase) {
		group.Go(func() error { return run(ctx) })
	}
	d.logger.Info("ready", "command", d.command, "admin", operators.url())
	err = group.Wait()
	if err == nil {
		d.logger.Info("stopped", "command", d.command)
	}
	return err
}

// The interval at which the database is asked whether it answers, and the time that
// it has.
const (
	databaseEvery  = 2 * time.Second
	databaseAnswer = 5 * time.Second
)

// watchDatabase logs when the database is lost and when it is back.
func (d *deployment) watchDatabase(ctx context.Context) error {
	ticker := time.NewTicker(databaseEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		asking, cancel := context.WithTimeout(ctx, databaseAnswer)
		err := d.db.Writable(asking)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			d.outage.Failed(err)
		default:
			d.outage.Over()
		}
	}
}

func (d *deployment) followSecrets(ctx context.Context) error {
	d.ring.Follow(ctx, time.Minute, func(err error) {
		if errors.Is(err, secret.ErrOtherMaster) { // it was rotated
			masters, _ := d.masters()
			d.ring.Trust(masters...)
			if err = d.ring.Reload(ctx); err == nil {
				return
			}
		}
		d.logger.Warn("could not reload the secrets", "error", err)
	})
	return nil
}

// watchServer fails when the private Postgres server exits and cannot be started
// again.
func (d *deployment) watchServer(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-d.db.done():
		return d.db.server.Err()
	}
}
