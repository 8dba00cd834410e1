// What the check finds, tried on the schema itself.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { breaking } from './breaking.mjs';

const schema = readFileSync('../../schema.graphql', 'utf8');
const day = '2026-11-15';

/** Returns the schema with a piece of text replaced, which must be there. */
function changed(text, from, to) {
  assert.ok(text.includes(from), `the schema does not hold ${from}`);
  return text.replace(from, to);
}

const field = '"Number of events in the block."\n  eventCount: Int!';
const farewell = '@deprecated(reason: "Count them. Deprecated 2026-01-01. Removed after 2026-11-14.")';

test('a schema does not break itself', async () => {
  assert.deepEqual(await breaking(schema, schema, day), []);
});

test('what is added breaks nothing', async () => {
  const more = changed(schema, field, `${field}\n  "Another."\n  another: Int`);
  assert.deepEqual(await breaking(schema, more, day), []);
});

for (const [name, from, to] of [
  ['a removed field', field, ''],
  ['a field that may be null now', field, field.replace('Int!', 'Int')],
  ['a field of another type', field, field.replace('Int!', 'String!')],
  ['an argument that is needed now', 'order: BlockOrder! = NEWEST_FIRST', 'order: BlockOrder! = NEWEST_FIRST, more: Int!'],
  ['a removed value of an enum', '"The Sepolia test network."\n  SN_SEPOLIA', ''],
]) {
  test(`${name} is found`, async () => {
    const found = await breaking(schema, changed(schema, from, to), day);
    assert.ok(found.length > 0);
  });
}

test('a deprecated field may go when its day is over, and not before', async () => {
  const released = changed(schema, field, `${field} ${farewell}`);
  const current = changed(schema, field, '');
  assert.deepEqual(await breaking(released, current, day), []);
  assert.equal((await breaking(released, current, '2026-11-14')).length, 1);
});
