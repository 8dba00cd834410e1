package telemetry

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// runtimeReading is a measurement of the Go runtime: the sum of some of those
// that runtime/metrics has. The names are those that dashboards for Go know.
type runtimeReading struct {
	kind, name, help string
	sources          []string
}

var runtimeReadings = []runtimeReading{
	{"gauge", "go_gc_gogc_percent", "Growth of the heap at which the collector runs (GOGC).", []string{"/gc/gogc:percent"}},
	{"gauge", "go_gc_gomemlimit_bytes", "Memory that the runtime tries to stay under (GOMEMLIMIT).", []string{"/gc/gomemlimit:bytes"}},
	{"gauge", "go_sched_gomaxprocs_threads", "Threads that may run Go code at once (GOMAXPROCS).", []string{"/sched/gomaxprocs:threads"}},
	{"gauge", "go_memstats_alloc_bytes", "Bytes of objects on the heap.", []string{heapObjects}},
	{"counter", "go_memstats_alloc_bytes_total", "Bytes ever allocated on the heap.", []string{"/gc/heap/allocs:bytes"}},
	{"counter", "go_memstats_mallocs_total", "Objects ever allocated on the heap.", []string{"/gc/heap/allocs:objects", tinyAllocs}},
	{"counter", "go_memstats_frees_total", "Objects ever freed.", []string{"/gc/heap/frees:objects", tinyAllocs}},
	{"gauge", "go_memstats_sys_bytes", "Bytes obtained from the system.", []string{"/memory/classes/total:bytes"}},
	{"gauge", "go_memstats_heap_alloc_bytes", "Bytes of objects on the heap.", []string{heapObjects}},
	{"gauge", "go_memstats_heap_sys_bytes", "Bytes of the heap obtained from the system.", []string{heapObjects, heapUnused, heapReleased, heapFree}},
	{"gauge", "go_memstats_heap_idle_bytes", "Bytes of the heap in which there are no objects.", []string{heapReleased, heapFree}},
	{"gauge", "go_memstats_heap_inuse_bytes", "Bytes of the heap in which there are objects, with the gaps between them.", []string{heapObjects, heapUnused}},
	{"gauge", "go_memstats_heap_released_bytes", "Bytes of the heap given back to the system.", []string{heapReleased}},
	{"gauge", "go_memstats_heap_objects", "Objects on the heap.", []string{"/gc/heap/objects:objects"}},
	{"gauge", "go_memstats_stack_inuse_bytes", "Bytes of goroutines' stacks.", []string{heapStacks}},
	{"gauge", "go_memstats_stack_sys_bytes", "Bytes of all stacks, those of threads included.", []string{heapStacks, "/memory/classes/os-stacks:bytes"}},
	{"gauge", "go_memstats_mspan_inuse_bytes", "Bytes in use for the heap's spans.", []string{spansInUse}},
	{"gauge", "go_memstats_mspan_sys_bytes", "Bytes obtained for the heap's spans.", []string{spansInUse, "/memory/classes/metadata/mspan/free:bytes"}},
	{"gauge", "go_memstats_mcache_inuse_bytes", "Bytes in use for the allocator's caches.", []string{cachesInUse}},
	{"gauge", "go_memstats_mcache_sys_bytes", "Bytes obtained for the allocator's caches.", []string{cachesInUse, "/memory/classes/metadata/mcache/free:bytes"}},
	{"gauge", "go_memstats_buck_hash_sys_bytes", "Bytes of the profiler's table.", []string{"/memory/classes/profiling/buckets:bytes"}},
	{"gauge", "go_memstats_gc_sys_bytes", "Bytes of the collector's own data.", []string{"/memory/classes/metadata/other:bytes"}},
	{"gauge", "go_memstats_other_sys_bytes", "Bytes of the runtime's other data.", []string{"/memory/classes/other:bytes"}},
	{"gauge", "go_memstats_next_gc_bytes", "Size of the heap at which the collector runs next.", []string{"/gc/heap/goal:bytes"}},
}

const (
	heapObjects  = "/memory/classes/heap/objects:bytes"
	heapUnused   = "/memory/classes/heap/unused:bytes"
	heapReleased = "/memory/classes/heap/released:bytes"
	heapFree     = "/memory/classes/heap/free:bytes"
	heapStacks   = "/memory/classes/heap/stacks:bytes"
	tinyAllocs   = "/gc/heap/tiny/allocs:objects"
	spansInUse   = "/memory/classes/metadata/mspan/inuse:bytes"
	cachesInUse  = "/memory/classes/metadata/mcache/inuse:bytes"
)

// writeRuntime adds the measurements of the Go runtime to a page. It does not
// stop the program to take them.
func writeRuntime(p *page) {
	for _, r := range runtimeReadings {
		samples := make([]metrics.Sample, len(r.sources))
		for i, source := range r.sources {
			samples[i].Name = source
		}
		metrics.Read(samples)
		var sum float64
		for _, sample := range samples {
			if sample.Value.Kind() == metrics.KindUint64 {
				sum += float64(sample.Value.Uint64())
			}
		}
		p.reading(r.kind, r.name, r.help, sum)
	}
	p.reading("gauge", "go_goroutines", "Goroutines that exist.", float64(runtime.NumGoroutine()))
	threads, _ := runtime.ThreadCreateProfile(nil)
	p.reading("gauge", "go_threads", "Threads that the runtime has started.", float64(threads))
	p.head("go_info", "The version of Go that built the program.", "gauge")
	p.line("go_info", 1, "version", runtime.Version())
	writeCollections(p)
}

// writeCollections adds what the garbage collector did.
func writeCollections(p *page) {
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	const pauses = "go_gc_duration_seconds"
	p.head(pauses, "How long collections of garbage stopped the program.", "summary")
	for i, pause := range stats.PauseQuantiles {
		p.line(pauses, pause.Seconds(), "quantile", number(float64(i)/4))
	}
	p.line(pauses+"_sum", stats.PauseTotal.Seconds())
	p.line(pauses+"_count", float64(stats.NumGC))
	var last float64
	if stats.NumGC > 0 {
		last = float64(stats.LastGC.UnixNano()) / 1e9
	}
	p.reading("gauge", "go_memstats_last_gc_time_seconds", "When the last collection of garbage ended, in seconds since 1970.", last)
}
