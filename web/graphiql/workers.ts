import type {} from 'monaco-editor';
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

const workers: Record<string, new () => Worker> = { json: JsonWorker, graphql: GraphqlWorker };

/** The editor's language services run in workers that come from our own origin. */
self.MonacoEnvironment = {
  getWorker: (_module, label) => new (workers[label] ?? EditorWorker)(),
};
