import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const ENTRY = fileURLToPath(new URL('../../../shared/rego/index.ts', import.meta.url))

/** Data planes contain it, and their cold start has a promised limit. */
const MOST_BYTES = 60 * 1_024

test('the interpreter stays small, and engines wait until a policy calls for them', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: { index: ENTRY },
    bundle: true,
    minify: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    outdir: 'out',
    mainFields: ['module', 'main'],
    metafile: true,
  })
  const start = outputFiles.find(({ path }) => path.endsWith('/index.js'))
  expect(start).toBeDefined()
  expect(gzipSync(start?.contents ?? '').length).toBeLessThan(MOST_BYTES)
  const inputs = Object.entries(metafile.outputs).find(([path]) => path.endsWith('index.js'))?.[1].inputs ?? {}
  expect(Object.keys(inputs).filter((path) => path.includes('node_modules'))).toEqual([])
  const packages = Object.keys(metafile.inputs).flatMap((path) => /node_modules\/([^/]+)/.exec(path)?.[1] ?? [])
  expect(new Set(packages)).toEqual(new Set(['re2js', 'yaml']))
})
