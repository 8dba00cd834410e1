// Which changes between two schemas break clients, as graphql-inspector sees
// them. An element may go once the day that its deprecation named is over.
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

/** Returns the breaking changes from one schema (as text) to another on a day, YYYY-MM-DD. */
export async function breaking(released, current, today) {
  const old = buildSchema(released);
  const changes = await diff(old, buildSchema(current));
  return changes.filter(({ criticality, type, path }) =>
    criticality.level === CriticalityLevel.Breaking && !(type.endsWith('_REMOVED') && isOver(old, path, today)));
}

/** Reports whether the element at a path was deprecated and its time is over. */
function isOver(schema, path, today) {
  const until = /Removed after (\d{4}-\d{2}-\d{2})\.$/.exec(elementAt(schema, path)?.deprecationReason ?? '');
  return until !== null && until[1] < today;
}

/** Finds a field, an argument, an enum's value or an input's field: Type.member.argument. */
function elementAt(schema, path) {
  const [name, member, argument] = path.split('.');
  const type = schema.getType(name);
  if (isEnumType(type)) return type.getValue(member);
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return undefined;
  const field = type.getFields()[member];
  return argument === undefined ? field : field?.args.find((one) => one.name === argument);
}
