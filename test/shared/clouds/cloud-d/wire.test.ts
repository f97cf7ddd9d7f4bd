import { expect, test } from 'vitest'
import { Key, KeySummary, Version } from '../../../../shared/clouds/cloud-d/adapter/wire.ts'

const version = (timeCreated: string, more: object = {}) => Version.parse({ id: 'v', timeCreated, ...more })

test.each([
  ['an offset', '2026-01-01T01:00:00+02:00', '2025-12-31T23:00:00.000Z'],
  ['a year of five digits', '+010000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
  ['a text that is none', 'yesterday', '1970-01-01T00:00:00.000Z'],
])('a time with %s is kept as one in UTC that records can have', (_what, given, kept) => {
  expect(version(given).timeCreated).toBe(kept)
})

test('an invalid time of deletion is absent', () => {
  expect(version('2026-01-01T00:00:00Z', { timeOfDeletion: 'soon' }).timeOfDeletion).toBeUndefined()
  expect(version('2026-01-01T00:00:00Z', { timeOfDeletion: null }).timeOfDeletion).toBeUndefined()
})

test('an item of a list of keys needs only its id', () => {
  expect(KeySummary.parse({ id: 'k' })).toEqual({ id: 'k', freeformTags: {} })
  expect(KeySummary.parse({ id: 'k', timeCreated: '+010000-01-01T00:00:00Z', freeformTags: { odd: 7 } }).id).toBe('k')
  expect(() => KeySummary.parse({ timeCreated: '2026-01-01T00:00:00Z' })).toThrow()
})

test('a key with an unusual time is read', () => {
  const shape = { algorithm: 'AES', length: 32 }
  const key = { id: 'k', compartmentId: 'c', displayName: 'n', keyShape: shape, lifecycleState: 'ENABLED' }
  expect(Key.parse({ ...key, timeCreated: '+010000-01-01T00:00:00Z' })).toMatchObject({ id: 'k' })
})
