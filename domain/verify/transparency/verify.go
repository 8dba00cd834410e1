package transparency

import (
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify/receipt"
	"astrolabe/strictjson"
)

// VerifyInclusion verifies a receipt against a trust root, and that the log whose
// checkpoint is in the proof has it. All three are JSON. It returns a
// *receipt.Error with the first reason for which one of them is not to be trusted.
func VerifyInclusion(signed, proof, trustRoot []byte, rules receipt.Rules) (*Included, error) {
	verified, err := receipt.Verify(signed, trustRoot, rules)
	if err != nil {
		return nil, err
	}
	root, _, err := rules.Open(trustRoot)
	if err != nil {
		return nil, err
	}
	p, err := ParseInclusion(proof)
	if err != nil {
		return nil, err
	}
	checkpoint, hashes, err := openProof(p.Checkpoint, p.TreeSize, p.Hashes, root, rules)
	if err != nil {
		return nil, err
	}
	if id := verified.Receipt.Evidence.ReceiptID; p.ReceiptID != id {
		return nil, refuse(WrongReceipt, "The proof is for the receipt %d, but the receipt is %d.", p.ReceiptID, id)
	}
	if err := tlog.CheckRecord(hashes, checkpoint.Size, checkpoint.Root, int64(p.ReceiptID)-1, record(verified.ReceiptDigest)); err != nil {
		return nil, refuse(NotIncluded, "The hashes do not lead from the receipt %s to the root of the checkpoint: the log has another receipt with the id %d, or the proof was changed.",
			verified.ReceiptDigest, p.ReceiptID)
	}
	return &Included{verified, checkpoint}, nil
}

// openProof returns the checkpoint of a proof about a log of a size, verified, and
// the hashes of the proof.
func openProof(signed string, size strictjson.Integer, texts []string, root *receipt.TrustRoot, rules receipt.Rules) (*Checkpoint, []tlog.Hash, error) {
	hashes, err := parseHashes(texts)
	if err != nil {
		return nil, nil, err
	}
	checkpoint, err := VerifyCheckpoint(signed, root, rules)
	if err != nil {
		return nil, nil, err
	}
	return checkpoint, hashes, sameSize(checkpoint, size)
}

// VerifyConsistency verifies that the log of a proof begins with the log of an
// earlier checkpoint, which the reader has kept. The earlier one only needs a
// valid signature of a listed key: it says what the reader saw, also if its key
// was revoked since. It returns the newer checkpoint.
func VerifyConsistency(earlier string, proof []byte, root *receipt.TrustRoot, rules receipt.Rules) (*Checkpoint, error) {
	old, _, err := verifySignature(earlier, root)
	if err != nil {
		return nil, err
	}
	p, err := ParseConsistency(proof)
	if err != nil {
		return nil, err
	}
	checkpoint, hashes, err := openProof(p.Checkpoint, p.To, p.Hashes, root, rules)
	if err != nil {
		return nil, err
	}
	if err := sameSize(old, p.From); err != nil {
		return nil, err
	}
	if err := tlog.CheckTree(hashes, checkpoint.Size, checkpoint.Root, old.Size, old.Root); err != nil {
		return nil, refuse(NotConsistent, "The hashes do not lead from the log of %d receipts to the one of %d: the log was rewritten, or the proof was changed.", old.Size, checkpoint.Size)
	}
	return checkpoint, nil
}
