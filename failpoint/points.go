package failpoint

// The points that a start of the program passes.
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

// The points that the index passes while it follows a chain.
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

// Indexing lists every point that an index passes which loads, follows and
// undoes blocks.
var Indexing = []string{
	IndexBegun, RangeOpened, RangeSealed, RangeIndexed, RangeReady,
	CommitRows, CommitCheckpoint, CommitDone, UndoRows, UndoCheckpoint,
}

// The points that are passed while facts are made again.
const (
	RewriteRows     = "rewrite.rows"
	RewriteSchemas  = "rewrite.schemas"
	RewriteLocators = "rewrite.locators"
	RewriteVersions = "rewrite.versions"
)

// Rederiving lists every point that is passed while facts are made again.
var Rederiving = []string{RewriteRows, RewriteSchemas, RewriteLocators, RewriteVersions}

// The points that are passed while transfers are summed up.
const (
	SumsAdded      = "sums.added"
	SumsCheckpoint = "sums.checkpoint"
)

// Summing lists every point that is passed while transfers are summed up.
var Summing = []string{SumsAdded, SumsCheckpoint}

// The points that a holder census passes.
const (
	CensusCounted   = "census.counted"   // rows are staged inside their transaction
	CensusStaged    = "census.staged"    // they are committed, and nobody sees them
	CensusPublished = "census.published" // the generation is written, not yet committed
)

// Counting lists every point that a holder census passes.
var Counting = []string{CensusCounted, CensusStaged, CensusPublished}

// Startup lists every point that a first start passes.
var Startup = []string{
	PostgresLock, PostgresInitdb, PostgresInitdbDone, PostgresStart, PostgresReady,
	MasterKeyWritten, MigrateLocked, MigrateInside, MigrateApplied, MigrateQueue,
	SecretCreated, ServeListening, ServeReady,
}
