package verification

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"astrolabe/cmd/astrolabe/logclient"
	"astrolabe/cmd/astrolabe/wholefile"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
)

// printCheckpoint prints a signed state of the log.
func printCheckpoint(w io.Writer, c *transparency.Checkpoint) {
	fmt.Fprintf(w, "treeSize %d\nrootHash %s\ncheckpointSignedAt %s\ncheckpointKeyId %s\n", c.Size, c.Root, c.SignedAt.Format(time.RFC3339Nano), c.KeyID)
}

// ReceiptAudit checks the transparency log of a service.
type ReceiptAudit struct {
	URL string `help:"URL of the service." name:"url" required:"" env:"-"`
	trustSettings
	Checkpoint string `help:"File with the checkpoint of the last audit. The log must begin with that state; if it does, the new checkpoint is written there. The first audit creates the file." env:"-" type:"path" placeholder:"FILE"`
}

// Help returns the detailed help text.
func (ReceiptAudit) Help() string {
	return `Fetches the newest checkpoint and every tile of the log, recomputes its root, and compares it with the signed one and with the checkpoint of the last audit. Prints every difference.` + "\n\n" +
		`Exit codes: 0 if there is no difference, 1 if the log or a file cannot be read, 2 for a usage error or a missing file, 3 if there is a difference or a checkpoint is refused. ` +
		`Each message begins with the reason: wrong_tile, not_consistent, malformed_checkpoint, malformed_trust_root, trust_root_changed, unknown_key, invalid_signature, demo_key, key_revoked, key_not_yet_valid or key_expired.`
}

// Validate checks the settings before anything starts.
func (a ReceiptAudit) Validate() error {
	return checkDigest("--trust-root-digest", a.TrustRootDigest)
}

// Run audits the log and prints what it found.
func (a ReceiptAudit) Run(ctx context.Context, c *Console) error {
	root, err := readDocument(a.TrustRoot, receipt.MaxTrustRoot)
	if err != nil {
		return err
	}
	var saved []byte
	if a.Checkpoint != "" {
		if saved, err = readDocument(a.Checkpoint, transparency.MaxCheckpoint); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err == nil && len(saved) == 0 {
			_, err := transparency.ParseCheckpoint("")
			return rejection(err)
		}
	}
	client := logclient.New(a.URL)
	defer client.Close()
	audited, err := transparency.Audit(ctx, client, string(saved), root, receipt.Rules{AllowDemo: a.AllowDemo, TrustRootDigest: a.TrustRootDigest})
	if err != nil {
		return rejection(err)
	}
	printCheckpoint(c.Stdout, audited.Checkpoint)
	fmt.Fprintf(c.Stdout, "tiles %d\n", audited.Tiles)
	for _, difference := range audited.Differences {
		fmt.Fprintln(c.Stdout, difference)
	}
	if n := len(audited.Differences); n > 0 {
		return &Error{exitRejected, fmt.Errorf("%d differences; the first one is %w", n, audited.Differences[0])}
	}
	if a.Checkpoint == "" {
		return nil
	}
	return wholefile.Write(a.Checkpoint, []byte(audited.Checkpoint.Note))
}
