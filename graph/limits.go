package graph

import (
	"cmp"
	"fmt"

	"astrolabe/domain"
)

// Limits bound what one operation may ask for. Zero means the default.
type Limits struct {
	BodyBytes     int // of a request or a socket's message
	Tokens        int // of an operation's text
	Depth         int // of nested selections
	Aliases       int // in an operation's text
	RootFields    int // of one operation
	Directives    int // in an operation's text
	Repeats       int // of the same field in a set of an operation's text
	Cost          int // values that the answer may hold
	ResponseBytes int // of one result
	Streams       int // sockets and event streams that are open at once
	CallerStreams int // of those, of one caller
	Operations    int // that run at once on one socket
	ResumeBlocks  int // how far behind the newest block a stream may begin
}

// The names of the limits, as errors and the service bear them.
const (
	limitBody       = "bodyBytes"
	limitTokens     = "tokens"
	limitDepth      = "depth"
	limitAliases    = "aliases"
	limitRootFields = "rootFields"
	limitDirectives = "directives"
	limitRepeats    = "repeats"
	limitCost       = "cost"
	limitResponse   = "responseBytes"
	limitStreams    = "streams"
	limitCaller     = "callerStreams"
	limitOperations = "operations"
	limitResume     = "resumeBlocks"
)

func (l Limits) withDefaults() Limits {
	return Limits{
		BodyBytes:     cmp.Or(l.BodyBytes, 256<<10),
		Tokens:        cmp.Or(l.Tokens, 4_000),
		Depth:         cmp.Or(l.Depth, 20),
		Aliases:       cmp.Or(l.Aliases, 100),
		RootFields:    cmp.Or(l.RootFields, 20),
		Directives:    cmp.Or(l.Directives, 50),
		Repeats:       cmp.Or(l.Repeats, 50),
		Cost:          cmp.Or(l.Cost, 300_000),
		ResponseBytes: cmp.Or(l.ResponseBytes, 16<<20),
		Streams:       cmp.Or(l.Streams, 5_000),
		CallerStreams: cmp.Or(l.CallerStreams, 100),
		Operations:    cmp.Or(l.Operations, 32),
		ResumeBlocks:  cmp.Or(l.ResumeBlocks, 10_000),
	}
}

// list tells the limits to clients.
func (l Limits) list() []Limit {
	return []Limit{
		{limitBody, l.BodyBytes, "Bytes of a request's body or of a message on a WebSocket."},
		{limitTokens, l.Tokens, "Tokens in the text of an operation, its fragments included."},
		{limitDepth, l.Depth, "Nesting of selections, through fragments."},
		{limitAliases, l.Aliases, "Aliases in the text of an operation."},
		{limitRootFields, l.RootFields, "Fields of Query in one operation, through fragments."},
		{limitDirectives, l.Directives, "Directives in the text of an operation."},
		{limitRepeats, l.Repeats, "Fields that are written again in the same selection of an operation's text."},
		{limitCost, l.Cost, "Values that the answer of an operation may hold at most."},
		{limitResponse, l.ResponseBytes, "Bytes of one result."},
		{limitStreams, l.Streams, "WebSockets and event streams that are open at once on this server."},
		{limitCaller, l.CallerStreams, "Of those, streams of one caller: a key, a session or the address of a page without a key."},
		{limitOperations, l.Operations, "Operations that run at once on one WebSocket."},
		{limitResume, l.ResumeBlocks, "Blocks that a subscription may begin behind the newest one."},
	}
}

// limitError says which limit was passed, and by how much.
type limitError struct {
	cause  *domain.Error
	Name   string `json:"name"`
	Max    int    `json:"max"`
	Actual int    `json:"actual"`
}

// Error returns the text of the domain's error.
func (e *limitError) Error() string { return e.cause.Error() }

// Unwrap makes the error one of the domain.
func (e *limitError) Unwrap() error { return e.cause }

// within refuses an operation that has more than the limit of something.
func within(name string, limit, actual int, units string) error {
	if actual <= limit {
		return nil
	}
	return passed(domain.CodeInvalidRequest, name, limit, actual,
		fmt.Sprintf("the operation passes the limit %s of %d %s: it has %d", name, limit, units, actual))
}

func passed(code domain.Code, name string, limit, actual int, message string) *limitError {
	return &limitError{cause: &domain.Error{Code: code, Message: message}, Name: name, Max: limit, Actual: actual}
}
