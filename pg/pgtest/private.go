package pgtest

import (
	"context"
	"errors"
	"os"

	"astrolabe/pg"
)

// privateServer is a server whose folder is deleted with the process.
type privateServer struct {
	server *pg.Server
	reaper *reaper
}

// forTests disables durability, which a temporary folder does not need, and
// autovacuum, which would change plans at random times.
var forTests = map[string]string{
	"fsync":              "off",
	"synchronous_commit": "off",
	"full_page_writes":   "off",
	"wal_level":          "minimal",
	"max_wal_senders":    "0",
	"autovacuum":         "off",
	"shared_buffers":     "64MB",
	"max_connections":    "200",
	"max_wal_size":       "4GB",
}

// startPrivate uses the folder for tests, or /tmp if the server user cannot
// reach that of root.
func startPrivate() (*privateServer, error) {
	server, err := startIn(parent())
	if errors.Is(err, pg.ErrUnreachable) {
		server, err = startIn("/tmp")
	}
	return server, err
}

func startIn(parent string) (*privateServer, error) {
	dir, err := newFolder(parent)
	if err != nil {
		return nil, err
	}
	reaper, err := watch(dir)
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	server, err := pg.Start(context.Background(), pg.Options{Dir: dir, Settings: forTests})
	if err != nil {
		return nil, errors.Join(err, reaper.finish())
	}
	return &privateServer{server: server, reaper: reaper}, nil
}

func (p *privateServer) stop() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // no checkpoint needed
	return errors.Join(p.server.Stop(ctx), p.reaper.finish())
}
