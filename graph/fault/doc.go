// Package fault holds the errors that GraphQL clients see beside the domain's:
// callers who are denied and streams that the server ended. The server renders
// them; resolvers and streams return them.
package fault
