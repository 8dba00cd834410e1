// Command graphql measures the GraphQL facade of a running program: a point
// read and a page with an edge against PostGraphile on views of the same facts
// (views.sql, postgraphile/), and a nested query against the REST calls for the
// same facts. Contenders alternate within one run, after a check that they
// return the same facts. "make bench-graphql" runs it. ASTROLABE_API_KEY is a
// key with the permissions read and batch and with rate limits above the load.
package main
