package node

import "encoding/json"

// Notification is one message of a subscription.
type Notification struct {
	// Resumed means that the subscription uses a new connection, including the
	// first one: earlier messages may have been missed. The other fields are
	// then empty.
	Resumed bool
	// Method is the notification's method, such as
	// starknet_subscriptionNewHeads or starknet_subscriptionReorg.
	Method string
	// Result is valid JSON, byte for byte as the node wrote it.
	Result json.RawMessage
}
