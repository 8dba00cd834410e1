package verify

import (
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// refuses returns why the controller must not decide on a job of a chain: its key
// may have ended since the pass began. It returns nil if it may.
func (c *Controller) refuses(chain domain.Chain, a *Admission) *Refusal {
	if a.Key == nil {
		return &Refusal{string(receipt.UnknownKey), "The signing key " + c.key.ID + " is not registered."}
	}
	if refusal := c.fits(a.Key); refusal != nil {
		return refusal
	}
	return mayVouch(c.environment, chain, a.Genesis)
}

// examine computes the class hash of a candidate, which can take a second and is
// done before the job is locked. It returns what decides on the job.
func (c *Controller) examine(candidate *Candidate) func(*Admission) *Verdict {
	class, err := parseCandidate(candidate.Class)
	if err != nil {
		return always(failed(nil, DispatchFailed, "The builder delivered no class that can be read. Create a new job with the same source under a new idempotency key."))
	}
	produced, selected := class.Hash(), candidate.Package.SelectedClassHash
	if produced != selected {
		return always(&Verdict{State: Mismatch, Produced: &produced, Failure: &Failure{ClassHashMismatch,
			fmt.Sprintf("The source gives class %s, but the package selects %s. Check that source, target and compiler version are those of the declaration.", produced, selected)}})
	}
	digest, err := receipt.CandidateDigest(class)
	if err != nil {
		return always(failed(&produced, SigningFailed, "The class has no canonical form, so no receipt can be signed for it."))
	}
	return func(a *Admission) *Verdict { return c.admit(candidate, produced, digest, a) }
}

// admit decides on a candidate that has the selected class hash.
func (c *Controller) admit(candidate *Candidate, produced starknet.Felt, digest string, a *Admission) *Verdict {
	if fault := historyFault(a.History, Comparing); fault != "" {
		return failed(&produced, SigningFailed, "The receipt was not signed, because the job's history is not that of a build: "+fault+". "+
			"Tell the operator of this service to run astrolabe fsck, and create a new job with the same source under a new idempotency key.")
	}
	if created := a.History[0].At; a.Now.Before(created) {
		return failed(&produced, SigningFailed, "The receipt was not signed, because it would be dated before the job was created: the job was created at "+created.Format(time.RFC3339)+", but the clock of the controller or of the database says "+
			a.Now.Format(time.RFC3339)+". Tell the operator of this service, and create a new job with the same source under a new idempotency key later.")
	}
	if failure := a.Declaration.usable(produced); failure != nil {
		return &Verdict{State: Failed, Failure: failure, Produced: &produced}
	}
	signed, err := c.sign(candidate, digest, a)
	if err != nil {
		return failed(&produced, SigningFailed, "The class was reproduced, but no receipt could be signed, so nothing was published. "+
			"Tell the operator of this service, or create a new job with the same source under a new idempotency key later. "+reasonOf(err))
	}
	return &Verdict{State: Succeeded, Produced: &produced, Receipt: signed}
}

// usable returns why a receipt cannot name the declaration, nil if it can.
func (d *Declaration) usable(class starknet.Felt) *Failure {
	refuse := func(format string, args ...any) *Failure {
		return &Failure{DeclarationUnavailable, fmt.Sprintf(format, args...) + " Create a new job with the same source under a new idempotency key later."}
	}
	switch {
	case d == nil:
		return refuse("No indexed block declares class %s now. Its declaration was undone by a reorg.", class)
	case !d.Final:
		return refuse("Class %s was declared in block %d, which is not final yet.", class, d.Block.Number)
	case d.TxHash == nil || d.Compiled == nil:
		return refuse("The index does not know which transaction declared class %s in block %d.", class, d.Block.Number)
	}
	return nil
}

// sign signs the receipt of an admission, with a key that refuses has accepted. It
// is dated by the clocks of the controller and the database, and never by a time
// that a builder wrote.
func (c *Controller) sign(candidate *Candidate, digest string, a *Admission) (*receipt.Receipt, error) {
	return receipt.Sign(receipt.Evidence{
		JobID: candidate.JobID, ChainID: candidate.Chain, ClassHash: candidate.Package.SelectedClassHash.String(), ReceiptID: strictjson.Integer(a.ReceiptID),
		SourceArchiveDigest: candidate.Package.UploadDigest, CandidateDigest: digest,
		Declaration: receipt.Declaration{
			BlockNumber: strictjson.Integer(a.Declaration.Block.Number), BlockHash: a.Declaration.Block.Hash.String(),
			TransactionHash: a.Declaration.TxHash.String(), CompiledClassHash: a.Declaration.Compiled.String(),
		},
		IssuedAt: a.Now.Format(time.RFC3339Nano),
	}, c.environment, receipt.Toolchain(candidate.Toolchain), *a.Key, c.key.Private)
}

func always(v *Verdict) func(*Admission) *Verdict { return func(*Admission) *Verdict { return v } }

func failed(produced *starknet.Felt, code FailureCode, message string) *Verdict {
	return &Verdict{State: Failed, Produced: produced, Failure: &Failure{code, message}}
}
