package limits

import (
	"cmp"

	"astrolabe/access/streams"
)

// Limits bound what one operation may ask for. Zero means the default.
type Limits struct {
	BodyBytes     int // of a request or a WebSocket message
	Tokens        int // in the text of an operation
	Depth         int // of nested selections
	Aliases       int // in the text of an operation
	NameBytes     int // of a response name: an alias or the name of a field
	RootFields    int // of one operation
	Directives    int // in the text of an operation
	Repeats       int // of fields within the selections of an operation's text
	Cost          int // points, by the size of the response and the work of its fields
	ResponseBytes int // of one result
	Streams       int // WebSockets and event streams that are open at once
	CallerStreams int // the share of one workspace or address in Streams
	Messages      int // of the client on one WebSocket, per second
	Operations    int // that run at once on one WebSocket
	ResumeBlocks  int // how far behind the head a subscription may begin
}

// The names of the limits, as errors and Query.service show them.
const (
	Body       = "bodyBytes"
	Tokens     = "tokens"
	Depth      = "depth"
	Aliases    = "aliases"
	Name       = "nameBytes"
	RootFields = "rootFields"
	Directives = "directives"
	Repeats    = "repeats"
	Cost       = "cost"
	Response   = "responseBytes"
	Streams    = "streams"
	Caller     = "callerStreams"
	Messages   = "messagesPerSecond"
	Operations = "operations"
	Resume     = "resumeBlocks"
)

// WithDefaults replaces every zero by the default.
func (l Limits) WithDefaults() Limits {
	return Limits{
		BodyBytes:     cmp.Or(l.BodyBytes, 256<<10),
		Tokens:        cmp.Or(l.Tokens, 4_000),
		Depth:         cmp.Or(l.Depth, 20),
		Aliases:       cmp.Or(l.Aliases, 100),
		NameBytes:     cmp.Or(l.NameBytes, 256),
		RootFields:    cmp.Or(l.RootFields, 20),
		Directives:    cmp.Or(l.Directives, 50),
		Repeats:       cmp.Or(l.Repeats, 50),
		Cost:          cmp.Or(l.Cost, 300_000),
		ResponseBytes: cmp.Or(l.ResponseBytes, 16<<20),
		Streams:       cmp.Or(l.Streams, streams.Limit),
		CallerStreams: cmp.Or(l.CallerStreams, streams.Each),
		Messages:      cmp.Or(l.Messages, streams.Messages),
		Operations:    cmp.Or(l.Operations, 32),
		ResumeBlocks:  cmp.Or(l.ResumeBlocks, 10_000),
	}
}

// Limit is one limit as Query.service describes it.
type Limit struct {
	Name        string
	Max         int
	Description string
}

// List describes every limit.
func (l Limits) List() []Limit {
	return []Limit{
		{Body, l.BodyBytes, "Bytes in a request body or a WebSocket message."},
		{Tokens, l.Tokens, "Tokens in the text of an operation, including its fragments."},
		{Depth, l.Depth, "Levels of nested selections, counted through fragments."},
		{Aliases, l.Aliases, "Aliases in the text of an operation."},
		{Name, l.NameBytes, "Bytes in an alias."},
		{RootFields, l.RootFields, "Root fields in one operation, counted through fragments."},
		{Directives, l.Directives, "Directives in the text of an operation."},
		{Repeats, l.Repeats, "Duplicate fields within the selection sets of an operation's text."},
		{Cost, l.Cost, "Points that an operation may cost, by the size of its response and the work of its fields."},
		{Response, l.ResponseBytes, "Bytes in one result."},
		{Streams, l.Streams, "WebSockets and event streams open at once on this server, those of the JSON-RPC gateway included."},
		{Caller, l.CallerStreams, "Streams open at once for one caller: a workspace or, for a page without a key, the client's IP address."},
		{Messages, l.Messages, "Messages per second that a client may send on one WebSocket; a burst may be twice as large."},
		{Operations, l.Operations, "Operations running at once on one WebSocket."},
		{Resume, l.ResumeBlocks, "Blocks that a subscription may begin behind the head."},
	}
}
