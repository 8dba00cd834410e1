package transparency

import (
	"fmt"

	"astrolabe/domain/verify/receipt"
)

// The reasons for which a document of the log is refused, besides those of
// receipts and keys.
const (
	// MalformedCheckpoint is a malformed checkpoint.
	MalformedCheckpoint receipt.Reason = "malformed_checkpoint"
	// MalformedProof is a malformed proof.
	MalformedProof receipt.Reason = "malformed_proof"
	// WrongReceipt is a proof about another receipt.
	WrongReceipt receipt.Reason = "wrong_receipt"
	// WrongTreeSize is a proof about another size of the log than that of its
	// checkpoints.
	WrongTreeSize receipt.Reason = "wrong_tree_size"
	// NotIncluded is a proof that does not lead from the receipt to the root.
	NotIncluded receipt.Reason = "not_included"
	// NotConsistent is a log that does not begin with an earlier state of it.
	NotConsistent receipt.Reason = "not_consistent"
	// WrongTile is a tile that does not have the hashes of the log.
	WrongTile receipt.Reason = "wrong_tile"
)

func refuse(reason receipt.Reason, format string, arguments ...any) error {
	return &receipt.Error{Reason: reason, Message: fmt.Sprintf(format, arguments...)}
}
