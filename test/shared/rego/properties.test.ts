import fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { LIMITS } from '../../../shared/rego/limits.ts'
import { parseNumber } from '../../../shared/rego/number.ts'
import { fromJson, toJsonText } from '../../../shared/rego/json.ts'
import { parseModule } from '../../../shared/rego/parse/module.ts'
import type { Module } from '../../../shared/rego/ast.ts'
import { RegoObject, RegoSet, compare, equal, keyOf } from '../../../shared/rego/value.ts'
import type { Value } from '../../../shared/rego/value.ts'
import { ask } from './ask.ts'
import { print } from './print.ts'

const parsed = (text: string): Module => {
  const result = parseModule(text, 'v1', LIMITS)
  if ('faults' in result) throw new Error(`${text}: ${result.faults.map(({ message }) => message).join()}`)
  return result.ok
}

/** Any term, as text. */
const { term } = fc.letrec<{ term: string; body: string }>((tie) => {
  const inner = tie('term')
  const name = fc.constantFrom('x', 'y', 'input', 'data', 'if.a', 'input.a["b"]')
  const operator = fc.constantFrom('+', '-', '*', '/', '%', '|', '&', '==', '!=', '<', '<=', '>', '>=', 'in')
  return {
    body: fc.oneof(
      inner,
      fc.tuple(inner, inner).map(([a, b]) => `${a} = ${b}`),
      fc.tuple(name, inner).map(([a, b]) => `not ${a} == ${b} with input as ${b}`),
      inner.map((a) => `some k, v in ${a}`),
      inner.map((a) => `every v in ${a} { v; ${a} }`),
    ),
    term: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('null', 'true', '1', '-2.50', '1e3', '"a\\n{b}"', '`raw\\`', '{}', 'set()', '_'),
      name,
      fc.array(inner, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      fc
        .array(inner, { minLength: 1, maxLength: 3 })
        .map((items) => `{${items.map((item) => `(${item})`).join(', ')}}`),
      fc.tuple(inner, inner).map(([key, value]) => `{(${key}): (${value})}`),
      fc.tuple(inner, operator, inner).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      fc.tuple(inner, inner, operator, inner).map(([a, b, sign, c]) => `(${a}) + (${b}) ${sign} (${c})`),
      fc.tuple(inner, inner).map(([a, b]) => `f(${a}, ${b}).k`),
      inner.map((a) => `$"text {${a}} \\{"`),
      fc.tuple(inner, tie('body')).map(([a, body]) => `[(${a}) | ${body}]`),
      fc.tuple(inner, tie('body')).map(([a, body]) => `{(${a}): 1 | ${body}}`),
    ),
  }
})

test('a printed policy parses to one that prints the same', () => {
  fc.assert(
    fc.property(term, term, (a, b) => {
      const once = print(
        parsed(`package t.x\nimport input.q as r\np[k] := ${a} if { k := ${b} }\nq contains ${a}\ndefault f(_) := 1`),
      )
      expect(print(parsed(once))).toBe(once.replaceAll('{ true; ', '{ true; true; '))
    }),
    { numRuns: 200 },
  )
})

test('any text is parsed, or refused with a place', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(term, fc.constantFrom('{', '}', '[', '(', ' if ', ' := ', '\n', '$"{', 'not ')), {
        maxLength: 8,
      }),
      (pieces) => {
        const result = parseModule(`package t\np ${pieces.join('')}`, 'v1', LIMITS)
        if ('faults' in result) for (const { at } of result.faults) expect(at).toBeGreaterThanOrEqual(0)
      },
    ),
    { numRuns: 300 },
  )
})

test('the order of literals does not matter', async () => {
  const literals = [
    'xs := input.xs',
    'some x in xs',
    'y = x * z',
    'z = count(xs)',
    'not bad[y]',
    'w := [v | v := xs[_]; v > x]',
    'count(w) > 0',
  ]
  const module = (body: readonly string[]): string => `p contains [x, y, w] if {\n${body.join('\n')}\n}\nbad contains 8`
  const wanted = await ask(module(literals), { input: { xs: [1, 2, 3, 4] } })
  expect(wanted).toEqual([
    [1, 4, [2, 3, 4]],
    [3, 12, [4]],
  ])
  // a name must be assigned before it is used; all other literals can be reordered
  const [first = '', ...rest] = literals
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(rest, { minLength: rest.length }), async (order) => {
      fc.pre(
        order.indexOf('some x in xs') <
          Math.min(
            order.indexOf('y = x * z'),
            order.findIndex((one) => one.startsWith('w :=')),
          ),
      )
      fc.pre(order.findIndex((one) => one.startsWith('w :=')) < order.indexOf('count(w) > 0'))
      expect(await ask(module([first, ...order]), { input: { xs: [1, 2, 3, 4] } })).toEqual(wanted)
    }),
    { numRuns: 40 },
  )
})

const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Value>(
      null,
      true,
      false,
      '',
      '\0',
      '\0\0',
      '😀',
      '\uffff',
      parseNumber('3.0') ?? 3,
      parseNumber('0.1') ?? 0,
    ),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map((big) => parseNumber(String(big)) ?? 0),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => RegoSet.from(items)),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((entries) => RegoObject.from(entries)),
  ),
})).value

test('equal values have one key, different ones different keys; the order agrees', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(keyOf(a) === keyOf(b)).toBe(equal(a, b))
      expect(compare(a, b) === 0).toBe(equal(a, b))
      expect(Math.sign(compare(a, b))).toBe(0 - Math.sign(compare(b, a)))
      expect(equal(a, a)).toBe(true)
    }),
  )
})

test('the order is transitive for any three values', () => {
  fc.assert(
    fc.property(fc.tuple(value, value, value), (three) => {
      const [a = null, b = null, c = null] = [...three].sort(compare)
      expect(compare(a, b)).toBeLessThanOrEqual(0)
      expect(compare(b, c)).toBeLessThanOrEqual(0)
      expect(compare(a, c)).toBeLessThanOrEqual(0)
    }),
  )
})

test('JSON is unchanged after both conversions', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (json) => {
      const plain: unknown = JSON.parse(JSON.stringify(json), (_key, member: unknown) =>
        typeof member === 'string' ? member.toWellFormed() : member,
      )
      expect(JSON.parse(toJsonText(fromJson(plain as string)))).toEqual(plain)
    }),
    { numRuns: 40, examples: [[[{ '\0': 0, '\0\0': [{ '\0o': 1 }] }]]] },
  )
})
