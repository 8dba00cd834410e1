package verification

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
)

// Submit verifies a source tree with a service.
type Submit struct {
	Dir string `arg:"" help:"Root of the source tree: the folder of Scarb.toml and Scarb.lock." type:"existingdir"`
	PackageSettings
	URL               string       `help:"URL of the service, such as https://explorer.example." required:"" placeholder:"URL"`
	Chain             domain.Chain `help:"Chain on which the class is declared." default:"SN_MAIN" env:"-"`
	APIKeyFile        string       `help:"Read the API key from this file. Default: the environment variable ASTROLABE_API_KEY." type:"path" placeholder:"FILE"`
	IdempotencyKey    string       `help:"Create the job under this key, or follow the job that was created under it. Default: a random key." env:"-" placeholder:"KEY"`
	Output            string       `help:"Folder to write the receipt, the trust root and the inclusion proof to. Default: the current folder." short:"o" default:"." env:"-" type:"existingdir" placeholder:"DIR"`
	TrustRoot         string       `help:"Verify the receipt against this trust root, which you received over a channel that you trust." env:"-" type:"path" placeholder:"FILE"`
	TrustRootDigest   string       `help:"Refuse a trust root whose file has another SHA-256." env:"-" placeholder:"DIGEST"`
	AllowDemo         bool         `help:"Accept keys for simulated chains." env:"-"`
	CancelOnInterrupt bool         `help:"Cancel the job on Ctrl-C. Default: the job goes on." env:"-"`
}

// Help returns the detailed help text.
func (Submit) Help() string {
	return `Packs the tree, creates a job, uploads the archive, waits until the job has ended, and writes PACKAGE.receipt.json. ` +
		`The package, the target, the artifact id and the module path are those of "verify pack". ` +
		`Creating and uploading are never retried: the idempotency key is printed first, and the same command with --idempotency-key KEY continues with the same job.` + "\n\n" +
		`Without --trust-root the receipt is not authenticated: the trust root of the service itself is written to PACKAGE.trust-root.unpinned.json only to be compared with the one that you receive over a channel that you trust. ` +
		`The proof that the receipt is in the transparency log is written to PACKAGE.inclusion.json if the log has the receipt already.` + "\n\n" +
		`Exit codes: 0 if the job succeeded and, with --trust-root, the receipt is valid, 1 if a request or a file failed, 2 for a usage error or a missing file, ` +
		`3 if the source breaks a rule or the receipt is refused, 4 if the service refused a request, 5 for a mismatch, 6 if the job failed, 7 if it was cancelled, 8 if it expired, ` +
		`9 after Ctrl-C, while the job continues. For 3, 4 and 6, the message begins with a code.`
}

var idempotencyForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// Validate checks the settings before anything starts.
func (s Submit) Validate() error {
	switch {
	case s.Class == nil || s.Package == "" || s.ArtifactID == "" || s.ModulePath == "":
		return errors.New("--class, --package, --artifact-id and --module-path are required")
	case s.IdempotencyKey != "" && !idempotencyForm.MatchString(s.IdempotencyKey):
		return errors.New("--idempotency-key must have 1 to 128 characters from A-Z a-z 0-9 . _ : -")
	case s.TrustRootDigest != "" && s.TrustRoot == "":
		return errors.New("--trust-root-digest needs --trust-root")
	}
	return checkDigest("--trust-root-digest", s.TrustRootDigest)
}

// Run verifies the tree and prints what happened, one field on each line.
func (s Submit) Run(ctx context.Context, c *Console) error {
	submission, err := s.prepare(c)
	if err != nil {
		return err
	}
	return submission.run(ctx)
}

// prepare does what needs no network.
func (s Submit) prepare(c *Console) (*submission, error) {
	key, err := apiKey(s.APIKeyFile)
	if err != nil {
		return nil, err
	}
	service, err := newClient(s.URL, s.Chain, key)
	if err != nil {
		return nil, err
	}
	if exposed(s.URL) {
		c.Logger.Warn("the URL is not https: others on the network can read the API key and the source", "url", s.URL)
	}
	var pinned []byte
	if s.TrustRoot != "" {
		if pinned, err = readTrustRoot(s.TrustRoot, s.TrustRootDigest); err != nil {
			return nil, err
		}
	}
	packed, err := packFolder(s.Dir)
	if err != nil {
		return nil, err
	}
	if s.Target == "" {
		s.Target = s.Package
	}
	found, err := examine(bytes.NewReader(packed), s.Package, s.Target)
	if err != nil {
		return nil, err
	}
	described, err := s.describe(found)
	if err != nil {
		return nil, err
	}
	if s.IdempotencyKey == "" {
		s.IdempotencyKey = rand.Text()
	}
	return &submission{Submit: s, Console: c, service: service, archive: packed, described: described, pinned: pinned, pause: pause}, nil
}

// apiKey reads the key of the workspace. It is no flag, because every user of a
// machine can read the arguments of its processes.
func apiKey(file string) (string, error) {
	key := os.Getenv("ASTROLABE_API_KEY")
	if file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", usage(fmt.Errorf("read the API key: %w", err))
		}
		key = string(content)
	}
	key = strings.TrimSpace(key)
	if key == "" {
		return "", usage(errors.New("an API key is required: set ASTROLABE_API_KEY or --api-key-file"))
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", usage(errors.New("the API key contains characters that are not valid in an API key")) // and must not be printed
	}
	return key, nil
}

// exposed reports whether requests to the URL are readable on a network.
func exposed(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "https" || u.Hostname() == "localhost" {
		return false
	}
	host, err := netip.ParseAddr(u.Hostname())
	return err != nil || !host.IsLoopback()
}

// submission is a tree on its way to a receipt.
type submission struct {
	Submit
	*Console
	service   *client
	archive   []byte
	described verify.Package
	pinned    []byte // the trust root, nil without one
	// pause waits, or returns the error of a context that ends first.
	pause func(context.Context, time.Duration) error
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// field prints a line of the result.
func (s *submission) field(name string, value any) { fmt.Fprintf(s.Stdout, "%s %v\n", name, value) }
