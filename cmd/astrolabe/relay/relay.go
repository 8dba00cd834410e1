package relay

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"astrolabe/domain/prove"
	"astrolabe/domain/secret"
	"astrolabe/httpserver"
	"astrolabe/prover"
	"astrolabe/prover/peers"
	"astrolabe/repo"
	store "astrolabe/repo/prove"
	"astrolabe/telemetry"
)

// Deployment is what the relay needs of its process.
type Deployment struct {
	DB      *repo.DB
	Ring    *secret.Ring
	Metrics *telemetry.Metrics
	Logger  *slog.Logger
}

// linger is how long the last results wait for a poll after a stop signal.
const linger = 2 * prove.PollAfter

// Process is the relay of a process.
type Process struct {
	*prove.Relay
	listener *listener // nil if other processes do not reach it
	logger   *slog.Logger
}

// Open makes the relay at the prover's URL and opens its listener. It returns nil
// where the relay is not enabled.
func Open(ctx context.Context, s Settings, d Deployment) (*Process, error) {
	if !s.Enabled() {
		return nil, nil
	}
	if err := forbidCoreDumps(); err != nil {
		return nil, fmt.Errorf("switch off core dumps, which would contain request bodies: %w", err)
	}
	var open atomic.Bool
	upstream, err := prover.New(prover.Options{URL: string(s.Prover), Timeout: s.ProverTimeout, StateChanged: func(is bool) {
		open.Store(is)
		if is {
			d.Logger.Warn("the prover's circuit breaker opened")
		} else {
			d.Logger.Info("the prover's circuit breaker closed")
		}
	}})
	if err != nil {
		return nil, err
	}
	listener, err := s.listen(ctx)
	if err != nil {
		return nil, err
	}
	keys := func() []secret.Material { return d.Ring.Settled(secret.Prove) }
	options := prove.Options{
		Keys: keys, Upstream: upstream, Budget: prove.Budget{Concurrent: s.ProverKeyJobs, Daily: s.ProverKeyDaily}, Queue: s.ProverQueue,
		Concurrent: s.ProverConcurrency, Grace: s.ProverDrain, Linger: linger, Logger: d.Logger,
		OnTransition: func(to prove.Status) { d.Metrics.ProofTransition(string(to)) },
	}
	if listener != nil {
		options.Address, options.Peers = listener.address, peers.NewClient(keys, listener.roots)
	}
	p := &Process{Relay: prove.New(store.NewJobs(d.DB), options), listener: listener, logger: d.Logger}
	if listener != nil {
		listener.server = httpserver.New(peers.NewServer(p.Relay, keys, d.Logger), d.Logger)
	}
	p.measure(d.Metrics, &open)
	return p, nil
}

// measure reports what is in the memory of this process, without content.
func (p *Process) measure(m *telemetry.Metrics, open *atomic.Bool) {
	for name, gauge := range map[string]struct {
		help string
		read func(prove.Stats) int
	}{
		"proof_jobs_waiting":  {"Proof jobs of this process that wait for the prover.", func(s prove.Stats) int { return s.Waiting }},
		"proof_jobs_active":   {"Proof jobs of this process that are being dispatched.", func(s prove.Stats) int { return s.Active }},
		"proof_results_held":  {"Results of proof jobs that this process holds for their delivery.", func(s prove.Stats) int { return s.Results }},
		"prover_circuit_open": {"Whether requests to the prover are held back, because it does not answer.", nil},
	} {
		m.Gauge(name, gauge.help, func() float64 {
			if gauge.read != nil {
				return float64(gauge.read(p.Stats()))
			}
			if open.Load() {
				return 1
			}
			return 0
		})
	}
}

// Serve answers other processes until ctx ends.
func (p *Process) Serve(ctx context.Context) error {
	if p.listener == nil {
		return nil
	}
	return p.listener.serve(ctx)
}
