package main

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/domain/secret"
)

// deployment is what every long-running command stands on: a database whose
// schema is current and the keys that all processes share.
type deployment struct {
	*console
	db   *database
	ring *secret.Ring
}

func openDeployment(ctx context.Context, c *console, d databaseSettings, s secretSettings) (*deployment, error) {
	master, err := s.master(d.Data)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(ctx, c, d)
	if err != nil {
		return nil, err
	}
	ring, err := prepare(ctx, c, db, master)
	if err != nil {
		db.close()
		return nil, err
	}
	return &deployment{console: c, db: db, ring: ring}, nil
}

func prepare(ctx context.Context, c *console, db *database, master secret.Master) (*secret.Ring, error) {
	applied, err := db.Migrate(ctx)
	if err != nil {
		return nil, err
	}
	if len(applied) > 0 {
		c.logger.Info("the schema was brought up to date", "applied", applied)
	}
	ring, err := secret.Open(ctx, db, master)
	if errors.Is(err, secret.ErrOtherMaster) {
		return nil, usageError{errors.New(err.Error() + "; give this process the master key of the deployment (ASTROLABE_MASTER_KEY or --master-key-file)")}
	}
	return ring, err
}

// part is something that runs until its context ends, or fails.
type part func(ctx context.Context) error

// run runs the parts side by side until ctx ends or one of them fails, waits
// for all of them and then closes the database.
func (d *deployment) run(ctx context.Context, parts ...part) error {
	defer d.db.close()
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range append(parts, d.followSecrets, d.watchServer) {
		group.Go(func() error { return p(ctx) })
	}
	return group.Wait()
}

func (d *deployment) followSecrets(ctx context.Context) error {
	d.ring.Follow(ctx, time.Minute, func(err error) { d.logger.Warn("the secrets could not be reloaded", "error", err) })
	return nil
}

// watchServer fails when the private server ends under a running program.
func (d *deployment) watchServer(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-d.db.done():
		return errors.Join(errors.New("the private Postgres ended"), d.db.server.Err())
	}
}
