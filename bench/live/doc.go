// Command live opens many GraphQL subscriptions to new blocks of a running
// program and measures their delivery and memory. ASTROLABE_API_KEY is a list of
// keys, separated by commas: one to begin with, and one for each hundred
// subscribers. Each must belong to another workspace, because a workspace may
// have a hundred sockets.
package main
