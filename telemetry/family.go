package telemetry

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// family is one metric with its series, one for each combination of values of
// its labels.
type family struct {
	name, help, kind string
	labels           []string
	bounds           []float64 // upper bounds of a histogram's buckets

	mu     sync.RWMutex
	series map[values]*series
}

// values are the values of a family's labels, in their order; a family with
// fewer labels leaves the last ones empty.
type values [3]string

// series is one line of a counter or gauge, or one histogram.
type series struct {
	mu      sync.Mutex
	value   float64  // the count or gauge; a histogram's sum
	buckets []uint64 // observations by bucket, the last one without a bound
}

func newFamily(kind, name, help string, labels ...string) *family {
	return &family{name: namespace + name, help: help, kind: kind, labels: labels, series: map[values]*series{}}
}

// at returns the series of the given values, new when they are.
func (f *family) at(v values) *series {
	f.mu.RLock()
	s, known := f.series[v]
	f.mu.RUnlock()
	if known {
		return s
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s, known = f.series[v]; !known {
		s = f.empty()
		f.series[v] = s
	}
	return s
}

// replace sets the only series whose first label has the first of the given
// values, so that no reader sees none of them or two.
func (f *family) replace(v values, value float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.series, func(other values, _ *series) bool { return other[0] == v[0] })
	f.series[v] = f.empty()
	f.series[v].value = value
}

func (f *family) empty() *series {
	if f.bounds == nil {
		return &series{}
	}
	return &series{buckets: make([]uint64, len(f.bounds)+1)}
}

// inc counts one.
func (f *family) inc(v values) { f.add(v, 1) }

// add counts several.
func (f *family) add(v values, n float64) {
	s := f.at(v)
	s.mu.Lock()
	s.value += n
	s.mu.Unlock()
}

// set records a gauge's value.
func (f *family) set(v values, value float64) {
	s := f.at(v)
	s.mu.Lock()
	s.value = value
	s.mu.Unlock()
}

// observe adds a measurement to a histogram.
func (f *family) observe(v values, measured float64) {
	bucket, _ := slices.BinarySearch(f.bounds, measured)
	s := f.at(v)
	s.mu.Lock()
	s.buckets[bucket]++
	s.value += measured
	s.mu.Unlock()
}

// write adds the family to a page, its series in the order of their values. A
// family without series is left out.
func (f *family) write(p *page) {
	f.mu.RLock()
	all := maps.Clone(f.series)
	f.mu.RUnlock()
	if len(all) == 0 {
		return
	}
	p.head(f.name, f.help, f.kind)
	order := func(a, b values) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
	}
	for _, v := range slices.SortedFunc(maps.Keys(all), order) {
		f.writeSeries(p, v, all[v])
	}
}

func (f *family) writeSeries(p *page, v values, s *series) {
	s.mu.Lock()
	value, buckets := s.value, slices.Clone(s.buckets)
	s.mu.Unlock()
	pairs := make([]string, 0, 2*len(f.labels)+2)
	for i, label := range f.labels {
		pairs = append(pairs, label, v[i])
	}
	if buckets == nil {
		p.line(f.name, value, pairs...)
		return
	}
	var count uint64
	for i, n := range buckets {
		count += n
		bound := "+Inf"
		if i < len(f.bounds) {
			bound = number(f.bounds[i])
		}
		p.line(f.name+"_bucket", float64(count), append(pairs, "le", bound)...)
	}
	p.line(f.name+"_sum", value, pairs...)
	p.line(f.name+"_count", float64(count), pairs...)
}
