package main

import (
	"context"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/access"
	"astrolabe/domain/account"
	"astrolabe/graph"
	"astrolabe/repo/accounts"
)

// gate returns the authenticator of the API.
func (d *deployment) gate(proxies []netip.Prefix, public string) *access.Gate {
	return &access.Gate{
		Keys: account.NewKeys(accounts.NewKeys(d.db.DB), d.ring, time.Now), Sessions: account.NewSessions(accounts.NewSessions(d.db.DB), d.ring, time.Now),
		FirstParty: account.NewFirstParty(d.ring, time.Now), Quotas: account.NewQuotas(accounts.NewQuotas(d.db.DB), time.Now),
		Failures: access.NewFailures(time.Now), Proxies: proxies, Public: public,
	}
}

// followRevocations drops changed keys and sessions from the cache as Postgres
// announces them, and closes the streams of those that have ended. After a gap
// in the announcements it checks all streams.
func (d *deployment) followRevocations(gate *access.Gate, live *graph.Handler) component {
	return func(ctx context.Context) error {
		d.db.Listen(ctx, []string{accounts.KeyChanges, accounts.SessionChanges}, func(channel, id string) {
			if channel == accounts.KeyChanges {
				gate.Keys.Forget(id)
				live.CredentialChanged(account.ByKey, id)
			} else {
				gate.Sessions.Forget(id)
				live.CredentialChanged(account.BySession, id)
			}
		}, func(up bool) {
			gate.Keys.Listening(up)
			gate.Sessions.Listening(up)
			if up {
				live.CredentialsChanged()
			}
		})
		return nil
	}
}

// recordUses stores when keys and sessions were last used.
func (d *deployment) recordUses(gate *access.Gate) component {
	return func(ctx context.Context) error {
		var group errgroup.Group
		group.Go(func() error {
			gate.Keys.FollowUse(ctx, account.UseEvery, func(err error) {
				d.logger.Warn("could not store the last use of API keys", "error", err)
			})
			return nil
		})
		group.Go(func() error {
			gate.Sessions.FollowUse(ctx, account.UseEvery, func(err error) {
				d.logger.Warn("could not store the last use of sessions", "error", err)
			})
			return nil
		})
		return group.Wait()
	}
}

// recordUsage stores the usage of the API.
func (d *deployment) recordUsage(usage *account.Usage) component {
	return func(ctx context.Context) error {
		usage.Run(ctx, func(err error) { d.logger.Warn("could not store API usage", "error", err) })
		return nil
	}
}
