package prove

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	// Heartbeat is how often a holder says that it is alive.
	Heartbeat = 5 * time.Second
	// Silence is how long a holder may be silent until others end its jobs.
	Silence = 30 * time.Second

	forgetEvery = time.Hour
)

// keepUp calls Upkeep at every heartbeat until ctx ends. An outage is logged
// once.
func (r *Relay) keepUp(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		err := r.limited(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			r.options.Logger.Warn("maintenance of proof jobs failed", "error", err)
		}
		failing = err != nil
		sleep(ctx, Heartbeat)
	}
}

func (r *Relay) limited(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, Heartbeat)
	defer cancel()
	return r.Upkeep(ctx)
}

// Upkeep writes the heartbeat of the jobs in memory, drops what other processes
// have ended or time has expired, ends the jobs of silent holders and, from time
// to time, deletes old digests. Run calls it at every heartbeat.
func (r *Relay) Upkeep(ctx context.Context) error {
	now := r.options.Now()
	r.results.expire(now)
	mine, err := r.beat(ctx)
	if err != nil {
		return err
	}
	ended, expired, err := r.store.Sweep(ctx, Silence, mine, now)
	for status, count := range ended {
		for range count {
			r.options.OnTransition(status)
		}
	}
	if len(ended) > 0 || expired > 0 {
		r.options.Logger.Info("ended the proof jobs of processes that stopped responding",
			"queued", ended[Unavailable], "dispatched", ended[UnknownDelivery], "results", expired)
	}
	if err != nil || !r.mayForget(now) {
		return err
	}
	return r.store.Forget(ctx, now.Add(-DigestLife))
}

// mayForget reports whether it is time to delete old digests.
func (r *Relay) mayForget(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.forgot) < forgetEvery {
		return false
	}
	r.forgot = now
	return true
}

// beat writes the heartbeat of the jobs in memory, and drops those that another
// process has ended. It returns what is left.
func (r *Relay) beat(ctx context.Context) ([]string, error) {
	waiting, active := r.tickets()
	places := r.results.ids()
	var ids []string
	for _, t := range slices.Concat(waiting, active) {
		ids = append(ids, t.id)
	}
	for id := range places {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	held, err := r.store.Beat(ctx, r.holder.ID, ids)
	if err != nil {
		return nil, errors.Join(errors.New("write the heartbeat"), err)
	}
	swept := func(id string) bool { return !slices.Contains(held, id) }
	r.release(slices.DeleteFunc(waiting, func(t *ticket) bool { return !swept(t.id) }))
	for id, place := range places {
		if swept(id) && !slices.ContainsFunc(active, func(t *ticket) bool { return t.id == id }) {
			r.results.drop(id, place)
		}
	}
	return ids, nil
}
