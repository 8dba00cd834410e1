package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/pg/pgtest"
)

// TestWrongValueIsAnsweredWithTheFlagAndWhatIsExpected passes nonsense to the flags
// of up, which has those of the other long-running commands.
func TestWrongValueIsAnsweredWithTheFlagAndWhatIsExpected(t *testing.T) {
	t.Parallel()
	folder := pgtest.Dir(t)
	file, absent := filepath.Join(folder, "file"), filepath.Join(folder, "absent")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	signIn := []string{"--public-url=https://explorer.example", "--oidc-issuer=https://id.example", "--oidc-client-id=me"}
	for _, c := range []struct {
		flag, value, want string
		others            []string
	}{
		{flag: "addr", value: "x", want: `--addr must be HOST:PORT, not "x"`},
		{flag: "addr", value: "x:y", want: `--addr: the port must be a number from 0 to 65535, not "y"`},
		{flag: "admin-addr", value: "x", want: `--admin-addr must be HOST:PORT, not "x"`},
		{flag: "admin-addr", value: "127.0.0.1:18080", want: "--addr and --admin-addr are the same address; choose another port for one of them", others: []string{"--addr=127.0.0.1:18080"}},
		{flag: "builder-database-url", value: "x", want: "--builder-database-url must begin with postgres://"},
		{flag: "builder-database-url-file", value: absent, want: "--builder-database-url-file: " + absent + " does not exist"},
		{flag: "cache-mb", value: "x", want: `--cache-mb: "x" is not a whole number`},
		{flag: "chains", value: "x", want: `--chains: chain must be SN_MAIN or SN_SEPOLIA, got "x".`},
		{flag: "controller-database-url", value: "x", want: "--controller-database-url must begin with postgres://"},
		{flag: "controller-database-url-file", value: absent, want: "--controller-database-url-file: " + absent + " does not exist"},
		{flag: "data", value: file, want: "--data: " + file + " is not a folder"},
		{flag: "database-conns", value: "x", want: `--database-conns: "x" is not a whole number`},
		{flag: "database-conns", value: "1", want: "--database-conns must be from 9 to 1000"},
		{flag: "database-conns", value: "1001", want: "--database-conns must be from 9 to 1000"},
		{flag: "database-direct-url", value: "x", want: "--database-direct-url must begin with postgres://"},
		{flag: "database-direct-url", value: "postgres://x/y", want: "--database-direct-url and --database-read-url need --database-url"},
		{flag: "database-url", value: "x", want: "--database-url must begin with postgres://"},
		{flag: "database-url", value: "postgres://127.0.0.1:1/x", want: "the database cannot be reached: 127.0.0.1:1 does not accept connections"},
		{flag: "database-url", value: "postgres://%zz@x/y", want: "--database-url: the database URL cannot be used: it cannot be parsed; write special characters of its password as percent escapes, such as %40 for @"},
		{flag: "database-url", value: "postgres://x/y?sslmode=z", want: "--database-url: the database URL cannot be used: sslmode is invalid"},
		{flag: "database-url-file", value: absent, want: "--database-url-file: " + absent + " does not exist"},
		{flag: "drain", value: "x", want: `--drain: "x" is not a duration such as 500ms, 15s or 2h`},
		{flag: "drain", value: "-1s", want: "--drain must not be negative"},
		{flag: "from-block", value: "-1", want: `--from-block: "-1" is not a whole number from 0`},
		{flag: "graphql-documents", value: absent, want: "--graphql-documents: " + absent + " does not exist"},
		{flag: "jobs", value: "1.5", want: `--jobs: "1.5" is not a whole number`},
		{flag: "log-format", value: "x", want: `--log-format must be one of "text","json" but got "x"`},
		{flag: "master-key-file", value: absent, want: "--master-key-file: " + absent + " does not exist"},
		{flag: "node-header-file", value: absent, want: "--node-header-file: " + absent + " does not exist"},
		{flag: "node-main", value: "x", want: "--node-main: URL 1 is not a URL with a host, such as https://node.example"},
		{flag: "node-main", value: "http://127.0.0.1:99999", want: `--node-main: URL 1: the port must be a number from 0 to 65535, not "99999"`},
		{flag: "node-sepolia", value: "ftp://x", want: "--node-sepolia: URL 1 (x) is neither http, https, ws nor wss"},
		{flag: "node-rps", value: "x", want: `--node-rps: "x" is not a number`},
		{flag: "node-rps", value: "NaN", want: `--node-rps: "NaN" is not a number`},
		{flag: "node-rps", value: "Inf", want: `--node-rps: "Inf" is not a number`},
		{flag: "oidc-client-secret-file", value: absent, want: "--oidc-client-secret-file: " + absent + " does not exist", others: signIn},
		{flag: "origins", value: "x", want: `--origins: "x" is not an origin such as https://explorer.example`},
		{flag: "postgres-bin", value: absent, want: "--postgres-bin: there is no usable Postgres server in " + absent + ": there is no program " + absent + "/postgres that this user may run"},
		{flag: "privacy-pool", value: "x", want: `--privacy-pool: "x" is not CHAIN=ADDRESS, for example SN_MAIN=0x123`},
		{flag: "receipt-key-file", value: absent, want: "--receipt-key-file: signing key: " + absent + " does not exist"},
		{flag: "simulate-from", value: "x", want: `--simulate-from: "x" is not a time such as 2026-11-17T12:00:00Z`},
		{flag: "simulate-from", value: "2999-01-01T00:00:00Z", want: "--simulate-from must not be in the future"},
		{flag: "trace-endpoint", value: "x", want: "--trace-endpoint must be an http or https URL"},
		{flag: "trusted-proxies", value: "x", want: `--trusted-proxies: "x" is not a network such as 10.0.0.0/8`},
	} {
		t.Run(c.flag+"="+c.value, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"up", "--addr=127.0.0.1:0", "--admin-addr=", "--data=" + filepath.Join(folder, "data"), "--" + c.flag + "=" + c.value}, c.others...)
			var stderr bytes.Buffer
			code := run(t.Context(), args, new(bytes.Buffer), &stderr)
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			got := strings.TrimPrefix(lines[len(lines)-1], "astrolabe: ")
			if got = strings.TrimPrefix(got, "up: "); code == exitOK || got != c.want {
				t.Errorf("got exit code %d and %q, want %q", code, got, c.want)
			}
		})
	}
}
