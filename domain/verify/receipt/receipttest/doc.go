// Package receipttest is a second verifier of receipts for tests, written from the
// contract. It uses nothing of this module, so that both verifiers agree only if
// both are right.
package receipttest
