package main

import (
	"context"
	"encoding/json"
	"os"
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
	AdminAddr string `help:"Address of metrics, profiles and health for operators. Keep it private. Empty: none." default:"127.0.0.1:8081"`
}

// Validate checks the settings before anything is started.
func (u upCommand) Validate() error {
	return firstError(u.databaseSettings.check(), u.listenSettings.check(), u.workSettings.check(),
		u.indexSettings.check(), checkAdmin(u.AdminAddr))
}

// Run starts all parts, tells where to look and runs until a stop signal.
func (u upCommand) Run(ctx context.Context, c *console) error {
	d, err := openDeployment(ctx, c, u.databaseSettings, u.secretSettings)
	if err != nil {
		return err
	}
	return d.run(ctx, u.AdminAddr, func(operators *admin) ([]part, error) { return u.start(ctx, d, operators) })
}

func (u upCommand) start(ctx context.Context, d *deployment, operators *admin) ([]part, error) {
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
	if err := writeDemo(u.Data, demo{BaseURL: api.url(), AdminURL: operators.url()}); err != nil {
		return nil, err
	}
	api.announce(d.console, operators)
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
	if err := os.MkdirAll(data, 0o711); err != nil {
		return err
	}
	return writeWhole(filepath.Join(data, "demo.json"), append(content, '\n'))
}
