package rest

import (
	"slices"
	"testing"

	"astrolabe/domain/event"
)

// FuzzEventQuery reads any query string as that of a search: what is accepted
// stays within the limits, and means the same when it is read again.
func FuzzEventQuery(f *testing.F) {
	f.Add("topic0=0x1&topic0=0x02&topic15=0xA&from_block=1&to_block=2&limit=100")
	f.Add("selector=0x1&topic0=0x1&address=0x3")
	f.Add("keys=0x1&keys=0x2&cursor=AQEAAwcIAdLSneq2WQT1x0MY9x9dU8U")
	f.Add("key=0x1&topic0=0x2")
	table := new(server).eventOperations()
	f.Fuzz(func(t *testing.T, raw string) {
		for i := range table {
			query, err := readQuery(table[i].Params, raw)
			if err != nil {
				continue
			}
			c := &Call{operation: &table[i], path: map[string]string{"chain": "SN_MAIN", "address": "0x1"}, query: query}
			filter, err := filterOf(c)
			if err != nil {
				continue
			}
			for position, values := range filter.Topics {
				if len(values) > event.MaxValues {
					t.Errorf("position %d has %d values", position, len(values))
				}
			}
			if again, err := filterOf(c); err != nil || !slices.EqualFunc(filter.Topics[:], again.Topics[:], slices.Equal) {
				t.Errorf("%q is read as %v and %v", raw, filter, again)
			}
		}
	})
}
