// Package live follows chains and verification jobs on behalf of subscribers. A
// Hub watches the end of each chain once for the whole process, and a follower
// reads what lies between its subscriber and that end. The package knows nothing
// of HTTP or of GraphQL's types: resolvers give it sources, and the server gives
// it connections.
package live
