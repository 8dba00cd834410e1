package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"astrolabe/cmd/astrolabe/simnode"
	"astrolabe/cmd/astrolabe/wholefile"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// demo tells scripts how to call a running "up". It holds keys, so only its
// owner can read the file.
type demo struct {
	BaseURL  string `json:"baseUrl"`
	AdminURL string `json:"adminUrl,omitempty"`

	// NodeURL is the simulated node of Chain. Both are empty if no chain is
	// simulated. Keys and Session are set only if every chain is simulated: for
	// real chains the operator creates keys.
	NodeURL string       `json:"nodeUrl,omitempty"`
	Chain   domain.Chain `json:"chain,omitempty"`

	// Keys are named after their permission. Each key can also read.
	Keys    map[string]string `json:"keys,omitempty"`
	Session string            `json:"session,omitempty"`

	// Samples name objects of Chain if it is simulated.
	Samples *simnode.Samples `json:"samples,omitempty"`
}

// demoWorkspace owns the demo's keys.
const demoWorkspace = "demo"

// demoKeys are the keys of the demo with the permission of each beside read. Every
// key can verify.
var demoKeys = map[string]account.Permission{
	"read": account.Read, "utility": account.Batch, "partner": account.Partner, "write": account.Write,
	"verify": account.Read, "prove": account.Prove, "trace": account.Trace,
}

// demo creates the demo of this run. Its keys and session have the maximum
// lifetime of a session; the next start replaces them.
func (d *deployment) demo(ctx context.Context, data string, api *api, operators *admin, nodes []simnode.Node, served int) (demo, error) {
	result := demo{BaseURL: api.url(), AdminURL: operators.url()}
	if err := d.forgetDemo(ctx, data); err != nil {
		return demo{}, err
	}
	if len(nodes) > 0 {
		result.NodeURL, result.Chain = nodes[0].URL, nodes[0].Chain
		result.Samples = &nodes[0].Samples
	}
	if len(nodes) < served { // a real chain is served, so the operator creates keys
		return result, nil
	}
	result.Keys = make(map[string]string)
	by := account.Operator("demo")
	owner, err := account.NewWorkspaces(accounts.NewWorkspaces(d.db.DB), time.Now).Ensure(ctx, demoWorkspace, by)
	if err != nil {
		return demo{}, err
	}
	for name, permission := range demoKeys {
		issued, err := api.gate.Keys.Issue(ctx, owner.ID, account.IssueRequest{
			Label: "demo " + name, Environment: account.Test, Permissions: []account.Permission{account.Read, permission},
			ExpiresAt: new(time.Now().Add(account.MaxSession)),
		}, by)
		if err != nil {
			return demo{}, err
		}
		result.Keys[name] = issued.Text.Reveal()
	}
	_, session, err := api.gate.Sessions.Create(ctx, owner.ID, "demo", account.MaxSession, by)
	result.Session = session.Reveal()
	return result, err
}

// forgetDemo revokes the keys of the previous run. If its file cannot be read,
// they expire by themselves.
func (d *deployment) forgetDemo(ctx context.Context, data string) error {
	var before demo
	content, err := os.ReadFile(filepath.Join(data, demoFile))
	if err != nil || json.Unmarshal(content, &before) != nil {
		return nil //nolint:nilerr // there is nothing to revoke
	}
	keys := account.NewKeys(accounts.NewKeys(d.db.DB), d.ring, time.Now)
	for _, text := range before.Keys {
		key, err := account.ParseKeyText(text)
		if err != nil {
			continue
		}
		if _, err := keys.Revoke(ctx, "", key.PublicID, account.Operator("demo")); err != nil && domain.CodeOf(err) != domain.CodeNotFound {
			return err
		}
	}
	if session, err := account.ParseSessionText(before.Session); err == nil {
		sessions := account.NewSessions(accounts.NewSessions(d.db.DB), d.ring, time.Now)
		if _, err := sessions.Revoke(ctx, session.SessionID, account.Operator("demo")); err != nil && domain.CodeOf(err) != domain.CodeNotFound {
			return err
		}
	}
	return nil
}

const demoFile = "demo.json"

// write writes the demo into the data folder.
func (d demo) write(data string) error {
	content, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(data, 0o711); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(data, demoFile), append(content, '\n'))
}

// revokeSample returns a component that revokes the census of one token of a
// simulated chain, like "astrolabe census revoke", as soon as it has one, so that
// the demo has a revoked census. The revocation is stored: later starts skip it.
func (d *deployment) revokeSample(node simnode.Node) component {
	return func(ctx context.Context) error {
		contract, ok := node.Samples.Tokens[simnode.Revoked]
		if !ok {
			return nil
		}
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			standings, err := tokens.NewCensus(d.db.DB).CensusStates(ctx, node.Chain, []starknet.Felt{contract}, time.Now())
			if err == nil && standings[0].Held {
				return nil
			}
			if err == nil && standings[0].Generation != nil {
				_, err = tokens.NewCensusBuilder(d.db.DB).HoldCensus(ctx, node.Chain, contract, "the demo shows a revoked census")
			}
			if err != nil && ctx.Err() == nil {
				d.logger.Debug("could not revoke the sample census yet", "error", err)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
		}
	}
}
