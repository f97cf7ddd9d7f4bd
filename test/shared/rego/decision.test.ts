import { expect, test } from 'vitest'
import { LIMITS, PolicyCache, brokenPolicy, compileDecision, compileUpload } from '../../../shared/rego/index.ts'
import { CompileWork } from '../../../shared/rego/work.ts'
import { PolicyError, type Json } from '../../../shared/rego/index.ts'

const OPTIONS = { now: 1n, seed: '' }

const PERIMETER = `package perimeter

default allow = false

allow {
	lower(input.authentication.email) == lower(input.authorization.email)
	not input.authentication.workspace_email
}

allow { input.perimeter_id == "takeout" }

allow { input.reason == {"audit", "support"}[_] }
`

test.each([
  ['the same person', { authentication: { email: 'Ann@x.org' }, authorization: { email: 'ann@x.org' } }, true, [0]],
  [
    'a field that must be missing',
    { authentication: { email: 'a', workspace_email: '' }, authorization: { email: 'a' } },
    false,
    [],
  ],
  [
    'a member that is undefined',
    { authentication: { email: 'a', workspace_email: undefined }, authorization: { email: 'a' } },
    true,
    [0],
  ],
  ['another rule', { perimeter_id: 'takeout' }, true, [1]],
  ['two rules', { perimeter_id: 'takeout', reason: 'audit' }, true, [1, 2]],
  ['no rule', { reason: 'none' }, false, []],
])('decides and says which rule did: %s', async (_what, input, allowed, rules) => {
  const policy = await compileUpload(PERIMETER)
  expect(policy.dialect).toBe('v0')
  expect(policy.decide(input, OPTIONS)).toEqual({ allowed, error: undefined })
  const by = policy.explain(input, OPTIONS)
  if (rules.length === 0) expect(by).toEqual({ kind: 'default', row: 3 })
  else expect(by).toEqual({ kind: 'rule', rules: rules.map((index) => ({ index, row: [5, 10, 12][index] })) })
})

/** only exactly `true` allows */
test.each([
  ['a truthy value', 'allow := 1'],
  ['text', 'allow := "true"'],
  ['false', 'allow := false'],
  ['undefined', 'allow if { input.none }'],
  ['a collection with true in it', 'allow := [true]'],
])('%s does not allow', async (_what, rules) => {
  const policy = await compileUpload(`package a\n${rules}`)
  expect(policy.decide({}, OPTIONS)).toEqual({ allowed: false, error: undefined })
})

test.each([
  ['a conflict', 'allow if { true }\nallow := 2 if { true }', 'eval_conflict_error'],
  [
    'a limit',
    'allow if { some a in xs; some b in xs; some c in xs; a + b + c == 0 }\nxs := numbers.range(1, 1000)',
    'eval_cancel_error',
  ],
])('%s denies, under its code', async (_what, rules, code) => {
  const policy = await compileUpload(`package a\n${rules}`)
  expect(policy.decide({}, OPTIONS)).toEqual({ allowed: false, error: code })
  expect(policy.explain({}, OPTIONS)).toEqual({ kind: 'none' })
})

test('a decision without input is one', async () => {
  const policy = await compileUpload('package a\nallow if { not input }')
  expect(policy.decide(undefined, OPTIONS)).toEqual({ allowed: true, error: undefined })
  expect(policy.decide({}, OPTIONS)).toEqual({ allowed: false, error: undefined })
})

/** an upload is v1 if it compiles as v1, else v0; errors are those of the more likely dialect */
test.each([
  ['neutral text', 'package a\ndefault allow := false', 'v1'],
  ['v1', 'package a\nallow if { true }', 'v1'],
  ['v0', 'package a\nallow { true }', 'v0'],
  ['v0 that asks for v1', 'package a\nimport rego.v1\nallow if { true }', 'v1'],
])('the dialect of an upload is determined: %s', async (_what, text, dialect) => {
  expect((await compileUpload(text)).dialect).toBe(dialect)
})

test.each([
  ['a fault in v0', 'package a\nallow { x > 1 }', 'policy.rego:2: rego_unsafe_var_error: var x is unsafe'],
  ['a fault in v1', 'package a\nallow if { x > 1 }', 'policy.rego:2: rego_unsafe_var_error: var x is unsafe'],
  [
    'no allow',
    'package a\nallowed := true',
    'policy.rego:1: rego_compile_error: package must define allow as a complete rule',
  ],
  ['allow as a set', 'package a\nallow contains 1', 'must define allow as a complete rule'],
  ['allow as a function', 'package a\nallow(x) := x', 'must define allow as a complete rule'],
  ['nothing', '', 'rego_parse_error'],
])('an upload is refused: %s', async (_what, text, message) => {
  await expect(compileUpload(text)).rejects.toThrow(message)
})

test.each([
  ['an indented old rule', 'package p\n  allow { inptu.a == 1; }\n', 'unsafe'],
  ['an old rule', 'package p\nallow { inptu.a == 1 }\n', 'unsafe'],
  [
    'a new rule with an object after as',
    'package p\nallow if data.p.x with input as {"a": 1} == 2 ==\nx := 1\n',
    'unexpected :=',
  ],
  ['an every in a new rule', 'package p\nallow if {\n  every x in input.xs {\n    x == unknown\n  }\n}\n', 'unknown'],
  ['a text that imports rego.v1', 'package p\nimport rego.v1\nallow { input.a == 1 }\n', 'if'],
])('the fault of %s is in its own dialect', async (_what, text, word) => {
  const refused = compileUpload(text)
  await expect(refused).rejects.toThrow(PolicyError)
  const error = await refused.catch((each: unknown) => each)
  expect(String(error)).toContain(word)
})

test('one text is another policy in the other dialect', async () => {
  const text = 'package a\nallow := true'
  const [older, newer] = [await compileDecision(text, 'v0'), await compileDecision(text, 'v1')]
  expect(older.hash).toMatch(/^[0-9a-f]{64}$/)
  expect(older.hash).not.toBe(newer.hash)
})

const numbered = (n: number): string => `package a\nallow if { input.n == ${n} }`

test('compiled policies are cached, and the least recently used is dropped', async () => {
  const kept = new PolicyCache(2)
  const [first, again] = await Promise.all([kept.get(numbered(1), 'v1'), kept.get(numbered(1), 'v1')])
  expect(again).toBe(first)
  await kept.get(numbered(2), 'v1')
  await kept.get(numbered(1), 'v1')
  await kept.get(numbered(3), 'v1')
  expect(kept.size).toBe(2)
  expect(await kept.get(numbered(1), 'v1')).toBe(first)
  expect(first.decide({ n: 1 } satisfies Json, OPTIONS).allowed).toBe(true)
})

test('faults are kept like policies, and a text that has some denies where it is stored', async () => {
  const kept = new PolicyCache(2)
  const fault = async (): Promise<unknown> => kept.get('package a', 'v1').catch((error: unknown) => error)
  const found = await fault()
  expect(found).toMatchObject({ message: expect.stringContaining('must define allow') })
  expect(await fault()).toBe(found)
  const broken = brokenPolicy('package a', 'v1', found as PolicyError)
  expect(broken.decide({}, OPTIONS)).toEqual({ allowed: false, error: 'rego_compile_error' })
  expect(broken.explain({}, OPTIONS)).toEqual({ kind: 'none' })
})

test('an upload is compiled once: its dialect, another upload and its decisions share the result', async () => {
  const kept = new PolicyCache(4)
  const text = 'package a\nallow { input.n == 1 }'
  const [first, again] = await Promise.all([kept.upload(text), kept.upload(text)])
  expect(again).toBe(first)
  expect(await kept.get(text, first.dialect)).toBe(first)
  const fault = async (): Promise<unknown> => kept.upload('package a').catch((error: unknown) => error)
  expect(await fault()).toBe(await fault())
})

test('a text that exceeded only its time is compiled again', async () => {
  const kept = new PolicyCache(2)
  const long = Array.from({ length: 300 }, (_, i) => `p${i} := input.x.y[${i}]`).join('\n')
  const text = `package a\nallow := true\n${long}`
  await expect(kept.upload(text, new CompileWork(LIMITS.compileSteps, -1))).rejects.toMatchObject({ timedOut: true })
  expect((await kept.upload(text)).dialect).toBe('v1')
})

test('the cache of policies is limited by size too', async () => {
  const kept = new PolicyCache(100, 150 * 150)
  const long = (n: number): string => `${numbered(n)} # ${'x'.repeat(60)}`
  for (let n = 0; n < 5; n++) await kept.get(long(n), 'v1')
  expect(kept.size).toBe(1)
})
