import fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import type { Json } from '../../../shared/rego/json.ts'
import { compileDecision } from '../../../shared/rego/index.ts'
import { ask, faults, NOW } from './ask.ts'

/** A comparison of a member of the input with a constant. */
interface Comparison {
  readonly member: string
  readonly value: string
}

/** As policies are written, where an index applies; and the same without one, because both sides are computed. */
const WRITTEN = ({ member, value }: Comparison): string => `input.${member} == ${value}`
const UNIFIED = ({ member, value }: Comparison): string => `${value} = input.${member}`
const COMPUTED = ({ member, value }: Comparison): string => `[input.${member}] == [${value}]`

const VALUES = ['1', '1.0', '2.50', '"1"', '"a"', 'true', 'false', 'null', '"\\u0000a"', '[1]', '{"k": 1}']
const INPUTS: readonly Json[] = [1, 2.5, '1', 'a', true, false, null, '\0a', [1], { k: 1 }]

const comparison = fc.record({
  member: fc.constantFrom('a', 'b', 'c.d', 'list[0]'),
  value: fc.constantFrom(...VALUES),
})
const rule = fc.record({
  comparisons: fc.array(comparison, { maxLength: 3 }),
  /** a literal before the comparisons, or after them */
  before: fc.constantFrom('', 'true; ', 'count(input.list) > 0; ', 'not input.c; '),
  after: fc.constantFrom('', '; input.b', '; some x in input.list; x == 1'),
  value: fc.constantFrom('1', '1', '2', 'input.a'),
  otherwise: fc.constantFrom('', '', '', ' else := 3 if input.b == 1', ' else := 1'),
})
const member = fc.option(fc.constantFrom(...INPUTS), { nil: undefined })
const input = fc
  .record({
    a: member,
    b: member,
    c: fc.option(fc.record({ d: member }), { nil: undefined }),
    list: fc.array(fc.constantFrom(...INPUTS), { maxLength: 3 }),
  })
  .map((drawn) => JSON.parse(JSON.stringify(drawn)) as Json)

/** The answer, or the error of the evaluation. */
const outcome = async (module: string, given: Json): Promise<unknown> => {
  try {
    return await ask(module, { input: given })
  } catch (error) {
    return String(error).replaceAll(/\d+/g, '')
  }
}

type Spelling = (comparison: Comparison) => string

test('an index of rules changes no decision', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 4, maxLength: 9 }),
      fc.constantFrom('', 'default p := 0\n'),
      fc.array(input, { minLength: 3, maxLength: 3 }),
      async (rules, fallback, inputs) => {
        const module = (spelled: Spelling): string =>
          fallback +
          rules
            .map(
              ({ comparisons, before, after, value, otherwise }) =>
                `p := ${value} if { ${before}${[...comparisons.map(spelled), 'true'].join('; ')}${after} }${otherwise}`,
            )
            .join('\n')
        for (const given of inputs) {
          const plain = await outcome(module(COMPUTED), given)
          expect(await outcome(module(WRITTEN), given)).toEqual(plain)
          expect(await outcome(module(UNIFIED), given)).toEqual(plain)
        }
      },
    ),
    { numRuns: 150 },
  )
})

test('an index of rules that fill a set, an object or a function changes no document', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 4, maxLength: 9 }), input, async (rules, given) => {
      for (const head of ['p contains "k"', 'p.k', 'q(_) := 1', 'p["k"] contains']) {
        const module = (spelled: Spelling): string =>
          rules
            .map(({ comparisons, before, after, value }) => {
              const body = `if { ${before}${[...comparisons.map(spelled), 'true'].join('; ')}${after} }`
              if (head === 'p.k') return `p.k := ${value} ${body}`
              if (head === 'q(_) := 1') return `q(_) := ${value} ${body}`
              return head.endsWith('contains') ? `${head} ${value} ${body}` : `p contains ${value} ${body}`
            })
            .join('\n') + (head === 'q(_) := 1' ? '\np := q(7)' : '')
        expect(await outcome(module(WRITTEN), given)).toEqual(await outcome(module(COMPUTED), given))
      }
    }),
    { numRuns: 60 },
  )
})

test.each([
  'p := [r | r := input.a; r == roles[_]]',
  'p := [r | some r in roles; r == input.a]',
  'p := [r | some r in roles; input.a = r]',
  'p := [r | some r in input.list; r == input.a]',
  'p := [[k, r] | some k, r in roles; r == input.a]',
  'p if input.a == roles[_]',
  'p if not_in\nnot_in if { some r in roles; r == input.nothing }',
  'p := [r | some r in named; r == input.a]\nnamed contains r if some r in roles\nnamed contains "extra"',
  'p := rs if { rs := q with input.a as "a" }\nq := [r | some r in roles; r == input.a]',
  'p := [r | some r in set(); r == 1 / input.zero]',
])('a look-up in a set gives the solutions of its iteration: %s', async (module) => {
  for (const a of INPUTS) {
    const roles = `\nroles := {${VALUES.filter((value) => value !== '1.0').join(', ')}}`
    const given = { a, list: [1, 'a', 1] }
    const computed = module.replaceAll(
      /(\S+) ==? (input\.\w+|roles\[_\]|1 \/ input\.zero|r)(?=[\]; }\n]|$)/g,
      '[$1] == [$2]',
    )
    expect(computed).not.toBe(module)
    expect(await faults(computed + roles)).toEqual([])
    expect(await ask(module + roles, { input: given })).toEqual(await ask(computed + roles, { input: given }))
  }
})

test.each([
  [
    'rules',
    900,
    (count: number) =>
      Array.from({ length: count }, (_, at) => `p if { input.role == "role${at}"; input.on }`).join('\n'),
  ],
  [
    'rules of a set',
    900,
    (count: number) =>
      Array.from({ length: count }, (_, at) => `p contains "k" if input.role == "role${at}"`).join('\n'),
  ],
  [
    'members of a set',
    5_000,
    (count: number) =>
      `p if input.role == roles[_]\nroles := {${Array.from({ length: count }, (_, at) => `"role${at}"`).join()}}`,
  ],
  [
    'members of a set, by name',
    5_000,
    (count: number) =>
      `p if { some r in roles; r == input.role }\nroles := {${Array.from({ length: count }, (_, at) => `"role${at}"`).join()}}`,
  ],
])('a decision over many %s needs the steps of one over few', async (_what, many, module) => {
  for (const count of [10, many])
    for (const role of ['role7', `role${count - 1}`, 'none'])
      expect(await ask(module(count), { input: { role, on: true }, limits: { steps: 12 } })).toEqual(
        role === 'none'
          ? module(1).includes('contains')
            ? []
            : undefined
          : module(1).includes('contains')
            ? ['k']
            : true,
      )
})

test('an explanation names every rule that succeeds, and its position among all', async () => {
  const rules = Array.from({ length: 6 }, (_, at) => `allow if input.a == ${at % 2}`).join('\n')
  const policy = await compileDecision(`package t\n${rules}`, 'v1')
  expect(policy.explain({ a: 1 }, { now: NOW, seed: '' })).toEqual({
    kind: 'rule',
    rules: [1, 3, 5].map((index) => ({ index, row: index + 2 })),
  })
})
