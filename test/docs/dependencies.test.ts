import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { PACKAGES, ROOT, textOf } from './pages.ts'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')) as Manifest

function namesIn(folder: string): string[] {
  const { dependencies, devDependencies, optionalDependencies } = manifestOf(folder)
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
}

test('every dependency has its reason', () => {
  const page = textOf('docs/contributing/dependencies.md')
  const isShort = (name: string) => name.startsWith('@aws-sdk/client-') && page.includes(`\`${name.slice(15)}\``)
  const installed = [...namesIn('.'), ...namesIn('infra/tools')]
  expect(installed.filter((name) => !page.includes(`\`${name}\``) && !isShort(name))).toEqual([])
})

test('every reason is that of a dependency', () => {
  const installed = [...namesIn('.'), ...namesIn('infra/tools')]
  const reasons = [...textOf('docs/contributing/dependencies.md').matchAll(/^- (.+?):/gm)].map(([, list = '']) => list)
  const named = reasons.flatMap((list) => [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  const isKnown = (name: string) => installed.includes(name) || installed.includes(`@aws-sdk/client${name}`)
  expect(named.filter((name) => !isKnown(name))).toEqual([])
})

test.each(PACKAGES)('%s has a page with the reason of every dependency', (folder) => {
  const page = textOf(`${folder}/README.md`)
  const reasons = page.slice(page.indexOf('## Dependencies'))
  const foreign = Object.keys(manifestOf(folder).dependencies ?? {}).filter((name) => !name.startsWith('@keymgr/'))
  expect(foreign.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([])
})
