package graph

//go:generate go run astrolabe/graph/generate
