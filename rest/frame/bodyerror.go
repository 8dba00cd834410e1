package frame

import (
	"reflect"
	"strings"

	"astrolabe/domain"
	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// FeltForm is the form of felts in messages.
const FeltForm = "a 0x-prefixed hexadecimal felt below the field prime"

// bodyError returns invalid_request for a body that its type does not accept. It
// names the field and its expected form, like the error of a parameter. The
// form tag of a field describes it with its limits; felts and lists of them
// need none.
func bodyError(e *strictjson.Error, t reflect.Type) error {
	refuse := func(format string, args ...any) error {
		return domain.Errorf(domain.CodeInvalidRequest, format, args...)
	}
	name, element := fieldOf(e.Path)
	field, known := fieldNamed(t, name)
	switch {
	case e.Kind == strictjson.UnknownKey || e.Kind == strictjson.WrongCaseKey:
		return refuse("Unknown body field %s. %s", domain.Quote(e.Key), supported(t))
	case e.Kind == strictjson.DuplicateKey:
		return refuse("The body field %s is given more than once.", domain.Quote(e.Key))
	case e.Kind == strictjson.MissingKey && known:
		return refuse("%s is required: %s.", name, form(field, false, e))
	case e.Path == "" && e.Kind == strictjson.TypeMismatch:
		return refuse("The request body must be a JSON object.")
	case e.Kind == strictjson.Syntax || !known:
		return refuse("The request body must be a JSON object: %s.", e.Message)
	case element != "":
		return refuse("%s[%s] must be %s.", name, element, form(field, true, e))
	}
	return refuse("%s must be %s.", name, form(field, false, e))
}

// fieldOf splits a JSON pointer into a field of the body and the index of its
// element, which is empty if the pointer is to the field itself.
func fieldOf(path string) (name, element string) {
	name, element, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return name, element
}

func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for field := range t.Fields() {
		if jsonName(field) == name {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// supported lists the fields of a body.
func supported(t reflect.Type) string {
	var names []string
	for field := range t.Fields() {
		names = append(names, jsonName(field))
	}
	if names == nil {
		return "The body has no fields."
	}
	return "Supported fields: " + strings.Join(names, ", ") + "."
}

// form describes the values of a field, or of its elements. Without a tag it is
// the JSON type, as far as the error names it.
func form(field reflect.StructField, element bool, e *strictjson.Error) string {
	t := field.Type
	if t.Kind() == reflect.Pointer || element {
		t = t.Elem()
	}
	switch text := field.Tag.Get("form"); {
	case t == reflect.TypeFor[starknet.Felt]():
		return FeltForm
	case text != "":
		return text
	}
	return strings.TrimPrefix(e.Message, "expected ")
}
