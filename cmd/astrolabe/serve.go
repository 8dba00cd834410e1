package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/access"
	"astrolabe/access/streams"
	"astrolabe/cmd/astrolabe/relay"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/gateway"
	"astrolabe/failpoint"
	"astrolabe/graph"
	"astrolabe/httpserver"
	"astrolabe/repo/accounts"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repositories"
	"astrolabe/repo/verify"
	"astrolabe/rest"
	"astrolabe/rest/rpc"
	"astrolabe/web"
)

// serveCommand serves the API.
type serveCommand struct {
	databaseSettings `group:"Database"`
	secretSettings   `group:"Database"`
	listenSettings   `group:"API"`
	nodeSettings     `group:"Nodes"`
	relay.Settings   `group:"Prover relay"`
	AdminAddr        string `help:"Listen address for metrics, profiles and health checks. Keep it private. Leave it empty to disable." default:"127.0.0.1:8081"`
}

// Validate checks the settings before anything starts.
func (s serveCommand) Validate() error {
	return firstError(s.databaseSettings.check(), s.secretSettings.check(s.Data), s.listenSettings.check(), s.checkNodes(), s.CheckProver(s.Chains, false), checkAdmin(s.AdminAddr))
}

// Run serves until a stop signal.
func (s serveCommand) Run(ctx context.Context, c *console) error {
	if err := free(ctx, map[string]string{"--addr": s.Addr, "--admin-addr": s.AdminAddr, "--internal-addr": s.InternalAddr}); err != nil {
		return err
	}
	d, err := openDeployment(ctx, c, s.databaseSettings, s.secretSettings, mustExist)
	if err != nil {
		return err
	}
	return d.run(ctx, s.AdminAddr, func(operators *admin) ([]component, error) {
		if err := d.mustHoldNoSimulated(ctx, s.nodeSettings); err != nil {
			return nil, err
		}
		api, err := d.listen(ctx, s.listenSettings, s.nodeSettings, s.Settings)
		if err != nil {
			return nil, err
		}
		api.announce(c, operators)
		return []component{api.run}, nil
	})
}

// api is the public listener of a process.
type api struct {
	listener net.Listener
	server   *http.Server
	live     interface { // the streams of all facades, which a drain has to close
		Shutdown(ctx context.Context) error
	}
	drain      time.Duration
	logger     *slog.Logger
	gate       *access.Gate
	proofs     *relay.Process // nil where it is not enabled
	background []component    // stop after the listener, so that the last requests are accounted for
}

// listen opens the socket, so that clients can connect as soon as the address is
// printed. The nodes answer reads of chain state, and the prover proof jobs.
func (d *deployment) listen(ctx context.Context, l listenSettings, nodes nodeSettings, prover relay.Settings) (*api, error) {
	gate, usage := d.gate(l.TrustedProxies, l.PublicURL), account.NewUsage(accounts.NewUsage(d.db.DB), time.Now)
	signIn, err := d.signIn(l.signinSettings, gate)
	if err != nil {
		return nil, err
	}
	documents, err := l.documents()
	if err != nil {
		return nil, err
	}
	pools, closeNodes, err := d.pools(nodes, requestUse)
	if err != nil {
		return nil, err
	}
	proofs, err := relay.Open(ctx, prover, relay.Deployment{DB: d.db.DB, Ring: d.ring, Metrics: d.metrics, Logger: d.logger})
	if err != nil {
		closeNodes()
		return nil, usageError{err}
	}
	opened, err := listenOn(ctx, l.Addr, "--addr")
	if err != nil {
		closeNodes()
		return nil, err
	}
	listener := httpserver.Limit(opened, httpserver.Limits{Connections: l.MaxConnections, Reserve: reservedConnections})
	listener.Refuse = rest.Refusal
	d.metrics.Gauge("http_connections", "Open connections to the API.", func() float64 { return float64(listener.Open()) })
	d.metrics.Counter("http_connections_refused_total", "Connections to the API that were closed because there were too many.", func() float64 { return float64(listener.Refused()) })
	d.metrics.Counter("usage_dropped_total", "Requests missing from usage accounting.", func() float64 { return float64(usage.Dropped()) })
	d.addMemory(httpserver.SoftMemory + int64(l.CacheMB)<<20)
	services := explorer.New(explorer.Options{
		Stores: repositories.Explorer(d.db.DB), Cursors: domain.NewCursors(d.ring.CursorKeys()), Freshness: statusFreshness, Nodes: stateNodes(pools),
		ScreeningTop: l.ScreeningTop, Cache: chain.NewCache(l.CacheMB << 20),
	})
	services.VerificationJobs.OnTransition(d.countTransition)
	if proofs != nil {
		services.Proofs = proofs.Relay
	}
	open := streams.New(streams.Within(l.MaxConnections), streams.Each)
	sockets := rpc.NewSockets(open)
	d.metrics.Gauge("rpc_sockets", "Open WebSockets of the JSON-RPC gateway.", func() float64 { return float64(sockets.Open()) })
	d.metrics.Counter("rpc_slow_clients_total", "WebSockets of the JSON-RPC gateway that were closed because their clients did not keep up.", func() float64 { return float64(sockets.Slow()) })
	handler, live := d.facades(l, services, rpcFacade{gateways(pools, gate.Quotas, services.Statuses), sockets, open}, gate, usage, documents, signIn)
	failpoint.Hit(failpoint.ServeListening)
	return &api{
		listener: listener, server: httpserver.New(handler, d.logger), live: live, drain: l.Drain, logger: d.logger,
		gate: gate, proofs: proofs, background: []component{d.followRevocations(gate, live), d.recordUses(gate), d.recordUsage(usage), d.followEpochs(services.Cache), d.announceBlocks(live), d.announceJobs(live), closeAtEnd(closeNodes)},
	}, nil
}

// reservedConnections are the connections that are accepted beyond
// --max-connections for health checks and for refusals.
const reservedConnections = 64

// closeAtEnd returns a component that calls closeAll when its context ends.
func closeAtEnd(closeAll func()) component {
	return func(ctx context.Context) error {
		<-ctx.Done()
		closeAll()
		return nil
	}
}

// followEpochs invalidates cached facts of finalized blocks when an operator
// changes them.
func (d *deployment) followEpochs(cache *chain.Cache) component {
	return func(ctx context.Context) error {
		onchain.ListenEpochs(ctx, d.db.DB, cache.Advance, cache.Listening)
		return nil
	}
}

// announceBlocks notifies GraphQL subscribers of committed blocks.
func (d *deployment) announceBlocks(live *graph.Handler) component {
	return func(ctx context.Context) error {
		onchain.ListenBlocks(ctx, d.db.DB, live.Notify)
		return nil
	}
}

// announceJobs notifies GraphQL subscribers of new states of verification jobs.
func (d *deployment) announceJobs(live *graph.Handler) component {
	return func(ctx context.Context) error {
		verify.ListenJobs(ctx, d.db.DB, live.NotifyJob)
		return nil
	}
}

// statusFreshness is the maximum age of a cached chain status.
const statusFreshness = 250 * time.Millisecond

// rpcFacade is the JSON-RPC gateway of every chain that has nodes.
type rpcFacade struct {
	gateways map[domain.Chain]*gateway.Gateway
	sockets  *rpc.Sockets
	streams  *streams.Registry // of all facades
}

// facades serves REST and GraphQL from one set of domain services. The other
// routes share their middleware.
func (d *deployment) facades(l listenSettings, services *explorer.Services, forward rpcFacade, gate *access.Gate, usage *account.Usage, documents graph.Documents, others []rest.Mount) (http.Handler, *graph.Handler) {
	live := graph.New(graph.Options{
		Gate: gate, Usage: usage, Services: services, Streams: forward.streams,
		Chains: l.Chains, Origins: l.Origins, Version: version(), Logger: d.logger, Documents: documents,
	})
	if len(l.SecurityContact) > 0 {
		others = append(others, rest.Mount{Pattern: rest.SecurityTextPath, Handler: rest.SecurityText(l.SecurityContact, l.PublicURL, time.Now), Page: true})
	}
	d.metrics.Counter("graphql_slow_consumers_total", "Subscribers disconnected because they did not keep up.", func() float64 { return float64(live.Slow()) })
	handler := rest.Handler(rest.Options{
		Logger: d.logger, Metrics: d.metrics, Tracing: d.tracing, Health: d.health, Version: version(),
		Chains: l.Chains, Origins: l.Origins, Services: services, Gateways: forward.gateways, Sockets: forward.sockets, Gate: gate, Usage: usage, Overloaded: httpserver.OnReserve,
		Mounts: append([]rest.Mount{
			{Pattern: "/graphql", Handler: live, Class: account.Query},
			{Pattern: "/schema.graphql", Handler: live.SDL(), Page: true},
			{Pattern: "/docs", Handler: web.Reference(gate.PageToken), Page: true},
			{Pattern: "/docs/*", Handler: web.Reference(gate.PageToken), Page: true},
			{Pattern: "/graphiql", Handler: web.GraphiQL(gate.PageToken), Page: true},
			{Pattern: "/graphiql/*", Handler: web.GraphiQL(gate.PageToken), Page: true},
		}, others...),
	})
	return handler, live
}

func listenOn(ctx context.Context, address, flag string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	return listener, nil
}

// announce prints the URLs of the service.
func (a *api) announce(c *console, operators *admin) {
	c.announce("API", a.url(), "")
	c.announce("GraphiQL", a.url()+"/graphiql", "")
	c.announce("Docs", a.url()+"/docs", "")
	if operators.url() != "" {
		c.announce("Admin", operators.url()+"/metrics", "")
	}
	failpoint.Hit(failpoint.ServeReady)
}

func (a *api) url() string { return urlOf(a.listener) }

// run serves requests until ctx ends. Then the relay refuses submissions and waits
// for proofs that were sent, while clients can still fetch them. Only then are new
// requests refused, streams closed, and open requests given the drain time to finish.
// The background components stop last.
func (a *api) run(ctx context.Context) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var group errgroup.Group
	for _, run := range a.background {
		group.Go(func() error { return run(background) })
	}
	relaying, stopRelay := context.WithCancel(ctx)
	relayed := make(chan struct{})
	go func() {
		defer close(relayed)
		if a.proofs != nil {
			a.proofs.Run(relaying)
		}
	}()
	if a.proofs != nil {
		group.Go(func() error { return a.proofs.Serve(background) })
	}
	err := a.serve(ctx, relayed)
	stopRelay()
	<-relayed
	stop()
	return errors.Join(err, group.Wait())
}

// serve serves requests until ctx has ended and the relay is done, and then drains.
func (a *api) serve(ctx context.Context, relayed <-chan struct{}) error {
	failed := make(chan error, 1)
	go func() { failed <- a.server.Serve(a.listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	<-relayed
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.drain)
	defer cancel()
	if errors.Join(a.live.Shutdown(draining), a.server.Shutdown(draining)) != nil {
		a.logger.Warn("closed connections with open requests after the drain time", "drain", a.drain)
		_ = a.server.Close()
	}
	return nil
}
