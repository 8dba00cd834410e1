package graph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/graph/fault"
	"astrolabe/graph/limits"
	"astrolabe/telemetry"
)

// presentField renders the error of a field, and counts it as a part of the
// result. After the execution was ended it renders none.
func (h *Handler) presentField(ctx context.Context, err error) *gqlerror.Error {
	if m := meterOf(ctx); m != nil && (m.over() || !m.count(1, errorBytes)) {
		return nil
	}
	return h.present(ctx, err)
}

// present renders an error with its path and location. The cause of an internal
// error goes to the log, once for each operation.
func (h *Handler) present(ctx context.Context, err error) *gqlerror.Error {
	op := operationOf(ctx)
	presented, cause, argument := new(gqlerror.Error), err.Error(), ""
	if located, ok := errors.AsType[*gqlerror.Error](err); ok {
		presented.Path, presented.Locations, cause = located.Path, located.Locations, located.Message
		if located.Err == nil && (op == nil || !op.executing) {
			presented.Path, err = nil, documentError(located)
		}
	}
	if field := fieldOf(ctx); field != nil && leadsIntoArgument(presented.Path, field) {
		argument = presented.Path[len(field.Path()):].String() + ": "
		presented.Path, presented.Locations = field.Path(), []gqlerror.Location{{Line: field.Field.Position.Line, Column: field.Field.Position.Column}}
	}
	e := domain.Public(ctx, err).Named(argumentName).Spelled(choiceName)
	presented.Message = argument + e.Message
	presented.Extensions = map[string]any{
		"code":      e.Code,
		"docSlug":   e.DocSlug(),
		"requestId": telemetry.RequestID(ctx),
	}
	if after := e.RetrySeconds(); after > 0 {
		presented.Extensions["retryAfterSeconds"] = after
	}
	if limit, ok := errors.AsType[*limits.Exceeded](err); ok {
		presented.Extensions["limit"] = limit
	}
	if denial, ok := errors.AsType[*fault.Denied](err); ok && denial.Scope != "" {
		presented.Extensions["scope"] = denial.Scope
	}
	if reason, ok := errors.AsType[*fault.Ended](err); ok {
		presented.Extensions["reason"] = reason.Reason
	}
	if httpStatus(e.Code) >= http.StatusInternalServerError && op.firstTime(cause) {
		h.Logger.Log(ctx, logLevel(ctx, op, e), "operation failed", "requestId", telemetry.RequestID(ctx), "path", presented.Path.String(), "code", e.Code, "error", cause)
	}
	return presented
}

// logLevel is the level at which a failure is logged. That a socket cannot be
// admitted at the moment is an expected state, however many try: what cannot be
// reached is logged where it is needed.
func logLevel(ctx context.Context, op *operation, e *domain.Error) slog.Level {
	level := e.LogLevel(ctx)
	if op == nil && sessionOf(ctx) != nil && e.Code == domain.CodeServiceUnavailable {
		return min(level, slog.LevelInfo)
	}
	return level
}

// argumentName returns the name of a domain argument in the schema.
func argumentName(a domain.Argument) string {
	switch name := string(a); {
	case name == "q":
		return "query"
	case name == "block":
		return "blockTag"
	case strings.HasPrefix(name, "topic"):
		return "filter.keys[" + strings.TrimPrefix(name, "topic") + "]"
	case name == "address":
		return "filter.addresses"
	case slices.Contains(filtered, name):
		return "filter." + name
	case slices.Contains(walletInput, name):
		return "input." + name
	default:
		return name
	}
}

// filtered are the domain arguments that are fields of the argument filter in the
// schema.
var filtered = []string{"fromBlock", "toBlock", "fromTime", "toTime", "selectors"}

// walletInput are the domain arguments that are fields of the argument input of
// walletState.
var walletInput = []string{"mode", "scope", "tokenAddresses", "limit", "blockPreference", "blockHash", "blockNumber"}

// choiceName returns the name of a domain value in the enums of the schema.
func choiceName(c domain.Choice) string { return strings.ToUpper(string(c)) }

// maxDocumentError bounds a message that quotes the document, in bytes.
const maxDocumentError = 300

// documentError turns gqlgen's error about a document or its variables into a domain
// error.
func documentError(found *gqlerror.Error) error {
	message := found.Message
	if len(found.Path) > 0 { // into the variables
		message = found.Path.String() + ": " + message
	}
	if len(message) > maxDocumentError {
		message = strings.ToValidUTF8(message[:maxDocumentError], "") + "…"
	}
	if message == errUnknownDocument.Message {
		return errUnknownDocument
	}
	return &domain.Error{Code: domain.CodeInvalidRequest, Message: message}
}

// fieldOf returns the field that is being resolved, nil outside of one.
func fieldOf(ctx context.Context) *graphql.FieldContext {
	field := graphql.GetFieldContext(ctx)
	if field == nil || field.Field.Field == nil { // a root object or a list item
		return nil
	}
	return field
}

// leadsIntoArgument reports whether a path continues behind a field with the name
// of an argument. Behind a list field it continues with an index.
func leadsIntoArgument(path ast.Path, field *graphql.FieldContext) bool {
	end := len(field.Path())
	if len(path) <= end {
		return false
	}
	_, named := path[end].(ast.PathName)
	return named
}

// presentAll renders one error, or all errors of a validation.
func (h *Handler) presentAll(ctx context.Context, err error) gqlerror.List {
	list, several := err.(gqlerror.List) //nolint:errorlint // a list is never wrapped
	if !several {
		return gqlerror.List{h.present(ctx, err)}
	}
	presented := make(gqlerror.List, len(list))
	for i, e := range list {
		presented[i] = h.present(ctx, e)
	}
	return presented
}

// note records the error code of a failed request for usage reports.
func note(ctx context.Context, errs gqlerror.List) {
	if len(errs) > 0 {
		access.RecordOf(ctx).Code, _ = errs[0].Extensions["code"].(domain.Code)
	}
}

// recovered turns a panic of a resolver into an internal error.
func recovered(_ context.Context, reason any) error {
	return fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
}

// httpStatus returns the HTTP status of a request that failed as a whole.
func httpStatus(code domain.Code) int {
	switch code {
	case domain.CodeUnauthorized:
		return http.StatusUnauthorized
	case domain.CodeForbidden:
		return http.StatusForbidden
	case domain.CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case domain.CodePayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case domain.CodeUnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case domain.CodeRateLimited:
		return http.StatusTooManyRequests
	case domain.CodeServiceUnavailable:
		return http.StatusServiceUnavailable
	case domain.CodeInternal:
		return http.StatusInternalServerError
	default:
		return http.StatusBadRequest
	}
}
