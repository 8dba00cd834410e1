package model

import (
	"time"

	"github.com/uptrace/bun"

	"astrolabe/starknet"
)

// VerificationKey is a key that signs receipts.
type VerificationKey struct {
	bun.BaseModel `bun:"table:verification_keys,alias:vk"`

	KeyID            string     `bun:"key_id,pk"`
	PublicKey        []byte     `bun:"public_key"`
	Environment      string     `bun:"environment"`
	ToolchainName    string     `bun:"toolchain_name"`
	ToolchainVersion string     `bun:"toolchain_version"`
	ToolchainDigest  string     `bun:"toolchain_digest"`
	NotBefore        time.Time  `bun:"not_before"`
	NotAfter         *time.Time `bun:"not_after"`
	RevokedAt        *time.Time `bun:"revoked_at"`
}

// VerificationController is a process that admits receipts.
type VerificationController struct {
	bun.BaseModel `bun:"table:verification_controllers,alias:vo"`

	ID               string    `bun:"id,pk"`
	KeyID            string    `bun:"key_id"` // empty while it has none
	Environment      string    `bun:"environment"`
	ToolchainName    string    `bun:"toolchain_name"`
	ToolchainVersion string    `bun:"toolchain_version"`
	ToolchainDigest  string    `bun:"toolchain_digest"`
	Ready            bool      `bun:"ready"`
	ReasonCode       string    `bun:"reason_code"` // empty when it is ready
	Reason           string    `bun:"reason"`
	SeenAt           time.Time `bun:"seen_at"`
}

// VerificationReceipt is an admitted receipt.
type VerificationReceipt struct {
	bun.BaseModel `bun:"table:verification_receipts,alias:vr"`

	ReceiptID int64         `bun:"receipt_id,pk"`
	Job       string        `bun:"job"`
	Chain     Chain         `bun:"chain"`
	Class     starknet.Felt `bun:"class"`
	KeyID     string        `bun:"key_id"`
	Digest    string        `bun:"digest"`
	IssuedAt  time.Time     `bun:"issued_at"`
	Body      string        `bun:"body"` // the JSON that was signed
}

// VerificationOutbox is a receipt that the transparency log does not have yet.
type VerificationOutbox struct {
	bun.BaseModel `bun:"table:verification_outbox,alias:vx"`

	ReceiptID int64 `bun:"receipt_id,pk"`
}
