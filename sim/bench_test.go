package sim

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"astrolabe/sim/chain"
)

// BenchmarkBulk measures how fast a bulk chain grows.
func BenchmarkBulk(b *testing.B) {
	n := testNode(b, Config{Blocks: 20, Profile: Bulk(2000), Window: 16})
	events := uint64(0)
	for b.Loop() {
		if err := n.Mine(1); err != nil {
			b.Fatal(err)
		}
		events += n.Head().Header.EventCount
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkBlockWithReceipts measures how fast a bulk block is served.
func BenchmarkBlockWithReceipts(b *testing.B) {
	n := testNode(b, Config{Blocks: 20, Profile: Bulk(2000), Window: 16})
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"starknet_getBlockWithReceipts","params":["latest"]}`)
	for b.Loop() {
		w := httptest.NewRecorder()
		n.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/", bytes.NewReader(request)))
		b.SetBytes(int64(w.Body.Len()))
	}
	b.ReportMetric(float64(n.Head().Header.EventCount)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkRecord measures how fast a bulk block is written and read again.
func BenchmarkRecord(b *testing.B) {
	n := testNode(b, Config{Blocks: 20, Profile: Bulk(2000), Window: 16})
	recording, err := chain.CreateRecording(filepath.Join(b.TempDir(), "chain"), chain.About{Chain: "SN_MAIN"})
	if err != nil {
		b.Fatal(err)
	}
	defer recording.Close()
	for b.Loop() {
		if err := recording.Append(chain.Entry{Block: n.Head()}); err != nil {
			b.Fatal(err)
		}
		if _, err := recording.Block(0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n.Head().Header.EventCount)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkRendered measures how fast a bulk block is served from a file, over
// a connection whose other end discards it.
func BenchmarkRendered(b *testing.B) {
	n := testNode(b, Config{Blocks: 20, Profile: Bulk(2000), Rendered: b.TempDir()})
	c := connect(b, n)
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"starknet_getBlockWithReceipts","params":[{"block_number":20}]}`)
	for b.Loop() {
		response, err := http.Post(c.url, "application/json", bytes.NewReader(request))
		if err != nil {
			b.Fatal(err)
		}
		size, err := io.Copy(io.Discard, response.Body)
		if err != nil {
			b.Fatal(err)
		}
		response.Body.Close()
		b.SetBytes(size)
	}
	b.ReportMetric(float64(n.Head().Header.EventCount)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkResume measures how fast a chain is resumed from its file.
func BenchmarkResume(b *testing.B) {
	config := Config{Blocks: 1000, State: filepath.Join(b.TempDir(), "state")}
	n := testNode(b, config)
	if err := n.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := testNode(b, config).Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(config.Blocks)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
}
