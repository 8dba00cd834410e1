package sim

import (
	"bytes"
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

// BenchmarkBlockWithReceipts measures how fast a bulk block is answered.
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
		if err := recording.Append(n.Head()); err != nil {
			b.Fatal(err)
		}
		if _, err := recording.Block(0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n.Head().Header.EventCount)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
