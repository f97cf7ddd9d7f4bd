import { expect, test } from 'vitest'
import { changesOf, filledFrom } from '../../../clients/console/forms/changes.ts'
import type { FieldRow } from '../../../clients/console/forms/fields.ts'

const FIELDS: readonly FieldRow[] = [
  { name: 'name', label: 'Name' },
  { name: 'param/deep', label: 'Deep', kind: 'flag' },
  { name: 'param/tags', label: 'Tags', kind: 'lines' },
  { name: 'until', label: 'Until', kind: 'day' },
  { name: 'kek', label: 'Kek', when: (values) => values['param/deep'] === 'true' },
]
const BEFORE = { name: 'shop', param: { deep: true, tags: ['a', 'b'] }, until: '2030-01-02T03:04:05.000Z', kek: 'x' }
const changes = (body: object) => changesOf(filledFrom(FIELDS, BEFORE), body as Readonly<Record<string, unknown>>)

test.each([
  ['nothing, where nothing differs', BEFORE, {}],
  ['nothing, where a day is the same', { ...BEFORE, until: '2030-01-02T00:00:00.000Z' }, {}],
  ['what differs alone', { ...BEFORE, name: 'store' }, { name: 'store' }],
  ['null for what was emptied', { param: BEFORE.param, kek: 'x' }, { name: null, until: null }],
  ['a list as a whole', { ...BEFORE, param: { deep: true, tags: ['a'] } }, { param: { tags: ['a'] } }],
])('a change says %s', (_what, body, changed) => {
  expect(changes(body)).toEqual(changed)
})

test('a flag that was taken away is false, and a field that is not asked for then is not changed', () => {
  const { kek: _, ...shown } = { ...BEFORE, param: { tags: ['a', 'b'] } }
  expect(changes(shown)).toEqual({ param: { deep: false } })
})
