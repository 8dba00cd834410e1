// Command generate runs gqlgen and then takes out of the generated code what
// this schema does not need and every answer would pay for.
package main
