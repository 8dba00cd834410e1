package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// eventsAnswer is a page of events as a client reads it.
type eventsAnswer struct {
	ChainID               string
	Items                 []eventRow
	NextCursor            *string
	EventDecodingDegraded bool
	Coverage              coverageBody
	RangeCoverage         *rangeCoverage
}

// found asks for a page of events that must be there.
func (s *service) found(path string) eventsAnswer {
	s.t.Helper()
	a := s.get(path)
	var page eventsAnswer
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: got %d %s, want 200 and events", path, a.StatusCode, a.body)
	}
	return page
}

// walked follows a list of events to its end.
func (s *service) walked(path string) (all []eventRow) {
	s.t.Helper()
	next := path
	for range 1000 {
		page := s.found(next)
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		next = path + "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
	s.t.Fatalf("%s: got more than 1000 pages, want an end", path)
	return nil
}

const (
	searchPath     = "/v1/SN_MAIN/events?"
	transferTopic  = "0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9"
	approvalTopic  = "0x134692b230b9e1ffa39098904722134159652b09c5bc41d88d6698779d228ff"
	nobodysAddress = "0x1234567"
)

// chosen are the events of Everyday, newest first, that a test wants.
func chosen(t *testing.T, wanted func(block uint64, e facts.Event) bool) (list []string) {
	t.Helper()
	blocks := repotest.Everyday(t)
	for i := range blocks {
		for _, e := range blocks[i].Events {
			if wanted(blocks[i].Header.Number, e) {
				list = append(list, fmt.Sprintf("%d:%d:%d", blocks[i].Header.Number, e.TxIndex, e.LogIndex))
			}
		}
	}
	slices.Reverse(list)
	return list
}

func placesOf(rows []eventRow) (list []string) {
	for _, r := range rows {
		list = append(list, fmt.Sprintf("%d:%d:%d", r.BlockNumber, r.TxIndex, r.LogIndex))
	}
	return list
}

func requirePlaces(t *testing.T, name string, got []eventRow, want []string) {
	t.Helper()
	if places := placesOf(got); !slices.Equal(places, want) || len(want) == 0 {
		t.Errorf("%s: got %v, want %v", name, places, want)
	}
}

func hasKey(e facts.Event, position int, values ...string) bool {
	return position < len(e.Keys) && slices.Contains(values, e.Keys[position].String())
}

// aTransfer is an event of Transfer with two further keys, and its block.
func aTransfer(t *testing.T) (found facts.Event, block uint64) {
	t.Helper()
	for _, b := range repotest.Everyday(t)[20:] {
		for _, e := range b.Events {
			if len(e.Keys) == 3 && hasKey(e, 0, transferTopic) {
				return e, b.Header.Number
			}
		}
	}
	t.Fatal("got no transfer with 3 keys on the chain, want one")
	return facts.Event{}, 0
}

func TestGlobalSearchNeedsTopic0OrAnAddress(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, query := range []string{"", "limit=5", "from_block=1&to_block=2"} {
		requireFailure(t, s.get(searchPath+query), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
	e, _ := aTransfer(t)
	for _, query := range []string{"topic0=" + transferTopic, "selector=" + transferTopic, "address=" + e.FromAddress.String()} {
		if page := s.found(searchPath + query); len(page.Items) == 0 || page.ChainID != "SN_MAIN" || page.EventDecodingDegraded {
			t.Errorf("%s: got %+v, want decoded events of SN_MAIN", query, page)
		}
	}
	if page := s.found(searchPath + "address=" + nobodysAddress); page.Items == nil || len(page.Items) != 0 || page.NextCursor != nil {
		t.Errorf("unknown address: got %+v, want an empty list without a cursor", page)
	}
}

func TestSelectorIsAnAliasOfTopic0(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	want := placesOf(s.found(searchPath + "topic0=" + transferTopic).Items)
	padded := "0x00" + strings.ToUpper(transferTopic[2:])
	for _, query := range []string{"selector=" + transferTopic, "selector=" + transferTopic + "&topic0=" + padded} {
		requirePlaces(t, query, s.found(searchPath+query).Items, want)
	}
	for _, query := range []string{
		"selector=" + transferTopic + "&topic0=" + approvalTopic,
		"selector=" + transferTopic + "&topic0=" + transferTopic + "&topic0=" + approvalTopic,
	} {
		requireFailure(t, s.get(searchPath+query), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestRepeatedValuesAreAlternativesAndPositionsMustAllMatch(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	e, block := aTransfer(t)
	from, to := e.Keys[1].String(), e.Keys[2].String()
	first, last := block-5, block+5
	if soak {
		first, last = 0, 9999
	}
	bounds := fmt.Sprintf("&from_block=%d&to_block=%d&limit=100", first, last)
	for query, wanted := range map[string]func(uint64, facts.Event) bool{
		"topic0=" + transferTopic + "&topic0=" + approvalTopic: func(_ uint64, e facts.Event) bool {
			return hasKey(e, 0, transferTopic, approvalTopic)
		},
		"topic0=" + transferTopic + "&topic1=" + from: func(_ uint64, e facts.Event) bool {
			return hasKey(e, 0, transferTopic) && hasKey(e, 1, from)
		},
		"topic0=" + transferTopic + "&topic2=" + to + "&topic2=0x77": func(_ uint64, e facts.Event) bool {
			return hasKey(e, 0, transferTopic) && hasKey(e, 2, to)
		},
		"topic0=" + transferTopic + "&topic1=" + from + "&topic2=" + to: func(_ uint64, e facts.Event) bool {
			return hasKey(e, 0, transferTopic) && hasKey(e, 1, from) && hasKey(e, 2, to)
		},
		"topic0=" + transferTopic + "&topic1=" + from + "&address=" + e.FromAddress.String(): func(_ uint64, o facts.Event) bool {
			return hasKey(o, 0, transferTopic) && hasKey(o, 1, from) && o.FromAddress == e.FromAddress
		},
	} {
		requirePlaces(t, query, s.walked(searchPath+query+bounds), chosen(t, func(number uint64, e facts.Event) bool {
			return number >= first && number <= last && wanted(number, e)
		}))
	}
	if rows := s.walked(searchPath + "topic0=" + transferTopic + "&topic15=" + from + bounds); len(rows) != 0 {
		t.Errorf("position that no event has: got %d events, want none", len(rows))
	}
}

func TestFurtherTopicsNeedTopic0AndBothBounds(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for position := 1; position <= 15; position++ {
		key := fmt.Sprintf("topic%d=0x1", position)
		for _, query := range []string{
			key + "&from_block=1&to_block=2",
			key + "&from_block=1&to_block=2&address=0x1",
			key + "&topic0=0x1",
			key + "&topic0=0x1&from_block=1",
			key + "&topic0=0x1&to_block=1",
		} {
			requireFailure(t, s.get(searchPath+query), http.StatusBadRequest, domain.CodeInvalidRequest)
		}
		s.found(searchPath + key + "&topic0=0x1&from_block=1&to_block=2")
	}
	requireFailure(t, s.get(searchPath+"topic0=0x1&topic16=0x1&from_block=1&to_block=2"), http.StatusBadRequest, domain.CodeInvalidRequest)
	requireFailure(t, s.get("/v1/SN_MAIN/contract/0x1/events?topic1=0x1&from_block=1&to_block=2"), http.StatusBadRequest, domain.CodeInvalidRequest)
}

func TestOrdinaryKeysSearchAtMostTenThousandBlocks(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, path := range []string{searchPath + "topic0=" + transferTopic, searchPath + "address=0x1", "/v1/SN_MAIN/contract/0x1/events?"} {
		if page := s.found(path + "&from_block=20&to_block=10019"); page.RangeCoverage != nil {
			t.Errorf("%s: got %+v, want no range coverage", path, page.RangeCoverage)
		}
		requireFailure(t, s.get(path+"&from_block=20&to_block=10020"), http.StatusBadRequest, domain.CodeInvalidRequest)
		requireFailure(t, s.get(path+"&from_block=0&to_block=9007199254740991"), http.StatusBadRequest, domain.CodeInvalidRequest)
		s.found(path + "&from_block=0") // bounds that are not both explicit are no range
		s.found(path + "&to_block=9007199254740991")
	}
}

func TestFromBlockAboveToBlockIsRejected(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	requireFailure(t, s.get(searchPath+"topic0=0x1&from_block=3&to_block=2"), http.StatusBadRequest, domain.CodeInvalidRequest)
	s.found(searchPath + "topic0=0x1&from_block=3&to_block=3")
}

func TestBoundsAreInclusive(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	_, block := aTransfer(t)
	for query, wanted := range map[string]func(uint64) bool{
		fmt.Sprintf("from_block=%d&to_block=%d", block, block): func(b uint64) bool { return b == block },
		fmt.Sprintf("from_block=%d", block):                    func(b uint64) bool { return b >= block },
		fmt.Sprintf("to_block=%d", block):                      func(b uint64) bool { return b <= block },
	} {
		requirePlaces(t, query, s.walked(searchPath+"limit=100&topic0="+transferTopic+"&"+query), chosen(t, func(b uint64, e facts.Event) bool {
			return wanted(b) && hasKey(e, 0, transferTopic)
		}))
	}
}

func TestTopic0AloneAndAnAddressAlonePageTheRetainedHistory(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	e, _ := aTransfer(t)
	requirePlaces(t, "topic0", s.walked(searchPath+"limit=100&topic0="+transferTopic),
		chosen(t, func(_ uint64, e facts.Event) bool { return hasKey(e, 0, transferTopic) }))
	requirePlaces(t, "address", s.walked(searchPath+"limit=100&address="+e.FromAddress.String()),
		chosen(t, func(_ uint64, o facts.Event) bool { return o.FromAddress == e.FromAddress }))
}

func TestSearchValuesAreLimited(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	values := func(name string, n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("%s=%#x", name, i+1))
		}
		return strings.Join(list, "&")
	}
	const bounds = "&from_block=0&to_block=100"
	for query, refused := range map[string]string{ // empty: accepted
		values("topic0", 128):                                        "",
		values("topic0", 129):                                        "topic0 accepts at most 128 distinct values, got 129.",
		values("selector", 129):                                      "selector accepts at most 128 distinct values, got 129.",
		values("topic0", 128) + "&" + values("topic0", 128):          "", // repeats of 128
		values("topic0", 128) + "&" + values("topic1", 128) + bounds: "",
		values("topic0", 128) + "&" + values("topic1", 127) + "&" + values("topic2", 2) + bounds: "topic0 to topic15 accept at most 256 values in total, got 257.",
		values("address", 128): "",
		values("address", 129): "address must be given at most 128 times, got 129.",
		values("address", 128) + "&" + values("topic0", 128) + "&" + values("topic1", 128) + bounds: "",
		"limit=5": "A search requires topic0 or address.",
	} {
		a := s.get(searchPath + query)
		if refused == "" && a.StatusCode != http.StatusOK {
			t.Errorf("%.20s… of %d bytes: got %d %.200s, want 200", query, len(query), a.StatusCode, a.body)
		}
		if refused == "" {
			continue
		}
		if e := requireFailure(t, a, http.StatusBadRequest, domain.CodeInvalidRequest); e.Message != refused {
			t.Errorf("%.20s… of %d bytes: got %q, want %q", query, len(query), e.Message, refused)
		}
	}
}

func TestTheNthKeyFillsPositionN(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	e, block := aTransfer(t)
	path := "/v1/SN_MAIN/contract/" + e.FromAddress.String() + "/events?limit=100"
	bounds := fmt.Sprintf("&from_block=%d&to_block=%d", block, block)
	keys := []string{e.Keys[0].String(), e.Keys[1].String(), e.Keys[2].String()}
	want := placesOf(s.walked(path + bounds + "&topic0=" + keys[0] + "&topic1=" + keys[1] + "&topic2=" + keys[2]))
	for _, name := range []string{"key", "keys"} {
		query := bounds + "&" + name + "=" + strings.Join(keys, "&"+name+"=")
		requirePlaces(t, name, s.walked(path+query), want)
		requirePlaces(t, name+" alone", s.walked(path+"&"+name+"="+keys[0]), chosen(t, func(_ uint64, o facts.Event) bool {
			return o.FromAddress == e.FromAddress && hasKey(o, 0, keys[0])
		}))
		// What topicN needs, the nth value needs as well.
		requireFailure(t, s.get(path+"&"+name+"="+keys[0]+"&"+name+"="+keys[1]), http.StatusBadRequest, domain.CodeInvalidRequest)
		requireFailure(t, s.get(path+bounds+strings.Repeat("&"+name+"=0x1", 17)), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestKeyAndKeysAreNotMixed(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	const path = "/v1/SN_MAIN/contract/0x1/events?from_block=0&to_block=9"
	for _, query := range []string{"&key=0x1&keys=0x1", "&key=0x1&topic0=0x1&topic1=0x1", "&keys=0x1&selector=0x1&topic15=0x1", "&keys=0x1&topic7=0x1"} {
		requireFailure(t, s.get(path+query), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

func TestTheGlobalRouteRejectsKeyAndKeys(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for _, name := range []string{"key", "keys"} {
		e := requireFailure(t, s.get(searchPath+"topic0=0x1&"+name+"=0x1"), http.StatusBadRequest, domain.CodeInvalidRequest)
		if !strings.Contains(e.Message, name) || !strings.Contains(e.Message, "Unknown") {
			t.Errorf("%s: got %q, want an unknown parameter", name, e.Message)
		}
	}
}

func TestEventsOfAContractAreItsOwn(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	e, _ := aTransfer(t)
	path := "/v1/SN_MAIN/contract/" + e.FromAddress.String() + "/events?limit=100"
	requirePlaces(t, "all", s.walked(path), chosen(t, func(_ uint64, o facts.Event) bool { return o.FromAddress == e.FromAddress }))
	requirePlaces(t, "by selector", s.walked(path+"&selector="+transferTopic), chosen(t, func(_ uint64, o facts.Event) bool {
		return o.FromAddress == e.FromAddress && hasKey(o, 0, transferTopic)
	}))
	requireFailure(t, s.get(path+"&address=0x1"), http.StatusBadRequest, domain.CodeInvalidRequest)
}

func TestPagesContainEveryEventOnce(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	e, block := aTransfer(t)
	around := uint64(1)
	if soak {
		around = 5
	}
	bounds := fmt.Sprintf("&from_block=%d&to_block=%d", block-around, block+around)
	for _, query := range []string{"topic0=" + transferTopic + bounds, "address=" + e.FromAddress.String() + bounds} {
		want := placesOf(s.walked(searchPath + query + "&limit=100"))
		for _, limit := range []int{1, 2, 7, 33} {
			requirePlaces(t, fmt.Sprint(query, " by ", limit), s.walked(fmt.Sprintf("%s%s&limit=%d", searchPath, query, limit)), want)
		}
	}
}

func TestCursorIsBoundToItsSearch(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	page := s.found(searchPath + "topic0=" + transferTopic + "&topic0=" + approvalTopic + "&limit=3")
	cursor := "&cursor=" + url.QueryEscape(*page.NextCursor)
	for query, fine := range map[string]bool{
		"topic0=" + transferTopic + "&topic0=" + approvalTopic + "&limit=50":                true,
		"topic0=" + approvalTopic + "&topic0=" + transferTopic + "&topic0=" + approvalTopic: true, // the same search
		"topic0=" + transferTopic: false,
		"topic0=" + transferTopic + "&topic0=" + approvalTopic + "&from_block=0":                        false,
		"topic0=" + transferTopic + "&topic0=" + approvalTopic + "&address=0x1":                         false,
		"topic0=" + transferTopic + "&topic0=" + approvalTopic + "&topic1=0x1&from_block=0&to_block=50": false,
	} {
		a := s.get(searchPath + query + cursor)
		if fine && a.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", query, a.StatusCode, a.body)
		} else if !fine {
			if e := requireFailure(t, a, http.StatusBadRequest, domain.CodeInvalidRequest); e.DocSlug != "errors/invalid-cursor" || !strings.HasPrefix(e.Message, "invalid_cursor") {
				t.Errorf("%s: got %+v, want invalid_cursor", query, e)
			}
		}
	}
	// The order of keys is part of the search.
	e, _ := aTransfer(t)
	path := "/v1/SN_MAIN/contract/" + e.FromAddress.String() + "/events?limit=1&from_block=0&to_block=60"
	first := s.found(path + "&keys=" + transferTopic)
	requireFailure(t, s.get(path+"&keys=0x1&keys="+transferTopic+"&cursor="+url.QueryEscape(*first.NextCursor)), http.StatusBadRequest, domain.CodeInvalidRequest)
}

func TestAnEventRowHasEveryFieldOfTheContract(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	blocks := repotest.Everyday(t)
	seen := map[string]bool{}
	for _, address := range emitters(blocks) {
		for _, row := range s.found("/v1/SN_MAIN/contract/" + address.String() + "/events?limit=100").Items {
			seen[string(row.DecodingStatus)] = true
			requireRow(t, blocks, row)
		}
	}
	if !seen["decoded"] || !seen["unknown"] && !seen["name_only"] {
		t.Errorf("got the statuses %v, want decoded and other ones", seen)
	}
}

// emitters lists the contracts that emit events.
func emitters(blocks []facts.Block) (list []starknet.Felt) {
	for i := range blocks {
		for _, e := range blocks[i].Events {
			if !slices.Contains(list, e.FromAddress) {
				list = append(list, e.FromAddress)
			}
		}
	}
	return list
}

// requireRow holds a row against the chain and its own fields.
func requireRow(t *testing.T, blocks []facts.Block, row eventRow) {
	t.Helper()
	block := &blocks[row.BlockNumber]
	i := slices.IndexFunc(block.Events, func(e facts.Event) bool { return e.TxIndex == row.TxIndex && e.LogIndex == row.LogIndex })
	e := block.Events[i]
	topics := make([]string, 4)
	for i, topic := range []*starknet.Felt{row.Topic0, row.Topic1, row.Topic2, row.Topic3} {
		if topic != nil {
			topics[i] = topic.String()
		}
		if (topic == nil) != (i >= len(e.Keys)) || topic != nil && *topic != e.Keys[i] {
			t.Errorf("got the topics %v, want the first of %v", topics, e.Keys)
		}
	}
	if !slices.Equal(row.Keys, e.Keys) || !slices.Equal(row.Data, e.Data) || row.Address != e.FromAddress ||
		row.TxHash != block.Transactions[row.TxIndex].Hash || row.TimestampIso.Unix() != int64(block.Header.Timestamp) {
		t.Errorf("got %+v, want %+v", row, e)
	}
	consumed := 0
	for _, f := range row.DecodedFields {
		source := row.Data
		if f.Source == "key" {
			source = row.Keys
		}
		for i, at := range f.OriginIndexes {
			consumed++
			if source[at] != f.RawValues[i] {
				t.Errorf("%s: got %s, want %s at %d of %s", f.Label, f.RawValues[i], source[at], at, f.Source)
			}
		}
		if len(f.OriginIndexes) != len(f.RawValues) || (f.Kind == "address") != (f.AddressValue != nil) ||
			(f.Kind == "bool") != (f.BoolValue != nil) || f.Kind == "u256" && f.NumericValue == nil {
			t.Errorf("got %s, want an origin of each raw value, and the value of its kind", encodeText(f))
		}
	}
	switch row.DecodingStatus {
	case "decoded":
		if row.DecodedFields == nil || row.DecodedFieldsUnavailableReason != nil || row.EventName == nil || consumed < len(row.Data) {
			t.Errorf("got %s, want a name and fields of all data, and no reason", encodeText(row))
		}
	default:
		if row.DecodedFields != nil || row.DecodedFieldsSource != nil || row.DecodedFieldsUnavailableReason == nil || (row.EventName == nil) != (row.DecodingStatus == "unknown") {
			t.Errorf("got %s, want no fields, a reason, and a name unless unknown", encodeText(row))
		}
	}
}
