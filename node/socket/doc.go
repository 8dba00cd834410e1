// Package socket is the WebSocket side of a node client: connections that carry
// many subscriptions each.
//
// A Group shares its connections among the subscriptions to one upstream. A Conn
// is one of them: it matches responses with requests and notifications with
// subscriptions. A node that sends anything else loses the connection, and with
// it all subscriptions on it. Package node decides which upstream to use, and
// when to connect again.
package socket
