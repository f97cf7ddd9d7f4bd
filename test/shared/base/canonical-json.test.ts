import { expect, test } from 'vitest'
import { canonicalJson } from '../../../shared/base/canonical-json.ts'
import fc from '../../support/fast-check.ts'
import { anyJson } from '../../support/json-schema.ts'

// RFC 8785, §3.2.2 to §3.2.4, and the order of §3.2.3
test('the example of the specification has its canonical form', () => {
  const example = {
    numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  }
  expect(canonicalJson(example)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
})

test('members are in the order of their UTF-16 code units', () => {
  const example = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  }
  const values = Object.values(JSON.parse(canonicalJson(example)) as Record<string, string>)
  expect(
    canonicalJson(example)
      .match(/":"[^"]*/g)
      ?.map((text) => text.slice(3)),
  ).toEqual([
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ])
  expect(values).toHaveLength(7)
})

test('members without a value are left out', () => {
  expect(canonicalJson({ b: undefined, a: [undefined, -0] })).toBe('{"a":[null,0]}')
})

test('canonical JSON parses to the same value, and has one form', () => {
  fc.assert(
    fc.property(anyJson(), (value) => {
      const stored = JSON.parse(JSON.stringify(value)) as unknown
      const text = canonicalJson(stored)
      expect(JSON.parse(text)).toEqual(stored)
      expect(canonicalJson(JSON.parse(text))).toBe(text)
    }),
  )
})
