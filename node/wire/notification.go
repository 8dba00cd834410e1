package wire

import (
	"encoding/json"
	"strings"
)

const notificationPrefix = "starknet_subscription"

type notificationParams struct {
	subscription string
	result       json.RawMessage
}

var notificationShape = shapeOf(
	text("subscription_id", func(p *notificationParams) *string { return &p.subscription }),
	member[notificationParams]{name: "result", read: func(r *reader, p *notificationParams) { p.result = r.value() }},
)

// Notification reads the answer as a message of a subscription. It returns the
// id of the subscription, the notification's method and its result, which is
// valid JSON, byte for byte as the node wrote it.
func (a Answer) Notification() (subscription, method string, result json.RawMessage, err error) {
	method, err = DecodeString(a.method)
	if err != nil || a.id != nil || !strings.HasPrefix(method, notificationPrefix) || strings.ContainsFunc(method, notInName) {
		return "", "", nil, Invalid("%q is not a notification", Clip(method, 40))
	}
	params, err := notificationShape.decode(a.params)
	if err != nil {
		return "", "", nil, Invalid("%s: %w", method, err)
	}
	return params.subscription, method, params.result, nil
}

// notInName reports whether a character cannot be part of a method's name. So
// the name can be written into JSON as it is.
func notInName(r rune) bool {
	return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}
