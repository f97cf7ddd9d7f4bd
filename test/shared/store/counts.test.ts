import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'

const SHARED = path.join(import.meta.dirname, '../../../shared')

test('no record is called unused by a count that the commit does not rely on', () => {
  const files = fs
    .readdirSync(SHARED, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('store'))
  const deciding = files.filter((file) => fs.readFileSync(path.join(SHARED, file), 'utf8').includes("'IN_USE'"))
  expect(deciding.length).toBeGreaterThan(20)
  const counting = deciding.filter((file) =>
    /\bcountOf\(/.test(fs.readFileSync(path.join(SHARED, file), 'utf8')),
  )
  expect(counting).toEqual([])
})
