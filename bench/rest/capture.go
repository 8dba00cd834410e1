package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// capture sends a request for each path, one by one, to a service whose
// statements are logged, and returns the statements of each request.
func (b *bench) capture(ctx context.Context, paths []string) (requests [][]trip, err error) {
	b.log.capture++
	err = b.withService(ctx, service{uncached: true, logged: true}, func(base string) error {
		for _, r := range b.requests(base, paths) { // fills the caches and prepares the statements
			if _, _, err := answer(ctx, r); err != nil {
				return err
			}
		}
		conn, err := pgx.Connect(ctx, b.db.URL+"&log_statement=all")
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		for i, r := range b.requests(base, paths) {
			if err := b.log.mark(ctx, conn, i); err != nil {
				return err
			}
			if _, _, err := answer(ctx, r); err != nil {
				return err
			}
		}
		if err := b.log.mark(ctx, conn, len(paths)); err != nil {
			return err
		}
		requests, err = b.log.await(ctx, len(paths))
		return err
	})
	return requests, err
}

// mark writes a marker to the log.
func (l *statementLog) mark(ctx context.Context, conn *pgx.Conn, n int) error {
	_, err := conn.Exec(ctx, fmt.Sprintf("SELECT 'mark %d of %d'", n, l.capture))
	return err
}
