package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/secret"
)

func TestWrongSettingsAreRefusedBeforeTheFolderIsCreated(t *testing.T) {
	t.Parallel()
	weak := filepath.Join(t.TempDir(), "weak.key")
	if err := os.WriteFile(weak, []byte(strings.Repeat("00", secret.Size)), 0o600); err != nil {
		t.Fatal(err)
	}
	const schema = "--database-schema must consist of"
	for _, c := range []struct{ flag, want string }{
		{"--master-key-file=" + weak, "the master key is not random"},
		{"--postgres-bin=" + t.TempDir(), "there is no usable Postgres server in"},
		{`--database-schema=a"b`, schema},
		{"--database-schema=a'b", schema},
		{"--database-schema=a-b", schema},
		{"--database-schema=Explorer", schema},
		{"--database-schema=1st", schema},
		{"--database-schema=pg_explorer", schema},
		{"--database-schema=information_schema", schema},
		{"--database-schema=" + strings.Repeat("a", maxIdentifier+1), schema},
	} {
		data := filepath.Join(t.TempDir(), "data")
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"up", "--no-simulate", "--addr=127.0.0.1:0", "--admin-addr=", "--data=" + data, c.flag}, &stdout, &stderr)
		if code != exitUsage || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: got exit code %d and %q, want %d and %q", c.flag, code, &stderr, exitUsage, c.want)
		}
		if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v for the data folder, want none", c.flag, err)
		}
	}
}

func TestEveryCommandWithADatabaseJudgesItsSchema(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"migrate up", "secrets list", "workspaces list", "build", "control --receipt-key-file=" + receiptKey(t)} {
		var stdout, stderr bytes.Buffer
		args := append(strings.Fields(command), "--database-url=postgres://127.0.0.1:1/a", "--database-schema=Explorer")
		if code := run(t.Context(), args, &stdout, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "--database-schema must consist of") {
			t.Errorf("%s: got exit code %d and %q, want %d and an error about --database-schema", command, code, &stderr, exitUsage)
		}
	}
}

// receiptKey creates a key that signs receipts.
func receiptKey(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "receipt-key.pem")
	if err := ensureReceiptKey(file); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAFolderOfAnotherDeploymentGetsNoMasterKey serves a database whose secrets the
// key in another folder encrypts.
func TestAFolderOfAnotherDeploymentGetsNoMasterKey(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	k.types(exitOK, "secrets rotate")
	k.data = t.TempDir()
	for _, command := range []string{"serve --addr=127.0.0.1:0 --admin-addr=", "work --admin-addr=", "up --no-simulate --addr=127.0.0.1:0 --admin-addr=", "secrets rotate", "secrets rotate --master"} {
		k.types(exitUsage, command)
		k.expects(k.stderr.String(), "there is no master key in "+k.data)
		k.expects(k.stderr.String(), "ASTROLABE_MASTER_KEY or --master-key-file")
		if files := listed(t, k.data); len(files) > 0 {
			t.Errorf("%s: got %v in the folder, want it empty", command, files)
		}
	}
}

// listed lists the names in a folder.
func listed(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestSimulatedAndRealChainsNeverMix(t *testing.T) {
	t.Parallel()
	o := newOperator(t) // with SN_MAIN from a node
	data := t.TempDir()
	o.types(exitOK, "secrets rotate --data="+data)
	before := listed(t, data)
	refused := func(command, holds string) {
		t.Helper()
		got := o.types(exitUsage, command+" --admin-addr= --data="+data)
		o.expects(got, "the database holds "+holds)
		o.expects(got, "a deployment has either simulated or real chains")
		o.expects(got, "run: astrolabe rollback --chain SN_MAIN --all --yes")
		if diff := cmp.Diff(before, listed(t, data)); diff != "" {
			t.Errorf("%s: the folder changed (-want +got):\n%s", command, diff)
		}
	}
	for _, chains := range []string{"SN_MAIN", "SN_SEPOLIA", "SN_MAIN,SN_SEPOLIA"} {
		refused("up --addr=127.0.0.1:0 --chains="+chains, "SN_MAIN from a real node")
	}
	o.strikes("UPDATE index_checkpoints SET simulated = true")
	refused("up --addr=127.0.0.1:0 --chains=SN_MAIN", "SN_MAIN from a real node, or from a simulation of another data folder")
	for _, node := range []string{"--node-main=http://127.0.0.1:1", "--node-sepolia=http://127.0.0.1:1"} {
		refused("index "+node, "a simulated SN_MAIN")
		refused("up --addr=127.0.0.1:0 "+node, "a simulated SN_MAIN")
		refused("serve --addr=127.0.0.1:0 "+node, "a simulated SN_MAIN")
		refused("work "+node, "a simulated SN_MAIN")
	}
}

// TestReadinessOfAnIndexerSaysWhyItIsHalted follows a node that does not answer.
func TestReadinessOfAnIndexerSaysWhyItIsHalted(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	p := start(t, []string{"ASTROLABE_DATABASE_URL=" + k.url}, "index", "--data", k.data, "--node-main", "http://127.0.0.1:1", "--admin-addr", "127.0.0.1:0", "--poll", "100ms")
	p.says(t, "msg=ready")
	admin := regexp.MustCompile(`admin=(http://\S+)`).FindStringSubmatch(p.text())
	if admin == nil {
		t.Fatalf("got no admin address, want one in:\n%s", p.text())
	}
	p.until(t, "the reason in /readyz", func() bool {
		_, body := request(t, admin[1]+"/readyz", "")
		return strings.Contains(body, `"failing":["index SN_MAIN: node_unavailable"]`)
	})
}
