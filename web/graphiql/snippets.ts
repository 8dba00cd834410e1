import type { Operation } from './ask';

/** An operation, where it is sent and whether it yields a stream of results. */
export interface Request {
  operation: Operation;
  endpoint: string;
  streams: boolean;
}

const keyVariable = 'ASTROLABE_API_KEY';
const eventStream = 'text/event-stream';

/** A command for a shell. The key is a variable of the shell's. */
export function asCurl({ operation, endpoint, streams }: Request): string {
  return [
    `curl ${streams ? '-sSN' : '-sS'} ${shellText(endpoint)}`,
    `-H "X-Service-Api-Key: $${keyVariable}"`,
    `-H 'Content-Type: application/json'`,
    ...(streams ? [`-H 'Accept: ${eventStream}'`] : []),
    `--data-raw ${shellText(JSON.stringify(operation))}`,
  ].join(' \\\n  ');
}

/** A module that Node, Deno and Bun run. It is JavaScript, too. */
export function asTypeScript({ operation, endpoint, streams }: Request): string {
  const { query, ...rest } = operation;
  const body = [`query`, ...Object.entries(rest).map(([name, value]) => `${name}: ${indented(JSON.stringify(value, null, 2))}`)];
  const ending = streams
    ? ['for await (const part of response.body ?? []) process.stdout.write(part);']
    : [
        'const { data, errors } = await response.json();',
        'if (errors) console.error(JSON.stringify(errors, null, 2));',
        'console.log(JSON.stringify(data, null, 2));',
      ];
  return [
    `const query = \`${query.replace(/[\\`]|\$(?={)/g, '\\$&').replaceAll('\r', '\\r')}\`;`,
    '',
    `const response = await fetch(${JSON.stringify(endpoint)}, {`,
    '  method: "POST",',
    '  headers: {',
    '    "Content-Type": "application/json",',
    ...(streams ? [`    Accept: "${eventStream}",`] : []),
    `    "X-Service-Api-Key": process.env.${keyVariable} ?? "",`,
    '  },',
    '  body: JSON.stringify({',
    ...body.map((line) => `    ${line},`),
    '  }),',
    '});',
    ...ending,
    'export {};',
    '',
  ].join('\n');
}

/** A Go program of the standard library alone. */
export function asGo({ operation, endpoint, streams }: Request): string {
  const { query, variables, operationName } = operation;
  const parts = [
    '"query": query',
    ...(variables ? ['"variables": json.RawMessage(variables)'] : []),
    ...(operationName ? [`"operationName": ${goText(operationName)}`] : []),
  ];
  return [
    'package main',
    '',
    'import (',
    ...['bytes', 'encoding/json', 'io', 'log', 'net/http', 'os'].map((name) => `\t"${name}"`),
    ')',
    '',
    `const query = ${goText(query)}`,
    '',
    ...(variables ? [`const variables = ${goText(JSON.stringify(variables, null, 2))}`, ''] : []),
    'func main() {',
    `\tbody, err := json.Marshal(map[string]any{${parts.join(', ')}})`,
    ...failing,
    `\trequest, err := http.NewRequest(http.MethodPost, ${goText(endpoint)}, bytes.NewReader(body))`,
    ...failing,
    '\trequest.Header.Set("Content-Type", "application/json")',
    ...(streams ? [`\trequest.Header.Set("Accept", "${eventStream}")`] : []),
    `\trequest.Header.Set("X-Service-Api-Key", os.Getenv("${keyVariable}"))`,
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...failing,
    '\tdefer response.Body.Close()',
    '\tif _, err := io.Copy(os.Stdout, response.Body); err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '}',
    '',
  ].join('\n');
}

const failing = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}'];

/** Text that a POSIX shell leaves alone. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Text as Go writes it: as it is where that is possible. */
function goText(text: string): string {
  if (text.includes('\n') && !/[`\r\0\ufeff]/.test(text)) return `\`${text}\``;
  return JSON.stringify(text).replaceAll('\ufeff', '\\ufeff');
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n    ');
}
