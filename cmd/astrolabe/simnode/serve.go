package simnode

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"astrolabe/httpserver"
)

// Serve serves until ctx ends, then closes all connections immediately:
// clients of a simulated node expect no drain.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, logger *slog.Logger) error {
	server := httpserver.New(handler, logger)
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
