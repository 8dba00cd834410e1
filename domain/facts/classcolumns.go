package facts

import "strconv"

// columns sends a class to a sink, with its schemas in their order.
func (c *Class) columns(s sink) {
	s.row(1)
	s.felt("hash", c.Hash)
	s.flag("sierra", c.Sierra)
	s.flag("missing", c.Missing)
	s.flag("account", c.Account)
	s.text("standard", string(c.Standard))
	s.bytes("abi", c.canonicalABI())
	s.number("event_schemas", uint64(len(c.Events)))
	for i := range c.Events {
		c.Events[i].columns(s, "event_schemas["+strconv.Itoa(i)+"].")
	}
	s.number("function_schemas", uint64(len(c.Functions)))
	for i := range c.Functions {
		c.Functions[i].columns(s, "function_schemas["+strconv.Itoa(i)+"].")
	}
}

func (e *EventSchema) columns(s sink, of string) {
	s.felt(of+"selector", e.Selector)
	s.text(of+"name", e.Name)
	s.number(of+"path", uint64(len(e.Path)))
	for _, name := range e.Path {
		s.text(of+"path", name)
	}
	fieldColumns(s, of+"fields", e.Fields)
	s.text(of+"unsupported", e.Unsupported)
	s.flag(of+"ambiguous", e.Ambiguous)
}

func (f *FunctionSchema) columns(s sink, of string) {
	s.felt(of+"selector", f.Selector)
	s.text(of+"name", f.Name)
	s.flag(of+"view", f.View)
	s.flag(of+"l1_handler", f.L1Handler)
	fieldColumns(s, of+"inputs", f.Inputs)
	fieldColumns(s, of+"outputs", f.Outputs)
	s.text(of+"unsupported", f.Unsupported)
}

func fieldColumns(s sink, of string, fields []FieldSchema) {
	s.number(of, uint64(len(fields)))
	for i := range fields {
		s.text(of+".name", fields[i].Name)
		s.text(of+".type", fields[i].Type)
		s.text(of+".source", fields[i].Source)
	}
}
