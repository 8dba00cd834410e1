package repo

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
)

const (
	// replicaCheck limits the time in which a replica must answer a check.
	replicaCheck = 500 * time.Millisecond
	// replicaValid is how long a check holds: reads of an idle process begin on
	// the primary.
	replicaValid = time.Second
	// replicaPause is the time between checks of a replica that is lost.
	replicaPause = time.Second
	// stateConflict is the SQLSTATE of a read that a replica ended because it
	// would have kept it from following the primary.
	stateConflict = "40001"
)

// replica is a streaming replica for reads of requests. It is used while it has
// the heads that this process states in its answers; otherwise the primary is.
type replica struct {
	*bun.DB
	logger *slog.Logger
	until  atomic.Int64 // UnixNano until which the last check holds
	lostAt atomic.Int64 // UnixNano of the last failure; zero if there is none
}

// usable reports whether reads may use the replica.
func (r *replica) usable() bool { return r != nil && time.Now().UnixNano() < r.until.Load() }

// lose makes reads use the primary until a check succeeds.
func (r *replica) lose(cause error) {
	r.until.Store(0)
	if r.lostAt.Swap(time.Now().UnixNano()) == 0 {
		r.logger.Warn("the read replica is lost; reads use the primary", "error", cause)
	}
}

// checkKey marks the context of a check.
type checkKey struct{}

// CheckReplica decides whether reads of requests use the replica. It calls same
// with the replica, which reports whether the replica has the heads that this
// process is about to state. Without a replica it does nothing.
func CheckReplica(ctx context.Context, db *DB, same func(ctx context.Context, replica *bun.DB) (bool, error)) {
	r := db.replica
	if r == nil || time.Since(time.Unix(0, r.lostAt.Load())) < replicaPause {
		return
	}
	checking, cancel := context.WithTimeout(context.WithValue(ctx, checkKey{}, true), replicaCheck)
	defer cancel()
	current, err := same(checking, r.DB)
	switch {
	case err != nil && ctx.Err() != nil: // the caller has gone
	case err != nil:
		r.lose(err)
	case !current:
		r.until.Store(0)
	default:
		r.until.Store(time.Now().Add(replicaValid).UnixNano())
		if r.lostAt.Swap(0) != 0 {
			r.logger.Info("the read replica is back")
		}
	}
}

// openReplica opens the connections to the replica. It sends nothing, so that a
// process can start without its replica.
func (o Options) openReplica(primary driver.Connector, path string, conns int, logger *slog.Logger) (*replica, error) {
	config, err := parseAddress(o.ReadURL)
	if err != nil {
		return nil, err
	}
	o.configure(config.ConnConfig, path)
	r := &replica{logger: logger}
	r.DB = newReader(sql.OpenDB(replicaConnector{readConnector(config.ConnConfig), primary, r}), conns)
	return r, nil
}
