// Command graphql measures the GraphQL facade of a running program: a point
// read and a page with an edge beside PostGraphile on views of the same facts
// (views.sql, postgraphile/), and a nested query beside the REST calls that
// tell the same. Contenders run in turns within one run, and each is first
// shown to tell the same facts as the other. It is run by "make bench-graphql".
// ASTROLABE_API_KEY holds a key with the permissions read and batch and with
// budgets that the load does not use up.
package main
