package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/failpoint"
	"astrolabe/graph"
	"astrolabe/rest"
	"astrolabe/telemetry"
	"astrolabe/web"
)

// serveCommand answers requests.
type serveCommand struct {
	databaseSettings
	secretSettings
	listenSettings
}

// Run serves until a stop signal.
func (s serveCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, s.databaseSettings, s.secretSettings)
	if err != nil {
		return err
	}
	api, err := d.listen(ctx, s.listenSettings)
	if err != nil {
		d.db.close()
		return err
	}
	api.announce(c)
	return d.run(ctx, api.run)
}

// api is the public and the admin listener of a process.
type api struct {
	public, admin net.Listener // admin is nil when there is none
	handler       http.Handler
	adminHandler  http.Handler
	streams       streams
	health        *telemetry.Health
	drain         time.Duration
	logger        *slog.Logger
}

// streams are answers without an end, which a drain must end itself.
type streams interface {
	Shutdown(ctx context.Context) error
}

// listen opens the sockets, so that whoever is told the addresses can connect.
func (d *deployment) listen(ctx context.Context, l listenSettings) (*api, error) {
	health := new(telemetry.Health)
	health.Check("database", d.db.Ping)
	statuses := chain.NewStatuses(d.db, statusFreshness)
	live := graph.New(graph.Options{
		Statuses: statuses, Cursors: domain.NewCursors(d.ring.CursorKeys()),
		Chains: l.Chains, Origins: l.Origins, Version: version(), Logger: d.logger,
	})
	a := &api{
		handler:      d.facade(l, health, statuses, live),
		adminHandler: telemetry.AdminHandler(d.metrics, health),
		streams:      live, health: health, drain: l.Drain, logger: d.logger,
	}
	var err error
	if a.public, err = listenOn(ctx, l.Addr, "--addr"); err != nil {
		return nil, err
	}
	if l.AdminAddr != "" {
		if a.admin, err = listenOn(ctx, l.AdminAddr, "--admin-addr"); err != nil {
			return nil, errors.Join(err, a.public.Close())
		}
	}
	failpoint.Hit(failpoint.ServeListening)
	return a, nil
}

// statusFreshness is how old a chain's status may be when it is answered.
const statusFreshness = 250 * time.Millisecond

// facade puts the facades over one set of domain services.
func (d *deployment) facade(l listenSettings, health *telemetry.Health, statuses *chain.Statuses, live http.Handler) http.Handler {
	return rest.Handler(rest.Options{
		Logger: d.logger, Metrics: d.metrics, Health: health, Version: version(),
		Chains: l.Chains, Origins: l.Origins, Proxies: l.TrustedProxies,
		Statuses: statuses,
		Mounts: []rest.Mount{
			{Pattern: "/graphql", Handler: live},
			{Pattern: "/docs", Handler: web.Reference(), Page: true},
			{Pattern: "/docs/*", Handler: web.Reference(), Page: true},
			{Pattern: "/graphiql", Handler: web.GraphiQL(), Page: true},
			{Pattern: "/graphiql/*", Handler: web.GraphiQL(), Page: true},
		},
	})
}

func listenOn(ctx context.Context, address, flag string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	return listener, nil
}

// announce tells a person where to look.
func (a *api) announce(c *console) {
	fmt.Fprintf(c.stdout, "API    %s\n", a.baseURL())
	if a.admin != nil {
		fmt.Fprintf(c.stdout, "Admin  %s/metrics\n", a.adminURL())
	}
	failpoint.Hit(failpoint.ServeReady)
}

func (a *api) baseURL() string { return "http://" + a.public.Addr().String() }

func (a *api) adminURL() string {
	if a.admin == nil {
		return ""
	}
	return "http://" + a.admin.Addr().String()
}

// run answers requests until ctx ends, then refuses new ones and lets those
// under way finish within the drain time. The admin listener goes last, so
// that the drain can be watched.
func (a *api) run(ctx context.Context) error {
	public := a.server(a.handler)
	admin := a.server(a.adminHandler)
	failed := make(chan error, 2)
	go func() { failed <- public.Serve(a.public) }()
	if a.admin != nil {
		go func() { failed <- admin.Serve(a.admin) }()
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		a.health.Drain()
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.drain)
	defer cancel()
	if errors.Join(a.streams.Shutdown(patient), public.Shutdown(patient)) != nil {
		a.logger.Warn("requests were cut off at the end of the drain time", "drain", a.drain)
		_ = public.Close()
	}
	_ = admin.Close()
	return err
}

func (a *api) server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(a.logger.Handler(), slog.LevelDebug),
	}
}
