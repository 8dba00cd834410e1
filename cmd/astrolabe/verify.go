package main

import "astrolabe/cmd/astrolabe/verification"

// verifyCommand verifies contracts, and manages the keys that sign receipts.
type verifyCommand struct {
	Pack      verification.Pack   `cmd:"" help:"Pack a source tree into a deterministic archive, if it breaks no rule."`
	Check     verification.Check  `cmd:"" help:"Check a source archive, or a source tree, against every rule."`
	Submit    verification.Submit `cmd:"" help:"Verify a source tree with a service, and fetch the receipt."`
	Keys      verifyKeys          `cmd:"" help:"List, retire and revoke the keys that sign receipts."`
	TrustRoot verifyTrustRoot     `cmd:"" help:"Print the trust root: the public keys that sign receipts."`
}

// receiptCommand works on verification receipts.
type receiptCommand struct {
	Verify verification.ReceiptVerify `cmd:"" help:"Verify a receipt against a trust root, offline."`
	Audit  verification.ReceiptAudit  `cmd:"" help:"Check the whole transparency log of receipts of a service."`
}
