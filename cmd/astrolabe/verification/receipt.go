package verification

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
)

// ReceiptVerify verifies a receipt offline.
type ReceiptVerify struct {
	File string `arg:"" help:"Receipt as JSON." type:"path"`
	trustSettings
	Toolchain string `help:"Refuse keys for toolchains with another digest." env:"-" placeholder:"DIGEST"`
	Inclusion string `help:"Also verify this proof that the transparency log has the receipt: the response of GET /v1/verification/log/inclusion." env:"-" type:"path" placeholder:"FILE"`
}

// trustSettings say what is trusted.
type trustSettings struct {
	TrustRoot       string `help:"Trust root as JSON, which you received over a channel that you trust." required:"" env:"-" type:"path" placeholder:"FILE"`
	TrustRootDigest string `help:"Refuse a trust root whose file has another SHA-256." env:"-" placeholder:"DIGEST"`
	AllowDemo       bool   `help:"Accept keys for simulated chains." env:"-"`
}

// Help returns the detailed help text.
func (ReceiptVerify) Help() string {
	return `Prints what the receipt proves and which key signed it. Digests are sha256: followed by 64 lower-case hexadecimal digits; ` +
		`the printed trustRootDigest is the one to pin with --trust-root-digest.` + "\n\n" +
		`Exit codes: 0 if the receipt is valid, 1 if a file cannot be read, 2 for a usage error or a missing file, 3 if the receipt is refused. ` +
		`The message then begins with the reason: malformed_receipt, malformed_trust_root, trust_root_changed, unknown_key, invalid_signature, demo_key, ` +
		`wrong_toolchain, key_revoked, key_not_yet_valid or key_expired; with --inclusion also malformed_proof, malformed_checkpoint, wrong_receipt, wrong_tree_size or not_included.`
}

// Validate checks the settings before anything starts.
func (v ReceiptVerify) Validate() error {
	return errors.Join(checkDigest("--trust-root-digest", v.TrustRootDigest), checkDigest("--toolchain", v.Toolchain))
}

func checkDigest(flag, digest string) error {
	if digest != "" && !receipt.IsDigest(digest) {
		return fmt.Errorf("%s must be sha256: followed by 64 lower-case hexadecimal digits", flag)
	}
	return nil
}

// Run verifies the receipt and prints what it proves.
func (v ReceiptVerify) Run(c *Console) error {
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
			return rejection(err)
		}
		printVerified(c.Stdout, verified)
		return nil
	}
	proof, err := readDocument(v.Inclusion, transparency.MaxProof)
	if err != nil {
		return err
	}
	included, err := transparency.VerifyInclusion(signed, proof, root, rules)
	if err != nil {
		return rejection(err)
	}
	printVerified(c.Stdout, included.Verified)
	printCheckpoint(c.Stdout, included.Checkpoint)
	return nil
}

// readDocument reads a file up to one byte more than allowed, by which its parser
// tells that it is too large.
func readDocument(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usage(err)
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
