import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'

const SHARED = path.join(import.meta.dirname, '../../../shared')

test('no record is called unused by a count that the commit does not rely on', () => {
  const files = fs
    .readdirSync(SHARED, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('store'))
  const sources = files.map((file) => [file, fs.readFileSync(path.join(SHARED, file), 'utf8')] as const)
  expect(sources.filter(([, source]) => /relyOnCount\([^]{0,500}'IN_USE'/.test(source)).length).toBeGreaterThan(4)
  expect(sources.filter(([, source]) => /\bcountOf\([^]{0,500}'IN_USE'/.test(source)).map(([file]) => file)).toEqual([])
})
