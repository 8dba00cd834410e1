// Command generate merges the operation table with the hand-written parts
// into the OpenAPI document. It runs in the folder rest/openapi.
package main
