package main

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

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
	// masters reads the configured master keys again.
	masters func() ([]secret.Master, error)
}

// openDeployment opens the database before it writes anything, so that a data
// folder that is refused stays unchanged.
func openDeployment(ctx context.Context, c *console, d databaseSettings, s secretSettings, may creation) (*deployment, error) {
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
	health := new(telemetry.Health)
	health.Check("database", db.Writable)
	health.Check("database_read", db.Readable)
	return &deployment{
		console: c, db: db, ring: ring, health: health,
		masters: func() ([]secret.Master, error) { return s.masters(d.Data) },
	}, nil
}

// prepare applies pending migrations and opens the secrets.
func prepare(ctx context.Context, c *console, db *database, d databaseSettings, s secretSettings) (*secret.Ring, error) {
	masters, err := s.masters(d.Data)
	if err == nil {
		err = checkMasters(masters)
	}
	if err != nil {
		return nil, err
	}
	applied, err := db.Migrate(ctx)
	if err != nil {
		return nil, err
	}
	if len(applied) > 0 {
		c.logger.Info("applied database migrations", "migrations", applied)
	}
	missing, err := db.MissingRoles(ctx)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		c.logger.Warn("verification stays closed: the database role of this process may not create roles; create them and migrate again", "missing", missing)
	}
	ring, err := openRing(ctx, accounts.NewSecrets(db.DB), masters)
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
	group, ctx := errgroup.WithContext(ctx)
	context.AfterFunc(ctx, d.health.Drain)
	for _, run := range components {
		group.Go(func() error { return run(ctx) })
	}
	return group.Wait()
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
