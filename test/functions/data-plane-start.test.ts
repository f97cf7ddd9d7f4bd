import * as path from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { FUNCTIONS } from '../../infra/functions.ts'

const ROOT = path.join(import.meta.dirname, '../..')

/** The sources that a start of a function loads, before its first call. */
async function loadedAtStart(name: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`functions/${name}/handler.ts`],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'nowhere',
  })
  const [output] = Object.keys(metafile.outputs).filter((file) => path.basename(file) === 'handler.js')
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const { path: next, kind } of metafile.outputs[file]?.imports ?? [])
      if (kind === 'import-statement') visit(next)
  }
  visit(output ?? '')
  return [...reached].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}))
}

const dataPlanes = FUNCTIONS.filter(({ budgetMs }) => budgetMs !== undefined).map(({ name }) => name)

test.each(dataPlanes)(
  '%s starts without the interpreter of policies and without the store of records',
  async (name) => {
    const loaded = await loadedAtStart(name)
    expect(loaded.length).toBeGreaterThan(5)
    expect(loaded.filter((file) => /^shared\/(rego\/(eval|parse|compile)|store\/table)/.test(file))).toEqual([])
  },
)
