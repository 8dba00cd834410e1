package repo

import (
	"astrolabe/domain"
	"astrolabe/repo/model"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

const (
	// heartbeat is how long a listener waits without a notification before it
	// checks the connection, and the time limit of that check.
	heartbeat = 5 * time.Second
	// The shortest and the longest pause between attempts to reconnect.
	firstPause, longestPause = 100 * time.Millisecond, 5 * time.Second
)

// The notification channels of the indexer.
const (
	// BlocksChannel announces that the visible blocks of a chain changed. The
	// payload is the chain: "SN_MAIN".
	BlocksChannel = "chain_blocks"
	// EpochsChannel announces a new epoch of a chain's facts: "SN_MAIN 7".
	EpochsChannel = "fact_epochs"
)

// VerificationChannel announces that a verification job is new or has a new
// state. The payload is its ID. A trigger sends it.
const VerificationChannel = "astrolabe_verification"

// Listen calls on for every notification on the channels, one at a time, until
// ctx ends. It uses a dedicated connection and reconnects whenever that fails.
// state is called with true once notifications are being received and with
// false when some may be missed.
func (db *DB) Listen(ctx context.Context, channels []string, on func(channel, payload string), state func(up bool)) {
	pause := firstPause
	for ctx.Err() == nil {
		if received := db.listenOnce(ctx, channels, on, state); received {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			pause = min(2*pause, longestPause)
		}
	}
}

// listenOnce listens until the connection fails and reports whether it had
// started to receive notifications.
func (db *DB) listenOnce(ctx context.Context, channels []string, on func(channel, payload string), state func(up bool)) (received bool) {
	conn, err := pgx.ConnectConfig(ctx, db.direct)
	if err != nil {
		return false
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), heartbeat)
		defer cancel()
		_ = conn.Close(closing)
	}()
	for _, channel := range channels {
		if _, err := conn.Exec(ctx, "/* listen.begin */ LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return false
		}
	}
	state(true)
	defer state(false)
	for {
		if err := waitNotification(ctx, conn, on); err != nil {
			return true
		}
	}
}

// waitNotification passes on one notification. If none arrives within
// heartbeat, it checks that the connection is alive instead.
func waitNotification(ctx context.Context, conn *pgx.Conn, on func(channel, payload string)) error {
	waiting, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	n, err := conn.WaitForNotification(waiting)
	if err == nil {
		on(n.Channel, n.Payload)
		return nil
	}
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	asking, cancelAsking := context.WithTimeout(ctx, heartbeat)
	defer cancelAsking()
	_, err = conn.Exec(asking, "/* listen.alive */ SELECT 1")
	return err
}

// Notify sends a notification to all listeners of a channel when the transaction
// commits.
func Notify(ctx context.Context, tx bun.IDB, channel, payload string) error {
	_, err := tx.NewRaw("/* listen.notify */ SELECT pg_notify(?, ?)", channel, payload).Exec(ctx)
	return err
}

// AdvanceEpoch begins a new epoch of a chain, because the transaction changes
// facts of finalized blocks or what is verified. Every process is notified when it
// commits.
func AdvanceEpoch(ctx context.Context, tx bun.IDB, c domain.Chain) error {
	var epoch int64
	err := tx.NewRaw(`/* epoch.advance */
		INSERT INTO fact_epochs AS known (chain, epoch) VALUES (?, 1)
		ON CONFLICT (chain) DO UPDATE SET epoch = known.epoch + 1
		RETURNING epoch`, model.Code(c)).Scan(ctx, &epoch)
	if err != nil {
		return err
	}
	return Notify(ctx, tx, EpochsChannel, fmt.Sprintf("%s %d", c, epoch))
}
