import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { matching, operationsOf, partOf, type Description } from '../../../clients/guide/description.ts'

const FILE = new URL('../../../clients/openapi.json', import.meta.url)
const WHOLE = JSON.parse(readFileSync(FILE, 'utf8')) as Description
const OPERATIONS = operationsOf(WHOLE)
const REFERENCE = /"#\/components\/([^/"]+)\/([^/"]+)"/g

/** References of a description that lead nowhere. */
const dangling = (part: Description): string[] =>
  [...JSON.stringify(part).matchAll(REFERENCE)]
    .filter(([, kind = '', name = '']) => part.components[kind]?.[name] === undefined)
    .map(([reference]) => reference)

test.each(WHOLE.tags.map(({ name }) => name))('the part of %s has its operations and all that they name', (tag) => {
  const some = OPERATIONS.filter((operation) => operation.tag === tag)
  const part = partOf(WHOLE, some)
  expect(operationsOf(part)).toEqual(some)
  expect(dangling(part)).toEqual([])
  for (const { path, method } of some) expect(part.paths[path]?.[method]).toBe(WHOLE.paths[path]?.[method])
})

test('the parts are together all operations, and a part is small', () => {
  expect(OPERATIONS.filter(({ tag }) => !WHOLE.tags.some(({ name }) => name === tag))).toEqual([])
  const [one] = OPERATIONS
  expect(JSON.stringify(partOf(WHOLE, one ? [one] : [])).length).toBeLessThan(JSON.stringify(WHOLE).length / 10)
})

test('the filter finds operations by any words of path, method and summary', () => {
  const found = matching(OPERATIONS, 'POST  Keys2 rotate')
  expect(found.length).toBeLessThan(OPERATIONS.length / 10)
  for (const { text } of found) for (const word of ['post', 'keys2', 'rotate']) expect(text).toContain(word)
  expect(matching(OPERATIONS, 'no such operation')).toEqual([])
  expect(matching(OPERATIONS, '')).toEqual(OPERATIONS)
})
