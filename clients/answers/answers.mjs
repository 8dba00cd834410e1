// Prints what a running program answers to every GET operation of its OpenAPI
// document, with the examples of the parameters, and to every example query of
// GraphiQL. What differs between any two answers is left out, so that the answers of
// two processes on the same database are equal. The line on stderr counts them.
//
// Usage: ASTROLABE_API_KEY=… node answers.mjs URL

import { readFileSync, readdirSync } from 'node:fs'

const base = process.argv[2]
const headers = { 'X-Service-Api-Key': process.env.ASTROLABE_API_KEY }
const examples = new URL('../../web/graphiql/', import.meta.url)

// Times and request ids, cursors, which are encrypted with a nonce, and counters of
// the process.
const differing =
  /^(requestId|generatedAt|observedAt|asOf|checkedAt|indexedAtIso|watermarkAgeSeconds|ageSeconds|ageMs|lagSeconds|cursor|nextCursor|startCursor|endCursor|remaining|resetsAt|resetAt|rateLimit)$/

function comparable(value) {
  if (Array.isArray(value)) return value.map(comparable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !differing.test(name)).map(([name, part]) => [name, comparable(part)]))
}

async function answer(path, options = {}) {
  const response = await fetch(base + path, { ...options, headers: { ...headers, ...options.headers } })
  const text = await response.text()
  if (response.status === 500) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
  return { status: response.status, body: text.startsWith('{') ? comparable(JSON.parse(text)) : text }
}

// paths lists the GET operations that can be called with an API key or without one,
// with the parameters that have an example. A WebSocket is no GET for fetch.
function paths(document) {
  const resolve = (p) => (p.$ref ? document.components.parameters[p.$ref.split('/').pop()] : p)
  const example = (p) => p.example ?? p.schema?.example
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const operation = item.get
    if (!operation || operation.responses['101'] || operation.security.every((s) => 'SessionBearer' in s || 'SessionCookie' in s)) return []
    const given = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve).filter((p) => example(p) !== undefined)
    const query = new URLSearchParams()
    for (const p of given) {
      if (p.in === 'path') path = path.replace(`{${p.name}}`, example(p))
      else if (p.in === 'query') query.set(p.name, example(p))
    }
    return [query.size > 0 ? `${path}?${query}` : path]
  })
}

// mostFrequent returns the most frequent value of each field, as GraphiQL's page
// fills in the variables of its examples.
function mostFrequent(data) {
  const counts = {}
  const count = (value) => {
    for (const [name, part] of Object.entries(value ?? {})) {
      if (part !== null && typeof part === 'object') count(part)
      else if (part !== null) (counts[name] ??= new Map()).set(part, (counts[name].get(part) ?? 0) + 1)
    }
  }
  count(data)
  const order = ([x, n], [y, m]) => m - n || String(y).localeCompare(String(x))
  return Object.fromEntries(Object.entries(counts).map(([name, values]) => [name, [...values].sort(order)[0][0]]))
}

const query = (text, variables) =>
  answer('/graphql', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ query: text, variables }) })
const source = (file) => readFileSync(new URL(file, examples), 'utf8')

const document = await (await fetch(base + '/openapi.json')).json()
const operations = paths(document)
let succeeded = 0
for (const path of operations) {
  const { status, body } = await answer(path)
  if (status === 200) succeeded++
  console.log(JSON.stringify([path, status, body], null, 1))
}

const samples = await query(source('samples.graphql'), { chain: 'SN_MAIN' })
const variables = { chain: 'SN_MAIN', ...mostFrequent(samples.body.data) }
const queries = readdirSync(new URL('examples/', examples)).sort().filter((file) => !/^subscription/m.test(source('examples/' + file)))
let answered = 0
for (const file of queries) {
  const { body } = await query(source('examples/' + file), variables)
  if (!body.errors) answered++
  console.log(JSON.stringify([file, body], null, 1))
}
console.error(`${operations.length} GET operations, ${succeeded} of them with status 200; ${queries.length} GraphQL queries, ${answered} of them without errors`)
