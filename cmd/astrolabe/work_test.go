package main

import (
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/pg/pgtest"
)

// TestUpReadsTheMetadataOfItsTokens shows that the workers of up are given its
// simulated nodes.
func TestUpReadsTheMetadataOfItsTokens(t *testing.T) {
	t.Parallel()
	data := filepath.Join(pgtest.Dir(t), "data")
	p := start(t, nil, append([]string{"up", "--data", data, "--poll", "100ms", "--chains", string(domain.Sepolia)}, anyPort...)...)
	p.ready(t)
	metrics := readDemo(t, data).AdminURL + "/metrics"
	for _, want := range []string{
		`astrolabe_sql_statements_total{name="token.describe",outcome="ok"}`,
		`astrolabe_jobs_total{kind="token_metadata",outcome="ok"}`,
	} {
		p.until(t, "there is "+want, func() bool { return strings.Contains(get(t, metrics), want) })
	}
	if code := p.stop(t); code != 0 {
		t.Errorf("exit code %d:\n%s", code, p.text())
	}
}
