import { gzipSync } from 'fflate';
import type { Plugin, UserConfig } from 'vite';

/**
 * The build of one page: `<name>/index.html` and all that it imports end in
 * `dist/<name>/`, to be served under `/<name>`. Names carry a hash of their
 * content and nothing depends on the time or the machine, so that the same
 * sources always give the same bytes.
 */
export function page(name: string): UserConfig {
  return {
    base: `/${name}/`,
    publicDir: false,
    plugins: [compressed()],
    worker: { format: 'es' },
    build: {
      outDir: `../dist/${name}`,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 4096,
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
      license: { fileName: 'licenses.md' },
      rolldownOptions: { checks: { moduleLevelDirective: false } },
    },
  };
}

/**
 * Keeps the assets in gzip form alone, which is a quarter of their size in the
 * binary. The compressor is written in JavaScript because the bytes of Node's
 * own depend on its version and on the processor.
 */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          if (!fileName.startsWith('assets/')) continue;
          const content = file.type === 'chunk' ? file.code : file.source;
          const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
          const source = gzipSync(bytes, { level: 9, mtime: 0 });
          this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source });
          delete bundle[fileName];
        }
      },
    },
  };
}
