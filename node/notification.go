package node

import (
	"encoding/json"
	"strings"
)

// Notification is one message of a subscription.
type Notification struct {
	// Resumed tells that the subscription now stands on a new connection, the
	// first one included: whatever happened before may have been missed. The
	// other fields are then empty.
	Resumed bool
	// Method is the notification's method, such as
	// starknet_subscriptionNewHeads or starknet_subscriptionReorg.
	Method string
	// Result is valid JSON, byte for byte as the node wrote it.
	Result json.RawMessage
}

const notificationPrefix = "starknet_subscription"

type notificationParams struct {
	subscription string
	result       json.RawMessage
}

var notificationShape = shapeOf(
	text("subscription_id", func(p *notificationParams) *string { return &p.subscription }),
	member[notificationParams]{name: "result", read: func(s *scanner, p *notificationParams) {
		if p.result = s.value(); s.err == nil && !json.Valid(p.result) {
			s.fail("%w", errMalformed)
		}
	}},
)

// notification reads the answer as a message of the given subscription.
func (a answer) notification(subscription string) (Notification, error) {
	method, err := decode(a.method, (*scanner).string)
	if err != nil || a.id != nil || !strings.HasPrefix(method, notificationPrefix) {
		return Notification{}, invalid("%q is not a notification", clip(method, 40))
	}
	params, err := notificationShape.decode(a.params)
	if err != nil {
		return Notification{}, invalid("%s: %w", method, err)
	}
	if params.subscription != subscription {
		return Notification{}, invalid("%s is about subscription %q, not %q",
			clip(method, 40), clip(params.subscription, 40), subscription)
	}
	return Notification{Method: method, Result: params.result}, nil
}
