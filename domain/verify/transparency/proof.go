package transparency

import (
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
	"astrolabe/strictjson"
)

// MaxProof is the largest proof in bytes. A proof about 2^53 receipts has less
// than 6 KiB.
const MaxProof = 16 << 10

// mostHashes is the largest number of hashes in a proof: one for each level of a
// tree of 2^53 leaves, and one.
const mostHashes = 54

// InclusionProof says that a log of a size has a receipt.
type InclusionProof struct {
	ReceiptID  strictjson.Integer `json:"receiptId"`
	TreeSize   strictjson.Integer `json:"treeSize"`
	Hashes     []string           `json:"hashes"`     // from the leaf to the root, in base64
	Checkpoint string             `json:"checkpoint"` // of that size
}

// ConsistencyProof says that a log of one size begins with the log of a smaller
// one.
type ConsistencyProof struct {
	From       strictjson.Integer `json:"from"`
	To         strictjson.Integer `json:"to"`
	Hashes     []string           `json:"hashes"`     // in base64
	Checkpoint string             `json:"checkpoint"` // of the size To
}

// ParseInclusion reads an inclusion proof, which must have exactly its form. It
// checks neither hashes nor signatures.
func ParseInclusion(data []byte) (*InclusionProof, error) {
	var p InclusionProof
	if err := decode(data, &p); err != nil {
		return nil, err
	}
	if p.ReceiptID < 1 || p.ReceiptID > p.TreeSize {
		return nil, refuse(MalformedProof, "receiptId must be between 1 and treeSize, got %d of %d.", p.ReceiptID, p.TreeSize)
	}
	_, err := parseHashes(p.Hashes)
	return &p, err
}

// ParseConsistency reads a consistency proof, which must have exactly its form. It
// checks neither hashes nor signatures.
func ParseConsistency(data []byte) (*ConsistencyProof, error) {
	var p ConsistencyProof
	if err := decode(data, &p); err != nil {
		return nil, err
	}
	if p.From < 1 || p.From > p.To {
		return nil, refuse(MalformedProof, "from must be between 1 and to, got %d of %d.", p.From, p.To)
	}
	_, err := parseHashes(p.Hashes)
	return &p, err
}

func decode(data []byte, into any) error {
	if len(data) > MaxProof {
		return refuse(MalformedProof, "The proof is larger than %d bytes.", MaxProof)
	}
	if err := strictjson.Decode(data, into); err != nil {
		return refuse(MalformedProof, "The proof is malformed: %v.", err)
	}
	return nil
}

// parseHashes reads hashes, each of which has one spelling.
func parseHashes(texts []string) ([]tlog.Hash, error) {
	if len(texts) > mostHashes {
		return nil, refuse(MalformedProof, "hashes must have at most %d items, got %d.", mostHashes, len(texts))
	}
	hashes := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		var err error
		if hashes[i], err = tlog.ParseHash(text); err != nil || hashes[i].String() != text {
			return nil, refuse(MalformedProof, "hashes[%d] must be a SHA-256 in base64, got %s.", i, domain.Quote(text))
		}
	}
	return hashes, nil
}

// formatHashes is the inverse of parseHashes.
func formatHashes(hashes []tlog.Hash) []string {
	texts := make([]string, len(hashes))
	for i, h := range hashes {
		texts[i] = h.String()
	}
	return texts
}

// record returns the leaf of a receipt.
func record(receiptDigest string) tlog.Hash { return tlog.RecordHash([]byte(receiptDigest)) }

// sameSize returns WrongTreeSize unless a checkpoint is of the size of its proof.
func sameSize(c *Checkpoint, size strictjson.Integer) error {
	if c.Size != int64(size) {
		return refuse(WrongTreeSize, "The proof is for a log of %d receipts, but its checkpoint for one of %d.", size, c.Size)
	}
	return nil
}

// Included is a receipt that a signed state of the log has.
type Included struct {
	*receipt.Verified
	Checkpoint *Checkpoint
}
