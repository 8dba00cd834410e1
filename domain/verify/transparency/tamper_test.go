package transparency_test

import (
	"bytes"
	"fmt"
	"testing"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
)

// everyChange calls visit with each document that differs in one bit, or lacks one
// byte.
func everyChange(document []byte, visit func(what string, changed []byte)) {
	for i := range document {
		for bit := range 8 {
			changed := bytes.Clone(document)
			changed[i] ^= 1 << bit
			visit(fmt.Sprintf("bit %d of byte %d", bit, i), changed)
		}
		visit(fmt.Sprintf("without byte %d", i), append(bytes.Clone(document[:i]), document[i+1:]...))
	}
}

// The reasons for which any change of a document is refused.
var (
	checkpointReasons = []receipt.Reason{transparency.MalformedCheckpoint, receipt.UnknownKey, receipt.InvalidSignature}
	proofReasons      = append([]receipt.Reason{transparency.MalformedProof, transparency.WrongTreeSize, transparency.WrongReceipt, transparency.NotIncluded}, checkpointReasons...)
	treeReasons       = append([]receipt.Reason{transparency.MalformedProof, transparency.WrongTreeSize, transparency.NotConsistent}, checkpointReasons...)
	receiptReasons    = []receipt.Reason{receipt.MalformedReceipt, receipt.UnknownKey, receipt.InvalidSignature}
)

func TestAnyOtherByteOfAnInclusionIsRefused(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	m, receipts := logOf(t, signer, 7)
	signed, root := text(t, receipts[4]), text(t, rootOf(signer, signerOf("j", 2)))
	proof := text(t, must(transparency.NewLog(m).Inclusion(t.Context(), 5, 0)))
	included, err := transparency.VerifyInclusion(signed, proof, root, receipt.Rules{})
	if err != nil || included.Checkpoint.Size != 7 || included.Receipt.Evidence.ReceiptID != 5 {
		t.Fatalf("got %v and %v, want receipt 5 in a log of 7", included, err)
	}
	pinned := receipt.Rules{TrustRootDigest: included.TrustRootDigest}
	everyChange(proof, func(what string, changed []byte) {
		_, err := transparency.VerifyInclusion(signed, changed, root, pinned)
		expectReason(t, "proof: "+what, err, proofReasons...)
	})
	everyChange(signed, func(what string, changed []byte) {
		_, err := transparency.VerifyInclusion(changed, proof, root, pinned)
		expectReason(t, "receipt: "+what, err, receiptReasons...)
	})
	everyChange(root, func(what string, changed []byte) {
		_, err := transparency.VerifyInclusion(signed, proof, changed, pinned)
		expectReason(t, "trust root: "+what, err, receipt.TrustRootChanged)
	})
}

func TestAnyOtherByteOfAConsistencyProofIsRefused(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	m, _ := logOf(t, signer, 7)
	root, earlier := rootOf(signer, signerOf("j", 2)), must(m.Checkpoint(t.Context(), 3)).Note
	proof := text(t, must(transparency.NewLog(m).Consistency(t.Context(), 3, 7)))
	if _, err := transparency.VerifyConsistency(earlier, proof, root, receipt.Rules{}); err != nil {
		t.Fatal(err)
	}
	everyChange(proof, func(what string, changed []byte) {
		_, err := transparency.VerifyConsistency(earlier, changed, root, receipt.Rules{})
		expectReason(t, "proof: "+what, err, treeReasons...)
	})
	everyChange([]byte(earlier), func(what string, changed []byte) {
		_, err := transparency.VerifyConsistency(string(changed), proof, root, receipt.Rules{})
		expectReason(t, "earlier checkpoint: "+what, err, checkpointReasons...)
		_, err = transparency.VerifyCheckpoint(string(changed), root, receipt.Rules{})
		expectReason(t, "checkpoint: "+what, err, checkpointReasons...)
	})
}

func TestAProofIsOnlyGoodForItsReceiptAndItsSize(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	m, receipts := logOf(t, signer, 7)
	log, root := transparency.NewLog(m), text(t, rootOf(signer))
	proof := must(log.Inclusion(t.Context(), 5, 7))

	_, err := transparency.VerifyInclusion(text(t, receipts[3]), text(t, proof), root, receipt.Rules{})
	expectReason(t, "another receipt", err, transparency.WrongReceipt)

	moved := *proof
	moved.ReceiptID = 4
	_, err = transparency.VerifyInclusion(text(t, receipts[3]), text(t, moved), root, receipt.Rules{})
	expectReason(t, "another receipt with its id", err, transparency.NotIncluded)

	old := *proof
	old.Checkpoint = must(m.Checkpoint(t.Context(), 6)).Note
	_, err = transparency.VerifyInclusion(text(t, receipts[4]), text(t, old), root, receipt.Rules{})
	expectReason(t, "the checkpoint of another size", err, transparency.WrongTreeSize)

	fork, _ := logOf(t, signer, 4)
	fork.grow(t, signer, receipts[0].Digest(), receipts[5].Digest(), receipts[6].Digest())
	_, err = transparency.VerifyInclusion(text(t, receipts[4]), text(t, must(transparency.NewLog(fork).Inclusion(t.Context(), 5, 7))), root, receipt.Rules{})
	expectReason(t, "the proof of a fork", err, transparency.NotIncluded)

	earlier := must(m.Checkpoint(t.Context(), 6)).Note
	_, err = transparency.VerifyConsistency(earlier, text(t, must(transparency.NewLog(fork).Consistency(t.Context(), 6, 7))), rootOf(signer), receipt.Rules{})
	expectReason(t, "a fork", err, transparency.NotConsistent)
	_, err = transparency.VerifyConsistency(earlier, text(t, must(log.Consistency(t.Context(), 5, 7))), rootOf(signer), receipt.Rules{})
	expectReason(t, "a proof from another size", err, transparency.WrongTreeSize)
}
