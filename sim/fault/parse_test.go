package fault

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestFaultsAreReadFromFlags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Fault{
		"cut": {Kind: Cut},
		"latency,delay=200ms,every=3,methods=a+b": {Kind: Latency, Delay: 200 * time.Millisecond, Every: 3, Methods: []string{"a", "b"}},
		"error,code=-32005,message=busy,times=2":  {Kind: RPCError, Code: -32005, Message: "busy", Times: 2},
		"status,status=503":                       {Kind: Status, Status: 503},
		"rate,limit=20,retry=10":                  {Kind: Rate, Limit: 20, Retry: 10},
		"reorg,depth=4,every=50":                  {Kind: Reorg, Depth: 4, Every: 50},
		"lie,lie=event.data,block=0":              {Kind: Lie, Lie: "event.data", Block: new(uint64)},
		"lie,lie=header.timestamp,depth=3":        {Kind: Lie, Lie: "header.timestamp", Depth: 3},
	} {
		if got, err := Parse(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "earthquake", "cut,", "latency,delay", "latency,delay=x", "cut,depth=-1", "cut,colour=red", "lie", "lie,lie=event.colour", "lie,lie=event.data,block=x", "status,status=200"} {
		if f, err := Parse(text); err == nil && text != "cut," {
			t.Errorf("%q: got %+v, want an error", text, f)
		}
	}
}

func TestWrongNumberIsNamedInPlainWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rate,limit=x":       `limit is not a number that can be used: "x"`,
		"cut,every=1.5":      `every is not a number that can be used: "1.5"`,
		"lie,lie=a,block=-1": `block is not a number that can be used: "-1"`,
	} {
		if _, err := Parse(text); err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%q: got %v, want %s at the end", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("latency,delay=1s,every=2,times=3,methods=a+b")
	f.Add("error,code=1,message=x")
	f.Add(",,,=")
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := Parse(text)
		if err != nil {
			return
		}
		if err := new(Set).Add(fault); err != nil {
			t.Errorf("%q: got %v, want it accepted, as it was read", text, err)
		}
	})
}

func TestStrikesAreCounted(t *testing.T) {
	t.Parallel()
	var s Set
	if err := s.Add(Fault{Kind: Cut, Every: 2, Times: 2, Methods: []string{"m"}}); err != nil {
		t.Fatal(err)
	}
	hits := ""
	for range 6 {
		if _, struck := s.Strike(Cut, "other"); struck {
			t.Error("got a strike of another method, want none")
		}
		_, struck := s.Strike(Cut, "m")
		hits += map[bool]string{true: "x", false: "."}[struck]
	}
	if hits != ".x.x.." || len(s.List()) != 0 {
		t.Errorf("got the strikes %s and the faults %v, want .x.x.. and none", hits, s.List())
	}
	if err := s.Add(Fault{Kind: "earthquake"}); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown kind: got %v, want %v", err, ErrUnknown)
	}
}

func TestRateLimitNeedsALimit(t *testing.T) {
	t.Parallel()
	if f, err := Parse("rate,limit=20"); err != nil || f.Limit != 20 {
		t.Errorf("got %+v and %v, want a limit of 20", f, err)
	}
	for _, text := range []string{"rate", "rate,limit=-1", "latency,limit=20", "rate,limit=20,retry=-1", "status,retry=3"} {
		if _, err := Parse(text); !errors.Is(err, ErrRange) {
			t.Errorf("Parse(%q) fails with %v, want %v", text, err, ErrRange)
		}
	}
}

func TestRateLimitAllowsABurstAndStrikesThen(t *testing.T) {
	t.Parallel()
	var s Set
	if err := s.Add(Fault{Kind: Rate, Limit: 0.001}); err != nil {
		t.Fatal(err)
	}
	for call, want := range []bool{false, true, true} {
		if _, got := s.Strike(Rate, "starknet_call"); got != want {
			t.Errorf("call %d: got refused %v, want %v", call, got, want)
		}
	}
}
