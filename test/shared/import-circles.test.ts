import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '../..')
const IMPORT = /^(?:import|export)\b[^'\n]*(?:\{[^}]*\})?[^'\n]*from '(\.[^']+)'/gm

const filesBelow = (folder: string): string[] =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .map((file) => path.join(ROOT, folder, file))

const importsOf = (file: string): string[] =>
  Array.from(fs.readFileSync(file, 'utf8').matchAll(IMPORT), ([, from]) => path.join(path.dirname(file), from ?? ''))

/** The first import cycle that a depth-first search finds, or undefined. */
function circleIn(files: readonly string[]): string[] | undefined {
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (file: string): string[] | undefined => {
    const at = trail.indexOf(file)
    if (at !== -1) return [...trail.slice(at), file]
    if (done.has(file)) return undefined
    trail.push(file)
    for (const next of importsOf(file)) {
      const circle = visit(next)
      if (circle) return circle
    }
    trail.pop()
    done.add(file)
    return undefined
  }
  for (const file of files) {
    const circle = visit(file)
    if (circle) return circle.map((one) => path.relative(ROOT, one))
  }
  return undefined
}

test.each(['shared', 'functions', 'infra', 'clients'])(
  'no files of %s import each other in a circle, not even types',
  (folder) => {
    expect(circleIn(filesBelow(folder))).toBeUndefined()
  },
)

test('the walk finds a circle', () => {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'circle-'))
  const [a = '', b = ''] = ['a.ts', 'b.ts'].map((name) => path.join(folder, name))
  fs.writeFileSync(a, "import { b } from './b.ts'\n")
  fs.writeFileSync(b, "import type {\n  a,\n} from './a.ts'\n")
  expect(circleIn([a])).toHaveLength(3)
  fs.rmSync(folder, { recursive: true })
})
