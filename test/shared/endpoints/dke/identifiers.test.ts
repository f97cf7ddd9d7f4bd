import { expect, test } from 'vitest'
import { uuid } from '../../../../shared/base/ids.ts'
import { keyPathOf, versionIn, versionUuid } from '../../../../shared/endpoints/dke/identifiers.ts'

const endpoint = uuid(new Date())
const UUID_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/

test.each([0, 1, 15, 16, 4_095, 2 ** 47])('the id of version %i is a UUID that identifies it', (version) => {
  const id = versionUuid(endpoint, version)
  expect(id).toMatch(UUID_8)
  expect(versionIn(endpoint, id)).toBe(version)
})

test('an id is unknown at another endpoint, changed, in capitals, or malformed', () => {
  const id = versionUuid(endpoint, 10)
  for (const other of [versionUuid(uuid(new Date()), 10), `${id}0`, id.toUpperCase(), id.replace(/^./, 'x'), '', '10'])
    expect(versionIn(endpoint, other), other).toBeUndefined()
})

test('the name of a key is one segment of a path', () => {
  expect(keyPathOf({ id: 'e', kek_name: 'a/b c?' })).toMatch(/\/endpoints\/e\/keys\/a%2Fb%20c%3F$/)
})
