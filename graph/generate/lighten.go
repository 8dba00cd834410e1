package main

import (
	"bytes"
	"errors"
	"regexp"
)

// plainField is a field that is a member of its object: no arguments, no
// directive, no resolver. It captures everything up to the body, the function
// that makes the field's context, the member and the function that marshals it.
var plainField = regexp.MustCompile(`(func \(ec \*executionContext\) [^\s(]+\(ctx context\.Context, field graphql\.CollectedField, obj [^)]+\) \(ret graphql\.Marshaler\) \{
)	return graphql\.ResolveField\(
		ctx,
		ec\.OperationContext,
		field,
		func\([^\n]+
			return ec\.(fieldContext_[^\s(]+)\(ctx, field\)
		\},
		func\(ctx context\.Context\) \(any, error\) \{
			return (obj\.[^\s(]+(?:\(\))?), nil
		\},
		nil,
		func\([^\n]+
			return (ec\.[^\s(]+)\(ctx, selections, v\)
		\},
		(?:true|false),
		(?:true|false),
	\)
`)

// lighten rewrites generated code.
//
// A plain field whose value is a scalar cannot fail and has nothing below it:
// it is marshalled as it is, without the context that errors and children
// would look into. Lists are marshalled in order (graph/inorder.go). Where
// @defer is not offered, nothing needs the path of an object that has nothing
// deferred.
func lighten(code []byte) ([]byte, error) {
	code, plain := marshalPlainFields(code)
	library, path := []byte("graphql.MarshalSliceConcurrently("), []byte("\t\tPath:     graphql.GetPath(ctx),\n")
	if plain == 0 || !bytes.Contains(code, library) || !bytes.Contains(code, path) {
		return nil, errors.New("the generated code is not as expected: has the library changed?")
	}
	code = bytes.ReplaceAll(code, library, []byte("inOrder("))
	return bytes.ReplaceAll(code, path, nil), nil
}

func marshalPlainFields(code []byte) (rewritten []byte, count int) {
	rewritten = plainField.ReplaceAllFunc(code, func(field []byte) []byte {
		part := plainField.FindSubmatch(field)
		makes := "func (ec *executionContext) " + string(part[2]) + "(_ context.Context, field graphql.CollectedField) (fc *graphql.FieldContext, err error) {\n\treturn graphql.NewScalarFieldContext("
		if !bytes.Contains(code, []byte(makes)) {
			return field
		}
		count++
		return append(bytes.Clone(part[1]), "\treturn "+string(part[4])+"(ctx, field.Selections, "+string(part[3])+")\n"...)
	})
	return rewritten, count
}
