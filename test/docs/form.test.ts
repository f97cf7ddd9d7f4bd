import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { blockName, blocksOf, MARKS, ownTestOf, PAGES, ROOT, usesSession, type Block } from './pages.ts'

/** Every block on every page is valid in its language, whether or not it is run. */
const BLOCKS = PAGES.flatMap(blocksOf)

const shellFault = (text: string): string => spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' }).stderr

function jsonFault(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return String(error)
  }
}

const scriptFault = (text: string, fileName: string): string =>
  (ts.transpileModule(text, { reportDiagnostics: true, fileName }).diagnostics ?? [])
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    .join('\n')

function yamlFault(text: string): string {
  try {
    parse(text)
    return ''
  } catch (error) {
    return String(error)
  }
}

/** @returns the error of a text, or an empty string */
const FAULTS: Readonly<Record<string, (text: string) => string>> = {
  sh: shellFault,
  json: jsonFault,
  yaml: yamlFault,
  ts: (text) => scriptFault(text, 'block.ts'),
  tsx: (text) => scriptFault(text, 'block.tsx'),
  js: (text) => scriptFault(text, 'block.js'),
  text: () => '',
}

test('every block names its language and has its form', () => {
  const faults = BLOCKS.map((block) => {
    const fault = FAULTS[block.language]?.(block.text) ?? `no such language: "${block.language}"`
    return fault === '' ? '' : `${blockName(block)}: ${fault}`
  })
  expect(faults.filter((fault) => fault !== '')).toEqual([])
})

test('every mark of a block is one that the walker knows', () => {
  const known = Object.values(MARKS)
  const unknown = BLOCKS.flatMap((block) =>
    block.marks
      .filter((mark) => !known.some((pattern) => pattern.test(mark)) && !/^(?:run by: |in the root)/.test(mark))
      .map((mark) => `${blockName(block)}: ${mark}`),
  )
  expect(unknown).toEqual([])
})

test('a page that another test runs is read by that test', () => {
  const named = PAGES.flatMap((page) => {
    const own = ownTestOf(page)
    return own === undefined ? [] : [[page, own] as const]
  })
  expect(named).not.toEqual([])
  for (const [page, own] of named)
    expect(fs.readFileSync(path.join(ROOT, own), 'utf8'), page).toContain(path.basename(page))
})

/** Names that docs/session.sh defines, or that exist in the environment of its users. */
const GIVEN = /^(?:BASE|TOKEN|HOME|PATH|PWD|KEYMGR_[A-Z_]+|AWS_[A-Z_]+|XDG_[A-Z_]+)$/

/** Variables in shell blocks of a page that no earlier block sets. */
function unsetVariables(blocks: readonly Block[]): string[] {
  const set = new Set<string>()
  return blocks.flatMap((block) => {
    for (const [, name = ''] of block.text.matchAll(/(?:^|[\s;(])(?:for |read |export )?([A-Za-z_]\w*)(?==| in )/g))
      set.add(name)
    return [...block.text.matchAll(/\$\{?([A-Za-z_]\w*)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !set.has(name) && !GIVEN.test(name))
      .map((name) => `${blockName(block)}: ${name}`)
  })
}

test('shell blocks use variables that the page sets', () => {
  const shell = (page: string) => blocksOf(page).filter(({ language }) => language === 'sh')
  expect(PAGES.flatMap((page) => unsetVariables(shell(page)))).toEqual([])
})

test('a page that uses the calls of the session begins with it', () => {
  const CALLS = /^(?:\w+=\$\()?(?:get|post|patch|put|delete|endpoints) /m
  const without = PAGES.filter(
    (page) => blocksOf(page).some(({ language, text }) => language === 'sh' && CALLS.test(text)) && !usesSession(page),
  )
  expect(without).toEqual([])
})
