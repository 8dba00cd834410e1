// Package live follows chains and verification jobs on behalf of subscribers. A
// Hub watches the end of each chain once for the whole process, and a follower
// reads what lies between its subscriber and that end. A Socket is the
// WebSocket of a client under gqlgen's transport. The package knows neither the
// types of the schema nor their resolvers: resolvers give it sources, and the server
// gives it connections.
package live
