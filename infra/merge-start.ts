import * as path from 'node:path'
import { build, transform, type Metafile } from 'esbuild'

/** The output of a bundler: contents by absolute path, and imports and exports by path relative to the checkout. */
export interface Bundled {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly outputs: Metafile['outputs']
}

/**
 * Merges the modules that a start loads into `index.mjs`: the splitting of dynamic imports divides them into about forty,
 * and Node finds, reads and links each apart, a sixth of a cold start. A module that was merged re-exports its names from
 * `index.mjs`, for those that are loaded later.
 * @returns the same files if the start waits at its top level: a module that is loaded meanwhile would wait for it
 */
export async function mergeStart(root: string, bundled: Bundled): Promise<Bundled> {
  const absolute = (output: string): string => path.join(root, output)
  const index = Object.keys(bundled.outputs).find((output) => path.basename(output) === 'index.mjs')
  if (index === undefined) return bundled
  const [, ...chunks] = startOf(index, bundled.outputs)
  if (chunks.length === 0) return bundled
  const exportsOf = (output: string): string[] => bundled.outputs[output]?.exports ?? []
  const local = (output: string): string => JSON.stringify(`./${path.basename(output)}`)
  const contents = [
    `export {${exportsOf(index).join()}} from ${local(index)}`,
    ...chunks.map(
      (chunk, at) =>
        `export {${exportsOf(chunk)
          .map((name) => `${name} as ${shared(at, name)}`)
          .join()}} from ${local(chunk)}`,
    ),
  ].join('\n')
  const merged = await mergedModule(absolute(index), contents, bundled, new Set([index, ...chunks].map(absolute)))
  if (merged === undefined) return bundled
  const files = new Map([...bundled.files, ...merged])
  const outputs = { ...bundled.outputs, [index]: { ...outputOf(bundled, index), imports: [] } }
  for (const [at, chunk] of chunks.entries()) {
    const names = exportsOf(chunk).map((name) => `${shared(at, name)} as ${name}`)
    files.set(absolute(chunk), Buffer.from(`export{${names.join()}}from${local(index)};\n`))
    files.delete(`${absolute(chunk)}.map`)
    outputs[chunk] = { ...outputOf(bundled, chunk), imports: [{ path: index, kind: 'import-statement' }] }
  }
  return { files, outputs }
}

function outputOf({ outputs }: Bundled, output: string): Metafile['outputs'][string] {
  const found = outputs[output]
  if (found === undefined) throw new Error(`${output} is no output`)
  return found
}

/** The name of a chunk's export in `index.mjs`. */
const shared = (chunk: number, name: string): string => `c${chunk}_${name}`

/** `index.mjs` and its static imports, in the order in which they are reached. */
function startOf(index: string, outputs: Metafile['outputs']): string[] {
  const reached = new Set<string>()
  const visit = (output: string): void => {
    if (reached.has(output)) return
    reached.add(output)
    for (const { path: next, kind } of outputs[output]?.imports ?? [])
      if (kind === 'import-statement' && outputs[next] !== undefined) visit(next)
  }
  visit(index)
  return [...reached]
}

/** The merged module and its source map; `undefined` if it waits at its top level. */
async function mergedModule(
  outfile: string,
  contents: string,
  { files }: Bundled,
  start: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const folder = path.dirname(outfile)
  const { outputFiles } = await build({
    write: false,
    stdin: { contents, resolveDir: folder },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none', // those of the chunks are beside them
    logLevel: 'silent',
    plugins: [
      {
        name: 'keymgr-merge',
        setup(bundler) {
          bundler.onResolve({ filter: /^\.\// }, ({ path: name, kind }) => {
            const file = path.join(folder, name)
            // The manifest of the checkout calls its own modules free of side effects; a chunk contains packages too.
            return kind === 'import-statement' && start.has(file)
              ? { path: file, sideEffects: true }
              : { path: name, external: true }
          })
          bundler.onLoad({ filter: /\.mjs$/ }, ({ path: file }) => ({ contents: withMap(files, file), loader: 'js' }))
        },
      },
    ],
  })
  const [code] = outputFiles.filter(({ path: file }) => file === outfile)
  return code === undefined || (await waits(code.text))
    ? undefined
    : new Map(outputFiles.map((file) => [file.path, file.contents]))
}

/** A chunk with its source map inside, so that the merged module is mapped to the sources. */
function withMap(files: ReadonlyMap<string, Uint8Array>, file: string): string {
  const code = Buffer.from(files.get(file) ?? []).toString()
  const map = Buffer.from(files.get(`${file}.map`) ?? []).toString('base64')
  return code.replace(/\/\/# sourceMappingURL=.*\s*$/, `//# sourceMappingURL=data:application/json;base64,${map}\n`)
}

/** Whether a module has `await` at its top level, which a script cannot have. */
const waits = (code: string): Promise<boolean> =>
  transform(code, { format: 'iife', logLevel: 'silent' }).then(
    () => false,
    () => true,
  )
