package chains

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"astrolabe/domain/event"
	"astrolabe/rest/frame"
)

// FuzzEventQuery reads any query string as that of a search: what is accepted
// stays within the limits, and means the same when it is read again.
func FuzzEventQuery(f *testing.F) {
	f.Add("topic0=0x1&topic0=0x02&topic15=0xA&from_block=1&to_block=2&limit=100")
	f.Add("selector=0x1&topic0=0x1&address=0x3")
	f.Add("keys=0x1&keys=0x2&cursor=AQEAAwcIAdLSneq2WQT1x0MY9x9dU8U")
	f.Add("key=0x1&topic0=0x2")
	table := Handlers{}.EventOperations()
	f.Fuzz(func(t *testing.T, raw string) {
		for _, op := range table {
			c := read(op, raw)
			if c == nil {
				continue
			}
			filter, err := filterOf(c)
			if err != nil {
				continue
			}
			for position, values := range filter.Topics {
				if len(values) > event.MaxValues {
					t.Errorf("position %d: got %d values, want at most %d", position, len(values), event.MaxValues)
				}
			}
			if again, err := filterOf(c); err != nil || !slices.EqualFunc(filter.Topics[:], again.Topics[:], slices.Equal) {
				t.Errorf("%q: got %v, %v, want %v as before", raw, again, err, filter)
			}
		}
	})
}

// read returns the call that an operation gets for a query string, nil when
// the query is refused. Callers and path parameters are left out of it.
func read(op frame.Operation, query string) *frame.Call {
	var accepted *frame.Call
	op.Permission, op.Timeout = "", time.Minute
	op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(p frame.Param) bool { return p.In == frame.InPath })
	op.Handle = func(_ context.Context, c *frame.Call) (any, error) {
		accepted = c
		return nil, nil
	}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.URL.RawQuery = query
	dispatcher := frame.Dispatcher{Logger: slog.New(slog.DiscardHandler)}
	dispatcher.Handler(op)(httptest.NewRecorder(), request)
	return accepted
}
