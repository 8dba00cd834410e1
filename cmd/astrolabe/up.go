package main

import (
	"context"
	"encoding/json"
	"path/filepath"
)

// upCommand runs everything in one process.
type upCommand struct {
	databaseSettings
	secretSettings
	listenSettings
	workSettings
	nodeSettings
	indexSettings
}

// Run starts all parts, tells where to look and runs until a stop signal.
func (u upCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, u.databaseSettings, u.secretSettings)
	if err != nil {
		return err
	}
	parts, err := u.start(ctx, d)
	if err != nil {
		d.db.close()
		return err
	}
	return d.run(ctx, parts...)
}

func (u upCommand) start(ctx context.Context, d *deployment) ([]part, error) {
	parts, err := d.indexers(u.nodeSettings, u.indexSettings)
	if err != nil {
		return nil, err
	}
	work, err := d.worker(u.workSettings)
	if err != nil {
		return nil, err
	}
	api, err := d.listen(ctx, u.listenSettings)
	if err != nil {
		return nil, err
	}
	if err := writeDemo(u.Data, demo{BaseURL: api.baseURL(), AdminURL: api.adminURL()}); err != nil {
		return nil, err
	}
	api.announce(d.console)
	return append(parts, work, api.run), nil
}

// demo is what scripts and documents need to call a running program. It may
// hold keys, so its file is private.
type demo struct {
	BaseURL  string `json:"baseUrl"`
	AdminURL string `json:"adminUrl,omitempty"`
}

func writeDemo(data string, d demo) error {
	content, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(data, "demo.json"), append(content, '\n'))
}
