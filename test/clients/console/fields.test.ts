import { expect, test } from 'vitest'
import { bodyOf, described, initialOf, type FieldRow } from '../../../clients/console/forms/fields.ts'
import { moved } from '../../../clients/console/list/moves.ts'

const FIELDS: readonly FieldRow[] = [
  { name: 'name', label: 'Name' },
  { name: 'param/days', label: 'Days', kind: 'number', initial: '30' },
  { name: 'param/tags', label: 'Tags', kind: 'lines' },
  { name: 'deep', label: 'Deep', kind: 'flag' },
  { name: 'until', label: 'Until', kind: 'day' },
  { name: 'policy', label: 'Policy', kind: 'json' },
  { name: 'password', label: 'Password', kind: 'secret' },
  { name: 'kek', label: 'Kek', when: ({ deep }) => deep === 'true' },
]
const shown = (values: Readonly<Record<string, string>>) => bodyOf(FIELDS, values, { reveal: false })

test('a body has the fields that are filled in, each where its pointer leads', () => {
  expect(
    shown({ ...initialOf(FIELDS), name: 'shop', 'param/tags': 'a\n\n b ', deep: 'true', until: '2030-01-02' }),
  ).toEqual({
    ...{ name: 'shop', deep: true, until: '2030-01-02T00:00:00.000Z' },
    param: { days: 30, tags: ['a', 'b'] },
  })
})

test('a field that is hidden is not sent, whatever it contained', () => {
  expect(shown({ kek: 'x' })).toEqual({})
  expect(shown({ kek: 'x', deep: 'true' })).toEqual({ kek: 'x', deep: true })
})

test('a flag that is on by default is sent as false when its box is cleared', () => {
  const [flag] = described({ recorded: { kind: 'flag', isOnByDefault: true } }, [
    { name: 'recorded', label: 'Recorded' },
  ])
  const fields = flag === undefined ? [] : [flag]
  expect(initialOf(fields)).toEqual({ recorded: 'true' })
  expect(bodyOf(fields, { recorded: 'true' }, { reveal: true })).toEqual({ recorded: true })
  expect(bodyOf(fields, { recorded: '' }, { reveal: true })).toEqual({ recorded: false })
})

test('JSON is sent as JSON, and malformed JSON as text, for the service to refuse', () => {
  expect(shown({ policy: '{"a":1}' })).toEqual({ policy: { a: 1 } })
  expect(shown({ policy: '{"a"' })).toEqual({ policy: '{"a"' })
})

test('a secret is in the body that is sent, and a name in the one that is shown', () => {
  expect(JSON.parse(JSON.stringify(shown({ password: 'open sesame' })))).toEqual({ password: '$PASSWORD' })
  expect(bodyOf(FIELDS, { password: 'open sesame' }, { reveal: true })).toEqual({ password: 'open sesame' })
})

test.each([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 99, 99],
  ['ArrowUp', 0, 0],
  ['PageDown', 95, 99],
  ['PageUp', 50, 40],
  ['Home', 50, 0],
  ['End', 0, 99],
  ['a', 5, undefined],
])('%s leads from row %i of a hundred to %s', (key, from, to) => {
  expect(moved(key, from, 100, 10)).toBe(to)
})
