// Package queue is a bounded queue between one producer or more and a consumer
// that may be slow. Its bounds are a number of items and a number of bytes, so
// that few large and many small items take about the same memory.
package queue
