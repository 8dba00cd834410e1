package receipt

import "fmt"

// Reason is why a receipt was not signed, or is not to be trusted.
type Reason string

// The reasons of an Error.
const (
	// MalformedReceipt is a receipt that does not have the form of the contract.
	MalformedReceipt Reason = "malformed_receipt"
	// MalformedTrustRoot is a malformed trust root, or one that lists a
	// key twice.
	MalformedTrustRoot Reason = "malformed_trust_root"
	// TrustRootChanged is a trust root with another digest than the pinned one.
	TrustRootChanged Reason = "trust_root_changed"
	// UnknownKey is a receipt of a key that the trust root does not list.
	UnknownKey Reason = "unknown_key"
	// InvalidSignature is a signature that the key did not make for this evidence.
	InvalidSignature Reason = "invalid_signature"
	// DemoKey is a key for simulated chains, where only others are accepted.
	DemoKey Reason = "demo_key"
	// WrongEnvironment is a key for another environment than that of the build.
	WrongEnvironment Reason = "wrong_environment"
	// WrongToolchain is a key for another toolchain than the expected one.
	WrongToolchain Reason = "wrong_toolchain"
	// KeyRevoked is a key that was revoked, whenever the receipt says that it was
	// issued.
	KeyRevoked Reason = "key_revoked"
	// KeyNotYetValid is a receipt that was issued before its key's notBefore.
	KeyNotYetValid Reason = "key_not_yet_valid"
	// KeyExpired is a receipt that was issued after its key's notAfter.
	KeyExpired Reason = "key_expired"
)

// Error is a refusal, and the only error type of Parse, ParseTrustRoot, Sign and
// Verify.
type Error struct {
	// Reason is for programs.
	Reason Reason
	// Message says in whole sentences what is wrong. Texts of the documents are
	// quoted, so that it is safe to print.
	Message string
}

// Error returns the reason and the message.
func (e *Error) Error() string { return string(e.Reason) + ": " + e.Message }

func refuse(reason Reason, format string, arguments ...any) error {
	return &Error{Reason: reason, Message: fmt.Sprintf(format, arguments...)}
}
