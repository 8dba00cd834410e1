package failpoint

// The points of startup.
const (
	PostgresLock       = "postgres.lock"
	PostgresInitdb     = "postgres.initdb"
	PostgresInitdbDone = "postgres.initdb-done"
	PostgresStart      = "postgres.start"
	PostgresReady      = "postgres.ready"
	MasterKeyWritten   = "master.written"
	MigrateLocked      = "migrate.locked"
	MigrateInside      = "migrate.inside"
	MigrateApplied     = "migrate.applied"
	MigrateQueue       = "migrate.queue"
	SecretCreated      = "secret.created"
	ServeListening     = "serve.listening"
	ServeReady         = "serve.ready"
)

// The points of indexing.
const (
	IndexBegun       = "index.begun"
	RangeOpened      = "range.opened"
	RangeSealed      = "range.sealed"
	RangeIndexed     = "range.indexed"
	RangeReady       = "range.ready"
	CommitRows       = "commit.rows"
	CommitCheckpoint = "commit.checkpoint"
	CommitDone       = "commit.done"
	UndoRows         = "undo.rows"
	UndoCheckpoint   = "undo.checkpoint"
)

// Indexing lists every point that an indexer passes while it loads, follows and
// undoes blocks.
var Indexing = []string{
	IndexBegun, RangeOpened, RangeSealed, RangeIndexed, RangeReady,
	CommitRows, CommitCheckpoint, CommitDone, UndoRows, UndoCheckpoint,
}

// The points of rederiving.
const (
	RewriteRows     = "rewrite.rows"
	RewriteSchemas  = "rewrite.schemas"
	RewriteLocators = "rewrite.locators"
	RewriteVersions = "rewrite.versions"
)

// Rederiving lists every point of rederiving.
var Rederiving = []string{RewriteRows, RewriteSchemas, RewriteLocators, RewriteVersions}

// The points of summing up transfers.
const (
	SumsAdded      = "sums.added"
	SumsCheckpoint = "sums.checkpoint"
)

// Summing lists every point of summing up transfers.
var Summing = []string{SumsAdded, SumsCheckpoint}

// The points of extending a flow ledger.
const (
	LedgerRows  = "ledger.rows"
	LedgerMoved = "ledger.moved"
)

// Extending lists every point of extending a flow ledger.
var Extending = []string{LedgerRows, LedgerMoved}

// The points of building a holder census.
const (
	CensusCounted   = "census.counted"   // rows are staged inside their transaction
	CensusStaged    = "census.staged"    // they are committed, but not visible
	CensusPublished = "census.published" // the generation is written, not yet committed
)

// Counting lists every point of building a holder census.
var Counting = []string{CensusCounted, CensusStaged, CensusPublished}

// The points of verification jobs. Those of a change have the new state as their
// suffix, or what else the change does.
const (
	VerifyAdding   = "verify.adding"    // a job is inserted, not yet committed
	VerifyAdded    = "verify.added"     // it is committed, not yet answered
	VerifyCopied   = "verify.copied"    // the pieces of a source are copied, not yet committed
	VerifyChanging = "verify.changing." // a change is written, not yet committed
	VerifyChanged  = "verify.changed."  // it is committed, not yet answered
	VerifyChecked  = "verify.checked"   // a source was checked, and nothing is written yet
	VerifyCompared = "verify.compared"  // a built class was compared, and nothing is written yet
)

// The suffixes of a change that leaves the state as it is.
const (
	VerifyDeleteSource = "delete_source"
	VerifyRepeat       = "repeat"
	VerifyLease        = "lease" // a lease is taken over or given back
)

// Verifying lists every point of intake, validation and upkeep.
var Verifying = []string{
	VerifyAdding, VerifyAdded, VerifyCopied, VerifyChanging + "validating", VerifyChanged + "validating",
	VerifyChanging + "cancelled", VerifyChanged + "cancelled",
	VerifyChecked, VerifyChanging + "queued", VerifyChanged + "queued", VerifyChanging + "failed", VerifyChanged + "failed",
	VerifyChanging + "expired", VerifyChanged + "expired",
	VerifyChanging + VerifyDeleteSource, VerifyChanged + VerifyDeleteSource, VerifyChanging + VerifyRepeat, VerifyChanged + VerifyRepeat,
}

// The points of adding receipts to the transparency log.
const (
	LogGrowing = "log.growing" // hashes and checkpoint are written, not yet committed
	LogGrown   = "log.grown"   // they are committed
)

// Integrating lists every point of adding receipts to the transparency log.
var Integrating = []string{LogGrowing, LogGrown}

// VerifyBuilt is the point at which a source was built, and nothing is written
// yet.
const VerifyBuilt = "verify.built"

// Building lists every point of a builder.
var Building = []string{
	VerifyChanging + "building", VerifyChanged + "building", VerifyChanging + VerifyLease, VerifyChanged + VerifyLease, VerifyBuilt,
	VerifyChanging + "comparing", VerifyChanged + "comparing", VerifyChanging + "failed", VerifyChanged + "failed",
}

// Admitting lists every point of admitting a receipt.
var Admitting = []string{VerifyCompared, VerifyChanging + "succeeded", VerifyChanged + "succeeded"}

// The points of proof jobs. Those of a change have the new status as their suffix,
// or the new state of the result.
const (
	ProveAdmitting = "prove.admitting" // a job is queued, not yet committed
	ProveAdmitted  = "prove.admitted"  // it is committed, not yet in memory
	ProveChanging  = "prove.changing." // a change is written, not yet committed
	ProveChanged   = "prove.changed."  // it is committed, and nothing has followed yet
)

// Proving lists every point of submission, dispatch and delivery.
var Proving = []string{
	ProveAdmitting, ProveAdmitted, ProveChanging + "dispatched", ProveChanged + "dispatched",
	ProveChanging + "succeeded", ProveChanged + "succeeded", ProveChanging + "failed", ProveChanged + "failed",
	ProveChanging + "unavailable", ProveChanged + "unavailable", ProveChanging + "unknown_delivery", ProveChanged + "unknown_delivery",
	ProveChanging + "delivered", ProveChanged + "delivered",
}

// The points of replacing the master key.
const (
	MasterNextWritten = "master.next-written" // the new key is on disk, beside the old one
	SecretResealed    = "secret.resealed"     // one secret is resealed, not yet committed
	MasterResealed    = "master.resealed"     // all secrets are, and the old key is still in place
)

// Resealing lists every point of replacing the master key.
var Resealing = []string{MasterNextWritten, SecretResealed, MasterResealed}

// Startup lists every point of the first startup.
var Startup = []string{
	PostgresLock, PostgresInitdb, PostgresInitdbDone, PostgresStart, PostgresReady,
	MigrateLocked, MigrateInside, MigrateApplied, MigrateQueue,
	MasterKeyWritten, SecretCreated, ServeListening, ServeReady,
}
