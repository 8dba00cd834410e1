package main

import (
	"context"
	"encoding/json"
	"time"

	"astrolabe/cmd/astrolabe/listing"
	"astrolabe/cmd/astrolabe/verification"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	verifystore "astrolabe/repo/verify"
)

// verifyCommand verifies contracts, and manages the keys that sign receipts.
type verifyCommand struct {
	Pack      verification.Pack   `cmd:"" help:"Pack a source tree into a deterministic archive. Fails if the tree breaks a rule."`
	Check     verification.Check  `cmd:"" help:"Check a source archive, or a source tree, against every rule."`
	Submit    verification.Submit `cmd:"" help:"Verify a source tree with a service, and fetch the receipt."`
	Keys      verifyKeys          `cmd:"" help:"List, retire and revoke the keys that sign receipts."`
	TrustRoot verifyTrustRoot     `cmd:"" help:"Print the trust root: the public keys that sign receipts."`
}

// receiptCommand works on verification receipts.
type receiptCommand struct {
	Verify verification.ReceiptVerify `cmd:"" help:"Verify a receipt against a trust root, offline."`
	Audit  verification.ReceiptAudit  `cmd:"" help:"Check the whole transparency log of receipts of a service."`
}

// verifyKeys manages the keys that sign receipts. It needs no private key.
type verifyKeys struct {
	List   verifyKeysList   `cmd:"" help:"List the keys, oldest first."`
	Retire verifyKeysRetire `cmd:"" help:"Retire a key: it can no longer sign, but its receipts stay valid."`
	Revoke verifyKeysRevoke `cmd:"" help:"Revoke a key that may be stolen: all of its receipts become invalid."`
}

type verifyKeysList struct {
	databaseSettings
	listing.Format
}

// Run lists the keys.
func (k verifyKeysList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		root, err := signingKeys(db).TrustRoot(ctx)
		if err != nil {
			return err
		}
		return printSigningKeys(c, k.Format, root.Keys...)
	})
}

type verifyKeysRetire struct{ endedKey }

// Run retires the key.
func (k verifyKeysRetire) Run(ctx context.Context, c *console) error {
	return k.end(ctx, c, verify.RetireKey)
}

type verifyKeysRevoke struct{ endedKey }

// Run revokes the key.
func (k verifyKeysRevoke) Run(ctx context.Context, c *console) error {
	return k.end(ctx, c, verify.RevokeKey)
}

// endedKey is the key to retire or revoke.
type endedKey struct {
	databaseSettings
	KeyID string `arg:"" name:"key-id" help:"Id of the key, as in the trust root: ed25519:1f2e3d4c5b6a7980."`
}

// Help returns the detailed help text.
func (endedKey) Help() string {
	return `Takes effect for the next receipt: a running controller stops signing with the key. It cannot be undone. ` +
		`Publish the trust root again afterwards: readers who pinned it do not learn of the change by themselves.`
}

func (k endedKey) end(ctx context.Context, c *console, end verify.KeyEnd) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		key, err := signingKeys(db).End(ctx, k.KeyID, end)
		if err != nil {
			return notFoundAsUsage(err)
		}
		return printSigningKeys(c, listing.Format{}, *key)
	})
}

func signingKeys(db *database) *verify.Keys {
	return verify.NewKeys(verifystore.NewKeys(db.DB), time.Now)
}

// signingKeyRow is a key that signs receipts in a list.
type signingKeyRow struct {
	KeyID       string    `json:"keyId"`
	Environment string    `json:"environment"`
	Toolchain   string    `json:"toolchain"`
	Digest      string    `json:"digest"`
	State       string    `json:"state"` // signs, retired or revoked
	Since       time.Time `json:"since"`
}

func printSigningKeys(c *console, f listing.Format, keys ...receipt.Key) error {
	rows := make([]signingKeyRow, len(keys))
	for i, k := range keys {
		rows[i] = signingKeyRow{k.ID, string(k.Environment), k.Toolchain.Name + " " + k.Toolchain.Version, k.Toolchain.Digest, "signs", k.NotBefore}
		switch {
		case k.RevokedAt != nil:
			rows[i].State, rows[i].Since = "revoked", *k.RevokedAt
		case k.NotAfter != nil:
			rows[i].State, rows[i].Since = "retired", *k.NotAfter
		}
	}
	return listing.Print(c.stdout, f, rows)
}

type verifyTrustRoot struct{ databaseSettings }

// Help returns the detailed help text.
func (verifyTrustRoot) Help() string {
	return `Prints the JSON that GET /v1/verification/trust-root returns, without a line break at its end, so that its SHA-256 is the digest to pin. ` +
		`Publish it over a channel that your readers trust.`
}

// Run prints the trust root.
func (v verifyTrustRoot) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, v.databaseSettings, func(db *database) error {
		root, err := signingKeys(db).TrustRoot(ctx)
		if err != nil {
			return err
		}
		text, err := json.Marshal(root)
		if err != nil {
			return err
		}
		_, err = c.stdout.Write(text)
		return err
	})
}
