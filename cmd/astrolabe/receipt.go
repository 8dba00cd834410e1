package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"astrolabe/cmd/astrolabe/logclient"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	verifystore "astrolabe/repo/verify"
)

// receiptCommand works on verification receipts. It needs no database, and only an
// audit needs a network.
type receiptCommand struct {
	Verify receiptVerify `cmd:"" help:"Verify a receipt against a trust root, offline."`
	Audit  receiptAudit  `cmd:"" help:"Check the whole transparency log of receipts of a service."`
}

// trustSettings say what is trusted.
type trustSettings struct {
	TrustRoot       string `help:"Trust root as JSON, which you received over a channel that you trust." required:"" env:"-" type:"path" placeholder:"FILE"`
	TrustRootDigest string `help:"Refuse a trust root whose file has another SHA-256." env:"-" placeholder:"DIGEST"`
	AllowDemo       bool   `help:"Accept keys for simulated chains." env:"-"`
}

type receiptVerify struct {
	File string `arg:"" help:"Receipt as JSON." type:"path"`
	trustSettings
	Toolchain string `help:"Refuse keys for toolchains with another digest." env:"-" placeholder:"DIGEST"`
	Inclusion string `help:"Also verify this proof that the transparency log has the receipt: the response of GET /v1/verification/log/inclusion." env:"-" type:"path" placeholder:"FILE"`
}

// Help returns the detailed help text.
func (receiptVerify) Help() string {
	return `Prints what the receipt proves and which key signed it. Digests are sha256: followed by 64 lower-case hexadecimal digits; ` +
		`the printed trustRootDigest is the one to pin with --trust-root-digest.` + "\n\n" +
		`Exit codes: 0 if the receipt is valid, 1 if a file cannot be read, 2 for a usage error or a missing file, 3 if the receipt is refused. ` +
		`The message then begins with the reason: malformed_receipt, malformed_trust_root, trust_root_changed, unknown_key, invalid_signature, demo_key, ` +
		`wrong_toolchain, key_revoked, key_not_yet_valid or key_expired; with --inclusion also malformed_proof, malformed_checkpoint, wrong_receipt, wrong_tree_size or not_included.`
}

// Validate checks the settings before anything starts.
func (v receiptVerify) Validate() error {
	return firstError(checkDigest("--trust-root-digest", v.TrustRootDigest), checkDigest("--toolchain", v.Toolchain))
}

func checkDigest(flag, digest string) error {
	if digest != "" && !receipt.IsDigest(digest) {
		return fmt.Errorf("%s must be sha256: followed by 64 lower-case hexadecimal digits", flag)
	}
	return nil
}

// Run verifies the receipt and prints what it proves.
func (v receiptVerify) Run(c *console) error {
	signed, err := readDocument(v.File, receipt.MaxReceipt)
	if err != nil {
		return err
	}
	root, err := readDocument(v.TrustRoot, receipt.MaxTrustRoot)
	if err != nil {
		return err
	}
	rules := receipt.Rules{AllowDemo: v.AllowDemo, ToolchainDigest: v.Toolchain, TrustRootDigest: v.TrustRootDigest}
	if v.Inclusion == "" {
		verified, err := receipt.Verify(signed, root, rules)
		if err != nil {
			return refusal(err)
		}
		printVerified(c.stdout, verified)
		return nil
	}
	proof, err := readDocument(v.Inclusion, transparency.MaxProof)
	if err != nil {
		return err
	}
	included, err := transparency.VerifyInclusion(signed, proof, root, rules)
	if err != nil {
		return refusal(err)
	}
	printVerified(c.stdout, included.Verified)
	printCheckpoint(c.stdout, included.Checkpoint)
	return nil
}

// refusal tells a refused document from other errors.
func refusal(err error) error {
	if _, ok := errors.AsType[*receipt.Error](err); ok {
		return rejectedError{err}
	}
	return err
}

// printCheckpoint prints a signed state of the log.
func printCheckpoint(w io.Writer, c *transparency.Checkpoint) {
	fmt.Fprintf(w, "treeSize %d\nrootHash %s\ncheckpointSignedAt %s\ncheckpointKeyId %s\n", c.Size, c.Root, c.SignedAt.Format(time.RFC3339Nano), c.KeyID)
}

type receiptAudit struct {
	URL string `help:"URL of the service." name:"url" required:"" env:"-"`
	trustSettings
	Checkpoint string `help:"File of the checkpoint that the last audit has saved. The log must begin with that state; the new checkpoint is written there if it does. The first audit creates it." env:"-" type:"path" placeholder:"FILE"`
}

// Help returns the detailed help text.
func (receiptAudit) Help() string {
	return `Fetches the newest checkpoint and every tile of the log, recomputes its root, and compares it with the signed one and with the checkpoint of the last audit. Prints every difference.` + "\n\n" +
		`Exit codes: 0 if there is no difference, 1 if the log or a file cannot be read, 2 for a usage error or a missing file, 3 if there is a difference or a checkpoint is refused. ` +
		`Each message begins with the reason: wrong_tile, not_consistent, malformed_checkpoint, malformed_trust_root, trust_root_changed, unknown_key, invalid_signature, demo_key, key_revoked, key_not_yet_valid or key_expired.`
}

// Validate checks the settings before anything starts.
func (a receiptAudit) Validate() error {
	return checkDigest("--trust-root-digest", a.TrustRootDigest)
}

// Run audits the log and prints what it found.
func (a receiptAudit) Run(ctx context.Context, c *console) error {
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
			return refusal(err)
		}
	}
	client := logclient.New(a.URL)
	defer client.Close()
	audited, err := transparency.Audit(ctx, client, string(saved), root, receipt.Rules{AllowDemo: a.AllowDemo, TrustRootDigest: a.TrustRootDigest})
	if err != nil {
		return refusal(err)
	}
	printCheckpoint(c.stdout, audited.Checkpoint)
	fmt.Fprintf(c.stdout, "tiles %d\n", audited.Tiles)
	for _, difference := range audited.Differences {
		fmt.Fprintln(c.stdout, difference)
	}
	if n := len(audited.Differences); n > 0 {
		return rejectedError{fmt.Errorf("%d differences; the first one is %w", n, audited.Differences[0])}
	}
	if a.Checkpoint == "" {
		return nil
	}
	return writeWhole(a.Checkpoint, []byte(audited.Checkpoint.Note))
}

// readDocument reads a file up to one byte more than allowed, by which its parser
// tells that it is too large.
func readDocument(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usageError{err}
	} else if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	return content, errors.Join(err, file.Close())
}

// printVerified prints one field on each line, named as in the documents. The
// forms of the fields make them safe to print.
func printVerified(w io.Writer, v *receipt.Verified) {
	e, d := v.Receipt.Evidence, v.Receipt.Evidence.Declaration
	for _, line := range [][2]string{
		{"verification", e.Verification},
		{"chainId", string(e.ChainID)},
		{"classHash", e.ClassHash},
		{"declaration", fmt.Sprintf("blockNumber %d blockHash %s transactionHash %s compiledClassHash %s", d.BlockNumber, d.BlockHash, d.TransactionHash, d.CompiledClassHash)},
		{"sourceArchiveDigest", e.SourceArchiveDigest},
		{"candidateDigest", e.CandidateDigest},
		{"proofScope", e.ProofScope},
		{"notProofOf", strings.Join(e.NotProofOf, " ")},
		{"jobId", e.JobID},
		{"receiptId", fmt.Sprint(uint64(e.ReceiptID))},
		{"issuedAt", e.IssuedAt},
		{"keyId", v.Key.ID},
		{"environment", string(v.Key.Environment)},
		{"toolchain", v.Key.Toolchain.String()},
		{"receiptDigest", v.ReceiptDigest},
		{"trustRootDigest", v.TrustRootDigest},
	} {
		fmt.Fprintf(w, "%s %s\n", line[0], line[1])
	}
}

// verifyKeys manages the keys that sign receipts. It needs no private key.
type verifyKeys struct {
	List   verifyKeysList   `cmd:"" help:"List the keys, oldest first."`
	Retire verifyKeysRetire `cmd:"" help:"Retire a key: it signs no more, and its receipts stay valid."`
	Revoke verifyKeysRevoke `cmd:"" help:"Revoke a key that may be stolen: none of its receipts is valid any more."`
}

type verifyKeysList struct{ databaseSettings }

// Run lists the keys.
func (k verifyKeysList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, k.databaseSettings, func(db *database) error {
		root, err := signingKeys(db).TrustRoot(ctx)
		if err != nil {
			return err
		}
		for _, key := range root.Keys {
			printSigningKey(c.stdout, key)
		}
		return nil
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
		printSigningKey(c.stdout, *key)
		return nil
	})
}

func signingKeys(db *database) *verify.Keys {
	return verify.NewKeys(verifystore.NewKeys(db.DB), time.Now)
}

func printSigningKey(w io.Writer, k receipt.Key) {
	state := "signs since " + k.NotBefore.Format(time.RFC3339)
	switch {
	case k.RevokedAt != nil:
		state = "revoked at " + k.RevokedAt.Format(time.RFC3339)
	case k.NotAfter != nil:
		state = "retired at " + k.NotAfter.Format(time.RFC3339)
	}
	fmt.Fprintf(w, "%s  %s  %s %s %s  %s\n", k.ID, k.Environment, k.Toolchain.Name, k.Toolchain.Version, k.Toolchain.Digest, state)
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
