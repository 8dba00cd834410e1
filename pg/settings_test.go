package pg

import "testing"

func TestServerIsSizedForTheMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		memory                              uint64
		buffers, cache, maintenance, maxWAL string
	}{
		{256 << 20, "32MB", "128MB", "32MB", "512MB"},
		{4 << 30, "512MB", "2048MB", "128MB", "512MB"},
		{16 << 30, "2048MB", "8192MB", "512MB", "2048MB"},
		{256 << 30, "2048MB", "131072MB", "512MB", "4096MB"},
	} {
		got := settings(c.memory, "")
		if got["shared_buffers"] != c.buffers || got["effective_cache_size"] != c.cache ||
			got["maintenance_work_mem"] != c.maintenance || got["max_wal_size"] != c.maxWAL {
			t.Errorf("%d MB: got %v, want shared_buffers %s and effective_cache_size %s", c.memory>>20, got, c.buffers, c.cache)
		}
	}
}

func TestMachineMemoryIsDetected(t *testing.T) {
	t.Parallel()
	if got := machineMemory(); got < 64<<20 {
		t.Fatalf("got %d bytes, want at least 64 MB", got)
	}
}
