package main

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"astrolabe/access"
	"astrolabe/rest/frame"
)

// text is the hand-written part of an operation.
type text struct {
	Tag         string
	Description string
	Example     any
}

var securitySchemes = object{
	"ApiKey":        object{"type": "apiKey", "in": "header", "name": "X-Service-Api-Key", "description": "API key."},
	"BrowserApiKey": object{"type": "apiKey", "in": "header", "name": "X-Api-Key", "description": "API key sent by a browser."},
	"SessionBearer": object{"type": "http", "scheme": "bearer", "description": "Session as a bearer token."},
	"SessionCookie": object{"type": "apiKey", "in": "cookie", "name": access.SessionCookie, "description": "Session cookie of a browser, for GET and HEAD only. Over HTTPS its name has the prefix __Host-."},
}

var headers = object{
	"RequestId":  object{"description": "Request ID.", "required": true, "schema": object{"type": "string"}},
	"RouteClass": object{"description": "Rate-limit class of the operation.", "required": true, "schema": object{"type": "string", "enum": []string{"light", "heavy", "batch"}}},
	"RetryAfter": object{"description": "Seconds to wait before the same request can succeed.", "schema": object{"type": "integer", "minimum": 0}},
	"Limit":      object{"description": "Rate limit of the class per 60 seconds.", "required": true, "schema": object{"type": "integer", "minimum": 0}},
	"Remaining":  object{"description": "What is left of the rate limit now.", "required": true, "schema": object{"type": "integer", "minimum": 0}},
	"Policy":     object{"description": "Rate-limit class and its window in seconds.", "required": true, "schema": object{"type": "string", "pattern": "^[a-z_]+;w=60$"}},
	"Challenge":  object{"description": "Authentication challenge (RFC 6750).", "required": true, "schema": object{"type": "string", "pattern": "^Bearer realm=\"service\""}},
	"ETag":       object{"description": "Weak entity tag: the SHA-256 of the uncompressed body.", "required": true, "schema": object{"type": "string", "pattern": "^W/\"sha256-[0-9a-f]{64}\"$"}},
	"Modified":   object{"description": "When the body last changed, as an HTTP date; absent if the response has only an ETag.", "required": false, "schema": object{"type": "string", "pattern": " GMT$"}},
	"Allow":      object{"description": "Supported methods of the route.", "schema": object{"type": "string"}},
}

// conditions are the request headers by which a client revalidates a body.
var conditions = []object{
	{
		"name": "If-None-Match", "in": "header", "required": false, "schema": object{"type": "string"},
		"description": "Entity tags of bodies that the client has, or `*`. If one of them is current, the response is 304. Takes precedence over If-Modified-Since.",
	},
	{
		"name": "If-Modified-Since", "in": "header", "required": false, "schema": object{"type": "string"},
		"description": "The Last-Modified of the body that the client has. If that is current, the response is 304. An invalid date is ignored.",
	},
}

// idempotencyKey is the request header of operations that can be repeated safely.
func idempotencyKey(op frame.Operation) object {
	return object{
		"name": "Idempotency-Key", "in": "header", "required": true, "schema": object{"type": "string", "pattern": op.IdempotencyKey},
		"description": "Names the request within the workspace. Send a new key for each new request, and the same key only to retry an identical request. Its value is case-sensitive. Send the header once.",
	}
}

func operation(op frame.Operation, written text, schemas object) object {
	out := object{
		"operationId":             op.ID,
		"summary":                 op.Summary,
		"description":             written.Description,
		"tags":                    []string{written.Tag},
		"security":                security(op),
		"responses":               responses(op, written, schemas),
		"x-service-certification": string(op.Cert),
		"x-service-tier":          string(op.Tier()),
		"x-service-audience":      string(op.Audience),
		"x-service-route-class":   string(op.Class),
	}
	if op.Request != "" {
		media := cmp.Or(op.Accepts, frame.JSONMedia)
		out["requestBody"] = object{"required": !op.BodyOptional, "content": object{media: object{"schema": object{"$ref": "#/components/schemas/" + op.Request}}}}
	}
	if len(op.Params) > 0 {
		out["parameters"] = parameters(op.Params)
	}
	if op.IdempotencyKey != "" {
		out["parameters"] = append(parameters(op.Params), idempotencyKey(op))
	}
	if op.Conditional {
		out["parameters"] = append(parameters(op.Params), conditions...)
	}
	return out
}

func security(op frame.Operation) []object {
	switch {
	case op.Session && op.Method == http.MethodGet:
		return []object{{"SessionBearer": []string{}}, {"SessionCookie": []string{}}}
	case op.Session:
		return []object{{"SessionBearer": []string{}}}
	case op.Personal:
		return []object{{}, {"ApiKey": []string{}}, {"BrowserApiKey": []string{}}}
	case op.Permission == "":
		return []object{{}}
	}
	return []object{{"ApiKey": []string{}}, {"BrowserApiKey": []string{}}}
}

func parameters(params []frame.Param) []object {
	out := make([]object, len(params))
	for i, p := range params {
		schema := paramSchema(p)
		if p.Repeatable {
			schema = object{"type": "array", "items": schema}
			if p.MaxItems > 0 {
				schema["maxItems"] = p.MaxItems
			}
		}
		out[i] = object{
			"name": p.Name, "in": string(p.In), "required": p.Required || p.In == frame.InPath,
			"description": p.About, "schema": schema,
		}
		switch {
		case p.Example != "" && p.Repeatable:
			out[i]["example"] = []string{p.Example}
		case p.Example != "" && p.Kind == frame.IntegerKind:
			out[i]["example"] = integer(p.Example)
		case p.Example != "":
			out[i]["example"] = p.Example
		}
	}
	return out
}

// integer is an integer of an example, in JSON as in YAML.
func integer(text string) any {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return text
	}
	return n
}

func paramSchema(p frame.Param) object {
	switch p.Kind {
	case frame.ChainKind:
		return object{"$ref": "#/components/schemas/Chain"}
	case frame.FeltKind, frame.HashKind:
		return object{"type": "string", "pattern": "^0[xX][0-9a-fA-F]+$"}
	case frame.BlockKind:
		return object{"type": "string", "pattern": "^(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|latest)$"}
	case frame.StateKind:
		schema := object{"type": "string", "pattern": "^(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|latest|pending)$"}
		if p.Default != "" {
			schema["default"] = p.Default
		}
		return schema
	case frame.HourKind:
		return object{"type": "string", "format": "date-time", "pattern": ":00:00(\\.0+)?(Z|\\+00:00)$"}
	case frame.IntegerKind:
		schema := object{"type": "integer", "minimum": p.Min, "maximum": p.Max}
		if v, err := strconv.ParseInt(p.Default, 10, 64); err == nil {
			schema["default"] = v
		}
		return schema
	case frame.EnumKind:
		schema := object{"type": "string", "enum": p.Enum}
		if p.Default != "" {
			schema["default"] = p.Default
		}
		return schema
	default:
		return object{"type": "string", "minLength": 1}
	}
}

func responses(op frame.Operation, written text, schemas object) object {
	media := op.Media
	if media == "" {
		media = "application/json"
	}
	content := object{"schema": object{"$ref": "#/components/schemas/" + op.Body}}
	if written.Example != nil {
		content["example"] = written.Example
	}
	success := object{"description": "The connection is upgraded to a WebSocket.", "headers": pacedHeaders(op)}
	if op.Body != "" { // a WebSocket has none
		success["description"] = schemas[op.Body].(object)["description"]
		success["content"] = object{media: content}
	}
	out := object{strconv.Itoa(op.Success): success}
	if op.Replay != 0 {
		out[strconv.Itoa(op.Replay)] = object{"description": "The request was carried out before. Nothing was changed.", "headers": pacedHeaders(op), "content": success["content"]}
	}
	if op.Conditional {
		validators(success)
		out["304"] = validators(object{"description": "The client has the current body.", "headers": pacedHeaders(op)})
	}
	for status, codes := range errorsByStatus(op) {
		h := answerHeaders()
		switch status {
		case 405:
			h["Allow"] = object{"$ref": "#/components/headers/Allow"}
		case 401, 403:
			h["WWW-Authenticate"] = object{"$ref": "#/components/headers/Challenge"}
		case 429:
			h = pacedHeaders(op)
			h["Retry-After"] = object{"$ref": "#/components/headers/RetryAfter"}
		case 503:
			h["Retry-After"] = object{"$ref": "#/components/headers/RetryAfter"}
		}
		out[strconv.Itoa(status)] = object{
			"description": strings.Join(codes, ", "), "headers": h,
			"content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/" + failure(op, status)}}},
		}
	}
	return out
}

// validators adds the headers by which a client can revalidate a response.
func validators(response object) object {
	h := response["headers"].(object)
	h["ETag"] = object{"$ref": "#/components/headers/ETag"}
	h["Last-Modified"] = object{"$ref": "#/components/headers/Modified"}
	return response
}

// failure returns the schema of an error body. The router answers 405 before the
// operation's own protocol begins.
func failure(op frame.Operation, status int) string {
	if op.Failure == "" || status == http.StatusMethodNotAllowed {
		return "Error"
	}
	return op.Failure
}

func answerHeaders() object {
	return object{
		"X-Request-Id":          object{"$ref": "#/components/headers/RequestId"},
		"X-Service-Route-Class": object{"$ref": "#/components/headers/RouteClass"},
	}
}

// pacedHeaders are those of an answer that drew on a budget, if the operation
// does. Operations of another protocol may answer without drawing on one.
func pacedHeaders(op frame.Operation) object {
	h := answerHeaders()
	if op.Metered() && op.Serve == nil {
		h["X-Ratelimit-Limit"] = object{"$ref": "#/components/headers/Limit"}
		h["X-Ratelimit-Remaining"] = object{"$ref": "#/components/headers/Remaining"}
		h["X-Ratelimit-Policy"] = object{"$ref": "#/components/headers/Policy"}
	}
	return h
}

// errorsByStatus groups the codes that an operation can give.
func errorsByStatus(op frame.Operation) map[int][]string {
	byStatus := map[int][]string{}
	for _, code := range slices.Sorted(slices.Values(op.EveryError())) {
		status := frame.Status(code)
		byStatus[status] = append(byStatus[status], string(code))
	}
	return byStatus
}

func lower(method string) string { return strings.ToLower(method) }
