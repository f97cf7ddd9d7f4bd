import { expect, test } from 'vitest'
import { compileDecision, compileUpload } from '../../../shared/rego/index.ts'
import { LIMITS } from '../../../shared/rego/limits.ts'
import { CompileWork } from '../../../shared/rego/work.ts'
import type { Json } from '../../../shared/rego/json.ts'
import { ask, compiled, faults, NOW } from './ask.ts'

const names = (count: number, from: number): string => Array.from({ length: count }, (_, i) => `n${i + from}`).join()
const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n')

/** one text just within each limit of compilation, and one beyond it */
test.each([
  ['text', (n: number) => `p := 1 #${'x'.repeat(n)}`, LIMITS.policyBytes - 18, 'policy is larger than 65536 bytes'],
  ['brackets', (n: number) => `p := ${'['.repeat(n)}${']'.repeat(n)}`, LIMITS.parserDepth, 'nested too deep'],
  ['parentheses', (n: number) => `p := ${'('.repeat(n)}1${')'.repeat(n)}`, LIMITS.parserDepth, 'nested too deep'],
  ['operators', (n: number) => `p := 1${' + 1'.repeat(n)}`, LIMITS.parserDepth, 'nested too deep'],
  ['signs', (n: number) => `p := ${'-'.repeat(n)}1`, LIMITS.parserDepth, 'nested too deep'],
  ['templates', (n: number) => `p := ${'$"{'.repeat(n)}1${'}"'.repeat(n)}`, LIMITS.parserDepth, 'nested too deep'],
  ['rules', (n: number) => lines(n, (i) => `p${i} := 1`), LIMITS.rules, 'too many rules in the policy'],
  ['branches', (n: number) => `p := 1 if false${' else := 2 if false'.repeat(n - 1)}`, LIMITS.rules, 'too many rules'],
  [
    'expressions',
    (n: number) => lines(n / 50, (i) => `p${i} if { ${'1;'.repeat(50)} }`),
    LIMITS.literals,
    'too many expressions in the policy',
  ],
  ['one body', (n: number) => `p if { ${'1;'.repeat(n)} }`, LIMITS.bodyLiterals, 'too many expressions in one body'],
])('a policy is bounded in %s', async (_what, text, limit, message) => {
  expect(await faults(text(limit))).toEqual([])
  const [fault = ''] = await faults(text(limit + 50))
  expect(fault).toContain('rego_compile_error')
  expect(fault).toContain(message)
})

/** a thousand digits cost as much as their number, an exponent as much as its power: both are bounded */
test.each([
  ['1e2426', undefined],
  ['1e2427', 'number too big'],
  ['1e30102', 'number too big'],
  ['1e-2427', undefined],
  ['1e-2428', undefined],
  ['1e-2429', 'number too big'],
  ['1e-30102', 'number too big'],
  ['0e99999999', undefined],
  ['0.0e-99999999', undefined],
  [`0.${'0'.repeat(60_000)}`, undefined],
  [`0.${'0'.repeat(60_000)}1`, 'number too big'],
  ['9'.repeat(1234), undefined],
  ['9'.repeat(1235), 'number too big'],
])('a number is bounded in exponent and digits: %.20s', async (literal, message) => {
  const found = await faults(`p := ${literal}`)
  if (message === undefined) expect(found).toEqual([])
  else expect(found.join()).toContain(`rego_parse_error: ${message}`)
  if (message === 'number too big') expect(await ask(`p := to_number("${literal}")`)).toBeUndefined()
})

test('repeated parsing of ambiguous text is limited', async () => {
  const opened = 40
  const text = `import future.keywords.not\np if ${'not {{1 | '.repeat(opened)}true${'}}'.repeat(opened)}`
  expect((await faults(text))[0]).toContain('rego_compile_error: expression is too complex')
})

/** each is within every other limit */
test.each([
  ['a chain of patterns', (n: number) => `p if { [${names(n + 1, 0)}] = [${names(n, 1)},1] }`, 700],
  [
    'every operand under every with',
    (n: number) => `p if not count([${'input.x,'.repeat(n)}])${' with input as 1'.repeat(n)}`,
    150,
  ],
  ['closures in closures', (n: number) => lines(n, (i) => `p${i} := ${'[x|x:='.repeat(60)}1${']'.repeat(60)}`), 30],
])('compiling is limited to a number of steps: %s', async (_what, text, fine) => {
  expect(await faults(text(fine))).toEqual([])
  expect(await faults(text(fine * 4))).toEqual(['1: rego_compile_error: policy takes too much work to compile'])
})

test('an upload has one budget for both dialects, and a time limit; a stored text has the same steps', async () => {
  const text = `package a\ndefault allow = false\nallow { input.x == 1 }\n`
  const tooMuch = { faults: [{ code: 'rego_compile_error', message: 'policy takes too much work to compile' }] }
  let needed = 0
  for (; needed < 1_000; needed++)
    if (await compileDecision(text, 'v0', new CompileWork(needed)).then(Boolean, () => false)) break
  await expect(compileDecision(text, 'v0', new CompileWork(needed - 1))).rejects.toMatchObject({
    ...tooMuch,
    timedOut: false,
  })
  await expect(compileUpload(text, new CompileWork(needed))).rejects.toMatchObject(tooMuch)
  expect((await compileUpload(text, new CompileWork(2 * needed))).dialect).toBe('v0')
  const late = `${text}${lines(200, (i) => `p${i} { input.x == ${i} }`)}`
  await expect(compileUpload(late, new CompileWork(LIMITS.compileSteps, -1))).rejects.toMatchObject({
    ...tooMuch,
    timedOut: true,
  })
})

test('a body in the worst order is ordered without trying every order', async () => {
  const count = LIMITS.bodyLiterals - 1
  expect(await ask(`p := a0 if {\n${lines(count, (i) => `a${i} = a${i + 1}`)}\na${count} = 1\n}`)).toBe(1)
})

test('patterns that bind each other in the worst order are ordered too', async () => {
  const count = 500
  const left = Array.from({ length: count }, (_, i) => `a${i}`)
  const right = [...left.slice(1), '1']
  expect(await ask(`p := a0 if { [${left.join()}] = [${right.join()}] }`)).toBe(1)
})

test('the refusal of rules that all depend on each other names some of them, briefly', async () => {
  const needs = (i: number): string => [1, 2, 3, 4, 5].map((j) => `r${(i * 7 + j * 31 + 1) % 900}`).join('; ')
  const found = await faults(lines(900, (i) => `r${i} if { ${needs(i)} }`))
  expect(found).toHaveLength(10)
  for (const fault of found) {
    expect(fault).toContain('rego_recursion_error')
    expect(fault.length).toBeLessThan(300)
  }
})

const doubled = (count: number): string => lines(count, (i) => `x${i + 1} := [x${i}, x${i}]`)

test('long texts cost as much as their comparison', async () => {
  const long = `concat("", [x | some i in numbers.range(1, 1000); x := "${'9'.repeat(1000)}"])`
  const module = (compared: string): string =>
    `s := ${long}\nt := concat("", [s, "a"])\nu := concat("", [s, "b"])\np if { some k in numbers.range(1, 2000); ${compared} }`
  for (const compared of ['t > u', 't == u', 't == concat("", [u, ""])'])
    await expect(ask(module(compared))).rejects.toMatchObject({ code: 'eval_cancel_error' })
})

/** one hostile policy for each limit of evaluation */
test.each([
  [
    'steps',
    'p if { some a in xs; some b in xs; some c in xs; a + b + c == 0 }\nxs := numbers.range(1, 1000)',
    'too many steps',
  ],
  ['values built', 'p := count([[a, b] | some a in xs; some b in xs])\nxs := numbers.range(1, 600)', 'too many values'],
  ['a value that shares its parts', `p if { x40 == x40; {x40} }\nx0 := [1]\n${doubled(40)}`, 'value is too large'],
  ['keys of sets', 'p := count({[xs, i] | some i in xs})\nxs := numbers.range(1, 5000)', 'too many steps'],
  [
    'text of results',
    'p := [big | some _ in xs]\nbig := concat("", ["0123456789" | some _ in xs])\nxs := numbers.range(1, 6000)',
    'value is too large',
  ],
  [
    'a string',
    `p := s30\ns0 := "0123456789"\n${lines(30, (i) => `s${i + 1} := concat("", [s${i}, s${i}])`)}`,
    'string',
  ],
  [
    'a template',
    `p := s30\ns0 := "0123456789"\n${lines(30, (i) => `s${i + 1} := $"{s${i}}{s${i}}"`)}`,
    'string too long',
  ],
  [
    'an integer',
    `p := x30\nx0 := 99999\n${lines(30, (i) => `x${i + 1} := x${i} * x${i}`)}`,
    'integer of over 4096 bits',
  ],
  [
    'calls inside each other',
    `p := f0(1)\n${lines(400, (i) => `f${i}(x) := f${i + 1}(x)`)}\nf400(x) := x`,
    'nested too deep',
  ],
  ['iterations inside each other', `p if {\n${lines(990, (i) => `s[a${i}]`)}\n}\ns contains 1`, 'nested too deep'],
  ['the result', 'p := numbers.range(1, 30000)', 'result is too large'],
])('an evaluation is bounded in %s, and the next one is not affected', async (_what, module, message) => {
  const policy = await compiled(`${module}\nfine := 1`)
  const options = { now: NOW, seed: '', limits: { wallClockMs: 20_000 } }
  for (let i = 0; i < 2; i++) {
    expect(() => policy.document(['t', 'p'], options)).toThrow(message)
    expect(policy.document(['t', 'fine'], options).value).toBe(1)
  }
})

test('the time limit ends work within the step limit', async () => {
  const limits = { wallClockMs: 0, steps: 1_000_000_000 }
  const endless = 'p if { some a in xs; some b in xs; some c in xs; a + b + c == 0 }\nxs := numbers.range(1, 1000)'
  await expect(ask(endless, { limits })).rejects.toMatchObject({
    code: 'eval_cancel_error',
    message: 'evaluation took too long',
  })
})

test('an input is bounded in size and depth', async () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)])
  const policy = await compiled('p := 1')
  const read = (input: Json): unknown => policy.document(['t', 'p'], { now: NOW, seed: '', input }).value
  expect(read(nested(LIMITS.inputDepth))).toBe(1)
  expect(() => read(nested(LIMITS.inputDepth + 1))).toThrow('input is nested too deep')
  expect(read('x'.repeat(LIMITS.inputSize - 1))).toBe(1)
  expect(() => read('x'.repeat(LIMITS.inputSize))).toThrow('input is too large')
  expect(() => read({ ['k'.repeat(LIMITS.inputSize)]: 1 })).toThrow('input is too large')
})

test('under any step limit the answer is complete, or absent', async () => {
  const module = 'p contains [x, y] if { some x in [1, 2, 3]; some y in [x, x * 2]; not q[y] }\nq contains 4'
  const whole = await ask(module)
  let refused = 0
  for (let steps = 0; steps < 80; steps++) {
    const outcome = await ask(module, { limits: { steps } }).catch((error: unknown) => error)
    if (outcome instanceof Error) {
      refused++
      expect(outcome).toMatchObject({ code: 'eval_cancel_error' })
    } else expect(outcome).toEqual(whole)
  }
  expect(refused).toBeGreaterThan(10)
  expect(refused).toBeLessThan(80)
})
