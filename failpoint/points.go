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

// Startup lists every point that a first start passes.
var Startup = []string{
	PostgresLock, PostgresInitdb, PostgresInitdbDone, PostgresStart, PostgresReady,
	MasterKeyWritten, MigrateLocked, MigrateInside, MigrateApplied, MigrateQueue,
	SecretCreated, ServeListening, ServeReady,
}
