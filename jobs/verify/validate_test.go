package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/archive"
	"astrolabe/jobs"
	work "astrolabe/jobs/verify"
	"astrolabe/repo"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

const (
	manifest = "[package]\nname = \"hello\"\nversion = \"0.1.0\"\n\n[[target.starknet-contract]]\n\n[dependencies]\nstarknet = \"2.8.2\"\n"
	lock     = "version = 1\n\n[[package]]\nname = \"hello\"\nversion = \"0.1.0\"\n"
)

// packed returns the archive of a tree, whose files are given by name and content.
func packed(t *testing.T, files ...string) []byte {
	t.Helper()
	tree := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		tree[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	var out bytes.Buffer
	if err := archive.Pack(&out, tree); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// newJobs returns the service on a database with a declared class, the workspace
// a and a builder.
func newJobs(t *testing.T) (*verify.Jobs, *repo.DB, *pgx.Conn, starknet.Felt) {
	t.Helper()
	db, conn := repotest.Connect(t, repotest.Followed)
	var class starknet.Felt
	if _, err := conn.Exec(t.Context(), "INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now())"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `INSERT INTO verification_builders (id, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'scarb', '2.12.0', 'sha256:00', true, '', '', now() + interval '1 hour')`); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `INSERT INTO verification_controllers (id, key_id, environment, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'ed25519:00', 'demo', 'scarb', '2.12.0', 'sha256:00', true, '', '', '2100-01-01') ON CONFLICT DO NOTHING`); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), "SELECT k.hash FROM classes k JOIN declarations d ON d.chain = k.chain AND d.class = k.id LIMIT 1").Scan(&class); err != nil {
		t.Fatal(err)
	}
	return verify.NewJobs(store.NewJobs(db), chain.NewClasses(onchain.NewClasses(db)), chain.NewStatuses(onchain.NewHeads(db), 0), time.Now), db, conn, class
}

// uploaded creates a job and uploads its source.
func uploaded(t *testing.T, jobs *verify.Jobs, class starknet.Felt, key string, source []byte) string {
	t.Helper()
	sum := sha256.Sum256(source)
	body := fmt.Sprintf(`{"selectedClassHash":"%s","uploadDigest":"sha256:%s","uploadByteLength":%d,"toolchainPolicyId":"service-exact-v25","packageName":"hello",
		"buildProfile":"release","targetName":"hello","targetKind":"starknet-contract","artifactId":"e1p6jp2ak1nmk","modulePath":"hello::Hello",
		"sourceVisibility":"private","retentionPolicyId":"private-24h-v1"}`, class, hex.EncodeToString(sum[:]), len(source))
	caller := &account.Caller{Kind: account.ByKey, Workspace: "a", Permissions: []account.Permission{account.Verify}}
	job, _, err := jobs.Create(t.Context(), domain.Mainnet, caller, key, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if _, committed, err := jobs.Upload(t.Context(), domain.Mainnet, "a", job.ID, int64(len(source)), bytes.NewReader(source)); err != nil || !committed {
		t.Fatalf("got committed %t and %v, want the source committed", committed, err)
	}
	return job.ID
}

// TestUploadedSourceIsValidatedByTheQueue runs the queue with both workers until
// the source of an upload is validated.
func TestUploadedSourceIsValidatedByTheQueue(t *testing.T) {
	t.Parallel()
	service, db, _, class := newJobs(t)
	done := make(chan verify.State, 1)
	service.OnTransition(func(to verify.State) {
		if to == verify.Queued || to == verify.Failed {
			done <- to
		}
	})
	for _, c := range []struct {
		key    string
		source []byte
		want   verify.State
		code   verify.FailureCode
	}{
		{"no lock", packed(t, "Scarb.toml", manifest), verify.Failed, verify.LockfileMissing},
		{"git source", packed(t, "Scarb.lock", lock+"\n[[package]]\nname = \"far\"\nversion = \"1.0.0\"\nsource = \"git+https://far.example/far?rev=1#1\"\n", "Scarb.toml", manifest), verify.Failed, verify.IncompleteOfflineMaterial},
		{"script", packed(t, "Scarb.lock", lock, "Scarb.toml", manifest+"\n[scripts]\nbuild = \"true\"\n"), verify.Failed, verify.SourceRejected},
		{"no archive", []byte("hello"), verify.Failed, verify.ArchiveRejected},
		{"good", packed(t, "Scarb.lock", lock, "Scarb.toml", manifest), verify.Queued, ""},
	} {
		id := uploaded(t, service, class, strings.ReplaceAll(c.key, " ", "-"), c.source)
		logger := slog.New(slog.DiscardHandler)
		schedule := jobs.NewSchedule(logger, telemetry.NewMetrics(),
			(&work.Validate{Jobs: service, Checker: verify.Rules{}}).Job(), (&work.Upkeep{Jobs: service, Logger: logger}).Job())
		got := repotest.AwaitJob(t, db, repo.QueueOptions{Workers: schedule.Workers, Periodic: schedule.Periodic, Logger: logger}, done)
		job, err := service.Of(t.Context(), domain.Mainnet, "a", id)
		if err != nil || got != c.want || job.State != c.want {
			t.Errorf("%s: got %s and %v, want %s", c.key, got, err, c.want)
		}
		if c.code != "" && (job.Failure == nil || job.Failure.Code != c.code) {
			t.Errorf("%s: got the failure %v, want %s", c.key, job.Failure, c.code)
		}
	}
}

func TestUpkeepLogsWhatItChanged(t *testing.T) {
	t.Parallel()
	service, _, conn, class := newJobs(t)
	id := uploaded(t, service, class, "first", packed(t, "Scarb.lock", lock))
	if _, err := conn.Exec(t.Context(), "UPDATE verification_jobs SET source_expires_at = now()"); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	upkeep := &work.Upkeep{Jobs: service, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	for range 2 {
		if err := upkeep.Run(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if want := "expired=0 sourcesDeleted=1 validationsRepeated=0 buildsAbandoned=0"; strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), want) {
		t.Errorf("got the log %s, want one line with %s", &log, want)
	}
	if strings.Contains(log.String(), id) {
		t.Errorf("got the log %s, want no IDs of jobs in it", &log)
	}
}
