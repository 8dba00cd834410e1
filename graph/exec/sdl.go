package exec

// SDL is the text of schema.graphql.
func SDL() string { return sources[0].Input }
