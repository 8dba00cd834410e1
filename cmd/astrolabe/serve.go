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
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/failpoint"
	"astrolabe/graph"
	"astrolabe/repo/accounts"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repositories"
	"astrolabe/rest"
	"astrolabe/web"
)

// serveCommand answers requests.
type serveCommand struct {
	databaseSettings
	secretSettings
	listenSettings
	nodeSettings
	AdminAddr string `help:"Address of metrics, profiles and health for operators. Keep it private. Empty: none." default:"127.0.0.1:8081"`
}

// Validate checks the settings before anything is started.
func (s serveCommand) Validate() error {
	return firstError(s.databaseSettings.check(), s.listenSettings.check(), checkAdmin(s.AdminAddr))
}

// Run serves until a stop signal.
func (s serveCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, s.databaseSettings, s.secretSettings)
	if err != nil {
		return err
	}
	return d.run(ctx, s.AdminAddr, func(operators *admin) ([]part, error) {
		api, err := d.listen(ctx, s.listenSettings, s.nodeSettings)
		if err != nil {
			return nil, err
		}
		api.announce(c, operators)
		return []part{api.run}, nil
	})
}

// api is the public listener of a process.
type api struct {
	listener net.Listener
	server   *http.Server
	streams  streams
	drain    time.Duration
	logger   *slog.Logger
	gate     *access.Gate
	keep     []part // what runs beside it and ends after it
}

// streams are answers without an end, which a drain must end itself.
type streams interface {
	Shutdown(ctx context.Context) error
}

// listen opens the socket, so that whoever is told its address can connect.
// What only a node can tell is asked of the given ones.
func (d *deployment) listen(ctx context.Context, l listenSettings, nodes nodeSettings) (*api, error) {
	gate, usage := d.gate(l.TrustedProxies, l.PublicURL), account.NewUsage(accounts.NewUsage(d.db.DB), time.Now)
	signIn, err := d.signIn(l.signinSettings, gate)
	if err != nil {
		return nil, err
	}
	documents, err := l.documents()
	if err != nil {
		return nil, err
	}
	states, closeNodes, err := d.stateNodes(nodes)
	if err != nil {
		return nil, err
	}
	listener, err := listenOn(ctx, l.Addr, "--addr")
	if err != nil {
		closeNodes()
		return nil, err
	}
	d.metrics.Counter("usage_dropped_total", "Requests that are missing in the usage of their workspaces.", func() float64 { return float64(usage.Dropped()) })
	services := explorer.New(explorer.Options{
		Stores: repositories.Explorer(d.db.DB), Cursors: domain.NewCursors(d.ring.CursorKeys()), Freshness: statusFreshness, Nodes: states,
		ScreeningTop: l.ScreeningTop, Cache: chain.NewCache(l.CacheMB << 20),
	})
	handler, live := d.facades(l, services, gate, usage, documents, signIn)
	failpoint.Hit(failpoint.ServeListening)
	return &api{
		listener: listener, server: newServer(handler, d.logger), streams: live, drain: l.Drain, logger: d.logger,
		gate: gate, keep: []part{d.keepGate(gate), d.keepUsage(usage), d.keepFacts(services.Cache), d.keepNews(live), keepUntilEnd(closeNodes)},
	}, nil
}

// keepUntilEnd is a part that lets go of something when it ends.
func keepUntilEnd(letGo func()) part {
	return func(ctx context.Context) error {
		<-ctx.Done()
		letGo()
		return nil
	}
}

// keepFacts forgets facts of final blocks when an operator changes them.
func (d *deployment) keepFacts(cache *chain.Cache) part {
	return func(ctx context.Context) error {
		onchain.ListenEpochs(ctx, d.db.DB, cache.Advance, cache.Listening)
		return nil
	}
}

// keepNews tells subscribers of new blocks as they are committed.
func (d *deployment) keepNews(live *graph.Handler) part {
	return func(ctx context.Context) error {
		onchain.ListenBlocks(ctx, d.db.DB, live.Tell)
		return nil
	}
}

// statusFreshness is how old a chain's status may be when it is answered.
const statusFreshness = 250 * time.Millisecond

// facades puts both facades over one set of domain services. Other routes
// share their middleware.
func (d *deployment) facades(l listenSettings, services *explorer.Services, gate *access.Gate, usage *account.Usage, documents graph.Documents, others []rest.Mount) (http.Handler, *graph.Handler) {
	live := graph.New(graph.Options{
		Gate: gate, Usage: usage, Services: services,
		Chains: l.Chains, Origins: l.Origins, Version: version(), Logger: d.logger, Documents: documents,
	})
	d.metrics.Counter("graphql_slow_consumers_total", "Subscribers that were disconnected because they did not keep up.", func() float64 { return float64(live.Slow()) })
	handler := rest.Handler(rest.Options{
		Logger: d.logger, Metrics: d.metrics, Tracing: d.tracing, Health: d.health, Version: version(),
		Chains: l.Chains, Origins: l.Origins, Services: services, Gate: gate, Usage: usage,
		Mounts: append([]rest.Mount{
			{Pattern: "/graphql", Handler: live},
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

// announce tells a person where to look.
func (a *api) announce(c *console, operators *admin) {
	fmt.Fprintf(c.stdout, "API       %s\n", a.url())
	fmt.Fprintf(c.stdout, "GraphiQL  %s/graphiql\n", a.url())
	fmt.Fprintf(c.stdout, "Docs      %s/docs\n", a.url())
	if operators.url() != "" {
		fmt.Fprintf(c.stdout, "Admin     %s/metrics\n", operators.url())
	}
	failpoint.Hit(failpoint.ServeReady)
}

func (a *api) url() string { return urlOf(a.listener) }

// run answers requests until ctx ends, then refuses new ones, ends the
// streams and lets the requests under way finish within the drain time. What
// it keeps ends last, so that the last requests are accounted for, too.
func (a *api) run(ctx context.Context) error {
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var kept errgroup.Group
	for _, p := range a.keep {
		kept.Go(func() error { return p(keeping) })
	}
	err := a.serve(ctx)
	stop()
	return errors.Join(err, kept.Wait())
}

func (a *api) serve(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- a.server.Serve(a.listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.drain)
	defer cancel()
	if errors.Join(a.streams.Shutdown(patient), a.server.Shutdown(patient)) != nil {
		a.logger.Warn("requests were cut off at the end of the drain time", "drain", a.drain)
		_ = a.server.Close()
	}
	return nil
}
