package verify

// FailureCode is the machine-readable reason why a job failed.
type FailureCode string

// The reasons. A mismatch carries ClassHashMismatch.
const (
	ArchiveRejected           FailureCode = "archive_rejected"                  // the container breaks a rule
	SourceRejected            FailureCode = "source_rejected"                   // the source tree breaks a rule
	LockfileMissing           FailureCode = "lockfile_missing"                  // the tree has no Scarb.lock
	IncompleteOfflineMaterial FailureCode = "incomplete_offline_material"       // a dependency is not in the tree
	UnsupportedToolchain      FailureCode = "unsupported_toolchain"             // the pinned toolchain cannot build it exactly
	BuildFailed               FailureCode = "build_failed"                      // the compiler refused the source
	BuildLimitExceeded        FailureCode = "build_limit_exceeded"              // the build exceeded a resource limit
	ClassHashMismatch         FailureCode = "class_hash_mismatch"               // the build gave another class
	DispatchFailed            FailureCode = "verifier_dispatch_failed"          // the service could not process the job in time
	SigningFailed             FailureCode = "receipt_signing_failed"            // the receipt could not be signed
	DeclarationUnavailable    FailureCode = "finalized_declaration_unavailable" // the declaration is not final yet
)

// FailureCodes lists every reason.
var FailureCodes = []FailureCode{
	ArchiveRejected, SourceRejected, LockfileMissing, IncompleteOfflineMaterial, UnsupportedToolchain,
	BuildFailed, BuildLimitExceeded, ClassHashMismatch, DispatchFailed, SigningFailed, DeclarationUnavailable,
}

// Retryable reports whether a new job with the same source can succeed. The
// others fail again until the source or the package is changed.
func (f FailureCode) Retryable() bool {
	return f == DispatchFailed || f == SigningFailed || f == DeclarationUnavailable
}

// Failure is why a job failed. It is the only error that ends a job; workers
// repeat their work after every other one.
type Failure struct {
	Code FailureCode
	// Message tells the owner of the job what happened and what to change.
	Message string
}

// Error implements error.
func (f *Failure) Error() string { return string(f.Code) + ": " + f.Message }
