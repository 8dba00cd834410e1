package repotest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/httpserver"
)

// Long is the template of Followed with values as long as the chain allows:
// calldata of 5,000 felts, event data of 300, and ABIs of 500 KB.
func Long(ctx context.Context, url string) error {
	if err := Followed(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	const felts = `decode(repeat('0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', %d), 'hex')`
	for _, sql := range []string{
		fmt.Sprintf(`UPDATE transactions SET calldata = `+felts, 5000),
		fmt.Sprintf(`UPDATE events SET payload = payload || `+felts, 290),
		`UPDATE classes SET abi = convert_to(repeat('{"type":"x"},', 40000), 'UTF8')`,
	} {
		_, failed := conn.Exec(ctx, sql)
		err = errors.Join(err, failed)
	}
	return errors.Join(err, conn.Close(ctx))
}

// PeakMemory returns the most memory that the process has taken from the system
// while act ran, and had not given back. Garbage is collected as in the program.
func PeakMemory(act func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(httpserver.GCPercent))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(httpserver.SoftMemory))
	debug.FreeOSMemory()
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	done, ended := make(chan struct{}), make(chan uint64)
	go func() {
		peak, tick := uint64(0), time.NewTicker(2*time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(samples)
			peak = max(peak, samples[0].Value.Uint64()-samples[1].Value.Uint64())
			select {
			case <-tick.C:
			case <-done:
				ended <- peak
				return
			}
		}
	}()
	act()
	close(done)
	return <-ended
}
