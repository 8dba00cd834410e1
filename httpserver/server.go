package httpserver

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	// maxHeader is the size of a request's headers. net/http adds 4 KiB for the
	// request line.
	maxHeader = 60 << 10
	// headerTime is how long a client may take to send the headers.
	headerTime = 10 * time.Second
	// idleTime is how long a connection may wait for its next request.
	idleTime = 2 * time.Minute
)

// New returns a server with limits against slow and greedy clients. It must
// serve a listener of Limit for the limits of connections and writes to hold.
func New(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:                      handler,
		ReadHeaderTimeout:            headerTime,
		IdleTimeout:                  idleTime,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true, // the handler also answers OPTIONS *
		ErrorLog:                     slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		ConnContext:                  func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
}

// connKey is the context key of a request's connection.
type connKey struct{}

// OnReserve reports whether a request came on a reserved connection, because the
// server has as many connections as it may have. Only health checks should be
// answered then.
func OnReserve(r *http.Request) bool {
	c, limited := r.Context().Value(connKey{}).(*conn)
	return limited && c.reserved
}
