package chains

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/event"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// eventsBody is a page of an event search.
type eventsBody struct {
	frame.ListBody[EventRow]
	EventDecodingDegraded bool               `json:"eventDecodingDegraded"`
	Coverage              frame.CoverageBody `json:"coverage"`
	RangeCoverage         *RangeCoverage     `json:"rangeCoverage"`
}

func (h Handlers) events(ctx context.Context, c *frame.Call) (any, error) {
	filter, err := filterOf(c)
	if err != nil {
		return nil, err
	}
	filter.Addresses = c.Felts("address")
	return h.foundEvents(ctx, c, filter)
}

func (h Handlers) contractEvents(ctx context.Context, c *frame.Call) (any, error) {
	filter, err := filterOf(c)
	if err != nil {
		return nil, err
	}
	filter.Addresses = []starknet.Felt{c.Felt("address")}
	return h.foundEvents(ctx, c, filter)
}

func (h Handlers) foundEvents(ctx context.Context, c *frame.Call, filter event.Filter) (any, error) {
	request, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	var plan account.Plan
	if caller := account.CallerOf(ctx); caller != nil {
		plan = caller.Plan
	}
	found, err := h.Events.Search(ctx, c.Chain, plan, filter, request)
	if err != nil {
		return nil, err
	}
	return eventsBody{
		ListBody:              frame.RenderPage(c, found.Page, RenderEvent),
		EventDecodingDegraded: found.Degraded,
		Coverage:              frame.RenderCoverage(found.Coverage),
		RangeCoverage:         rangeBody(found.Range),
	}, nil
}

// filterOf returns the key and block filters of a search.
func filterOf(c *frame.Call) (event.Filter, error) {
	filter := event.Filter{From: c.Number("from_block"), To: c.Number("to_block")}
	for position := range filter.Topics {
		filter.Topics[position] = c.Felts(topic(position))
	}
	if selectors := c.Felts("selector"); len(selectors) > 0 {
		if c.Given(topic(0)) && !sameValues(selectors, filter.Topics[0]) {
			return event.Filter{}, domain.Errorf(domain.CodeInvalidRequest, "selector is an alias of topic0; the given values differ. Give one of them.")
		}
		filter.Topics[0], filter.FirstArgument = selectors, "selector"
	}
	return filter, fillKeys(c, &filter)
}

// fillKeys puts the values of key, or of its alias keys, at the positions that
// follow topic0 or selector, or at position 0 and those after it if neither is
// given.
func fillKeys(c *frame.Call, filter *event.Filter) error {
	key, keys := c.Felts("key"), c.Felts("keys")
	if len(key) > 0 && len(keys) > 0 {
		return domain.Errorf(domain.CodeInvalidRequest, "key and keys are aliases. Give one of them.")
	}
	sequence := append(key, keys...)
	if len(sequence) == 0 {
		return nil
	}
	if filter.KeyArgument = "key"; len(keys) > 0 {
		filter.KeyArgument = "keys"
	}
	for position := 1; position < event.Positions; position++ {
		if c.Given(topic(position)) {
			return domain.Errorf(domain.CodeInvalidRequest, "key and keys cannot be combined with %s.", topic(position))
		}
	}
	first := 0
	if len(filter.Topics[0]) > 0 {
		first = 1
	}
	if most := event.Positions - first; len(sequence) > most {
		return domain.Errorf(domain.CodeInvalidRequest, "%s must be given at most %d times after topic0 or selector, got %d.", filter.KeyArgument, most, len(sequence))
	}
	for i, value := range sequence {
		filter.Topics[first+i] = []starknet.Felt{value}
	}
	return nil
}

func sameValues(a, b []starknet.Felt) bool {
	has := func(list []starknet.Felt) func(starknet.Felt) bool {
		return func(f starknet.Felt) bool { return !slices.Contains(list, f) }
	}
	return !slices.ContainsFunc(a, has(b)) && !slices.ContainsFunc(b, has(a))
}

func topic(position int) string { return fmt.Sprintf("topic%d", position) }

const (
	exampleTopic   = "0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9" // Transfer
	exampleEmitter = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"
)

// keyParams are selector and topic0 to topic15.
var keyParams = func() []frame.Param {
	params := []frame.Param{{
		Name: "selector", In: frame.InQuery, Kind: frame.FeltKind, Repeatable: true, MaxItems: event.MaxValues,
		About: "Alias of `topic0`. If both are given, they must be equal.",
	}}
	for position := range event.Positions {
		params = append(params, frame.Param{
			Name: topic(position), In: frame.InQuery, Kind: frame.FeltKind, Repeatable: true, MaxItems: event.MaxValues,
			About: fmt.Sprintf("Alternative values of the key at position %d. Requires `topic0`, `from_block` and `to_block`.", position),
		})
	}
	params[1].About = "Alternative values of the first key, the selector of the event."
	params[1].Example = exampleTopic
	return params
}()

// boundParams are the block range and the page of a search.
var boundParams = []frame.Param{
	{Name: "from_block", In: frame.InQuery, Kind: frame.IntegerKind, Max: frame.MaxBlock, About: "First block of the range, inclusive."},
	{Name: "to_block", In: frame.InQuery, Kind: frame.IntegerKind, Max: frame.MaxBlock, About: "Last block of the range, inclusive."},
	frame.LimitParam(25, 100), frame.CursorParam,
}

// EventOperations are the routes of events.
func (h Handlers) EventOperations() []frame.Operation {
	sequence := "Values of the keys after `topic0` or `selector`, in order: positions 1, 2, …; without either, positions 0, 1, …. Cannot be combined with `topic1` to `topic15`."
	operation := frame.Operation{
		Method: http.MethodGet, Permission: account.Read,
		Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 10 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "EventPage",
		Errors: []domain.Code{domain.CodeFullRangeSelectorNotSupported, domain.CodeCoverageUnavailable},
	}
	global, contract := operation, operation
	global.ID, global.Path, global.Summary, global.Handle = "searchEvents", "/v1/{chain}/events", "Search events by keys, contracts and block range, newest first.", h.events
	global.Params = slices.Concat([]frame.Param{frame.ChainParam, {
		Name: "address", In: frame.InQuery, Kind: frame.FeltKind, Repeatable: true, MaxItems: event.MaxAddresses, About: "Contracts that emitted the event; several are alternatives.",
	}}, keyParams, boundParams)
	global.Proof = []string{"TestGlobalSearchNeedsTopic0OrAnAddress", "TestRepeatedValuesAreAlternativesAndPositionsMustAllMatch", "TestPagesContainEveryEventOnce"}
	contract.ID, contract.Path, contract.Summary, contract.Handle = "getContractEvents", "/v1/{chain}/contract/{address}/events", "Search the events of a contract, newest first.", h.contractEvents
	contract.Params = slices.Concat([]frame.Param{frame.ChainParam, {
		Name: "address", In: frame.InPath, Kind: frame.FeltKind, About: "Contract that emitted the events.", Example: exampleEmitter,
	}}, keyParams, []frame.Param{
		{Name: "key", In: frame.InQuery, Kind: frame.FeltKind, Repeatable: true, Ordered: true, MaxItems: event.Positions, About: sequence},
		{Name: "keys", In: frame.InQuery, Kind: frame.FeltKind, Repeatable: true, Ordered: true, MaxItems: event.Positions, About: sequence},
	}, boundParams)
	contract.Proof = []string{"TestTheNthKeyFillsPositionN", "TestKeysFollowTheSelector", "TestEventsOfAContractAreItsOwn"}
	return []frame.Operation{global, contract}
}
