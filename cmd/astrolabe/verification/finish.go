package verification

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"astrolabe/cmd/astrolabe/wholefile"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
)

// finish prints how a job ended, and reads the receipt of one that succeeded.
func (s *submission) finish(ctx context.Context, j *job) error {
	s.show("")
	s.field("state", j.State)
	switch j.State {
	case verify.Succeeded:
		return s.receive(ctx, j)
	case verify.Mismatch:
		produced := "unknown"
		if j.ProducedClassHash != nil {
			produced = j.ProducedClassHash.String()
		}
		s.field("declaredClassHash", s.described.SelectedClassHash)
		s.field("producedClassHash", produced)
		return &Error{exitMismatch, fmt.Errorf("the source compiles to the class %s, but the declared class is %s", produced, s.described.SelectedClassHash)}
	case verify.Cancelled:
		return &Error{exitCancelled, errors.New("the job was cancelled")}
	case verify.Expired:
		return &Error{exitExpired, errors.New("the job expired before its source arrived; create a new one under another idempotency key")}
	default:
		return s.failed(j)
	}
}

// failed prints the end of the compiler's output and says whether a retry can
// help.
func (s *submission) failed(j *job) error {
	if j.Build != nil && j.Build.LogTail != "" {
		s.Logger.Warn("output of the build", "log", j.Build.LogTail) // the logger quotes it
	}
	retry := "a retry of the same source cannot succeed"
	if j.Retryable {
		retry = "retry it under another idempotency key"
	}
	s.field("failureCode", printable(j.FailureCode))
	s.field("retryable", j.Retryable)
	return &Error{exitFailed, fmt.Errorf("%s: %s (%s)", printable(j.FailureCode), j.FailureMessage, retry)}
}

// receive writes the receipt and verifies as much of it as it can.
func (s *submission) receive(ctx context.Context, j *job) error {
	signed, err := s.service.receipt(ctx, j.ID, receipt.MaxReceipt)
	if err != nil {
		return s.stopped(ctx, "read the receipt", err)
	}
	parsed, err := receipt.Parse(signed)
	if err != nil {
		return rejection(err)
	}
	if err := s.compare(j, &parsed.Evidence); err != nil {
		return err
	}
	if err := s.write("receipt", ".receipt.json", signed); err != nil {
		return err
	}
	s.field("receiptDigest", parsed.Digest())
	proof, err := s.readInclusion(ctx, j)
	if err != nil {
		return err
	}
	published, err := s.service.public(ctx, "/v1/verification/trust-root", receipt.MaxTrustRoot)
	if err != nil {
		s.Logger.Warn("could not read the trust root of the service", "error", err)
	}
	if s.pinned == nil {
		return s.keepUnpinned(published)
	}
	verified, err := receipt.Verify(signed, s.pinned, receipt.Rules{AllowDemo: s.AllowDemo, TrustRootDigest: s.TrustRootDigest})
	if err != nil {
		return rejection(err)
	}
	if published != nil && !bytes.Equal(bytes.TrimSpace(published), bytes.TrimSpace(s.pinned)) {
		s.Logger.Warn("the service publishes a different trust root from the pinned one: if keys were rotated, get the new one over a channel that you trust", "published", digestOf(published))
	}
	if proof != nil {
		included, err := transparency.VerifyInclusion(signed, proof, s.pinned, receipt.Rules{AllowDemo: s.AllowDemo, TrustRootDigest: s.TrustRootDigest})
		if err != nil {
			return rejection(err)
		}
		s.field("treeSize", included.Checkpoint.Size)
	}
	s.field("verified", verified.Receipt.Evidence.Verification)
	s.field("keyId", verified.Key.ID)
	s.field("environment", verified.Key.Environment)
	s.field("trustRootDigest", verified.TrustRootDigest)
	return nil
}

// otherReceipt refuses a receipt that may be valid, but not for this job.
const otherReceipt receipt.Reason = "other_receipt"

// compare checks that the receipt is about this source, class and job.
func (s *submission) compare(j *job, e *receipt.Evidence) error {
	for _, part := range []struct{ field, got, want string }{
		{"jobId", e.JobID, j.ID},
		{"chainId", string(e.ChainID), string(s.Chain)},
		{"classHash", e.ClassHash, s.described.SelectedClassHash.String()},
		{"sourceArchiveDigest", e.SourceArchiveDigest, s.described.UploadDigest},
		{"receiptId", fmt.Sprint(uint64(e.ReceiptID)), fmt.Sprint(j.ReceiptID)},
	} {
		if part.got != part.want {
			return rejection(&receipt.Error{Reason: otherReceipt, Message: fmt.Sprintf("The service returned the wrong receipt: its %s is %q, expected %q.", part.field, part.got, part.want)})
		}
	}
	return nil
}

// keepUnpinned writes the trust root that the service publishes. It proves
// nothing: a service that forges the receipt can publish a matching trust root.
func (s *submission) keepUnpinned(published []byte) error {
	if published == nil {
		return nil
	}
	if err := s.write("unpinnedTrustRoot", ".trust-root.unpinned.json", published); err != nil {
		return err
	}
	s.field("unpinnedTrustRootDigest", digestOf(published))
	s.Logger.Warn("the receipt is not authenticated yet: get the trust root over a channel that you trust, not from the service that issued the receipt, " +
		"and verify with: astrolabe receipt verify RECEIPT --trust-root FILE")
	return nil
}

// inclusionTries is how often the log is asked for a receipt, which it holds
// some seconds after the job has ended.
const inclusionTries = 4

// readInclusion writes and returns the proof that the log holds the receipt, nil
// if it could not be read: the receipt is valid without it. A document that is no
// proof is refused and not written.
func (s *submission) readInclusion(ctx context.Context, j *job) ([]byte, error) {
	path := fmt.Sprintf("/v1/verification/log/inclusion?receiptId=%d", j.ReceiptID)
	for try := range inclusionTries {
		proof, err := s.service.public(ctx, path, transparency.MaxProof)
		if err == nil {
			if _, err := transparency.ParseInclusion(proof); err != nil {
				return nil, rejection(err)
			}
			return proof, s.write("inclusion", ".inclusion.json", proof)
		}
		missing, answered := errors.AsType[*refusal](err)
		if !answered || missing.Status != http.StatusNotFound {
			s.Logger.Warn("could not read the inclusion proof; read it later", "error", err, "url", s.service.base+path)
			return nil, nil
		}
		if try+1 < inclusionTries && s.pause(ctx, pollAfter(j)) != nil {
			break
		}
	}
	s.Logger.Warn("the log does not have the receipt yet; read the inclusion proof later", "url", s.service.base+path)
	return nil, nil //nolint:nilerr // the receipt is valid without it
}

// write writes a document into the output folder and prints its path.
func (s *submission) write(name, suffix string, content []byte) error {
	path := filepath.Join(s.Output, s.Package+suffix)
	if err := wholefile.Write(path, content); err != nil {
		return err
	}
	s.field(name, path)
	return nil
}

func digestOf(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// readTrustRoot reads the pinned trust root before anything is sent.
func readTrustRoot(path, digest string) ([]byte, error) {
	root, err := readDocument(path, receipt.MaxTrustRoot)
	if err != nil {
		return nil, err
	}
	if got := digestOf(root); digest != "" && got != digest {
		return nil, rejection(&receipt.Error{Reason: receipt.TrustRootChanged, Message: fmt.Sprintf("The trust root has the digest %s, but %s is pinned.", got, digest)})
	}
	_, err = receipt.ParseTrustRoot(root)
	return root, rejection(err)
}
