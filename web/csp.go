package web

// GraphiQLPolicy is the Content-Security-Policy of /graphiql and its assets.
//
// The editor adds style elements and draws underlines as data: images, hence
// the two exceptions; its workers come from the same origin as the page. 'self'
// also covers the WebSocket of subscriptions.
const GraphiQLPolicy = "default-src 'none'; " +
	"script-src 'self'; " +
	"worker-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; " +
	"font-src 'self'; " +
	"connect-src 'self'; " +
	"base-uri 'none'; " +
	"form-action 'none'; " +
	"frame-ancestors 'none'"

// ReferencePolicy is the Content-Security-Policy of /docs and its assets. The
// style sheet contains its icons as data: images; no inline style is needed.
const ReferencePolicy = "default-src 'none'; " +
	"script-src 'self'; " +
	"style-src 'self'; " +
	"img-src 'self' data:; " +
	"connect-src 'self'; " +
	"base-uri 'none'; " +
	"form-action 'none'; " +
	"frame-ancestors 'none'"
