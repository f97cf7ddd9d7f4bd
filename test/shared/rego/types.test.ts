import { expect, test } from 'vitest'
import { BUILTINS } from '../../../shared/rego/builtins/index.ts'
import { OPERAND_TYPES } from '../../../shared/rego/builtins/operand-types.ts'
import { ask, compiled, faults, NOW } from './ask.ts'

const RULES = `is_blocked(x) if x == "eve"
cfg := {"blocked": {"eve"}, "at": {"most": 5, "hours": [8, 18]}, "own": input.own}
name := "ann"
limit := 5
either := {"a": 1} if input.x
either := {"b": 2} if input.z
chain := {"a": 1} if input.x else := {"c": 3}
empty := {}
keyed := {input.key: 1}
nothing() := 1
`

/** each is undefined for every input, so it would hold under `not` */
test.each([
  ['a function that is not called', 'is_blocked', 'undefined ref: data.t.is_blocked: a function has to be called'],
  ['a key of a function', 'is_blocked[input.x]', 'undefined ref: data.t.is_blocked'],
  ['a key that a rule lacks', 'cfg.blockd[input.x]', 'undefined ref: data.t.cfg.blockd: there is no such key'],
  ['a key inside a rule', 'cfg.at.least', 'undefined ref: data.t.cfg.at.least'],
  ['a key of a number', 'cfg.at.most.x', 'undefined ref: data.t.cfg.at.most.x'],
  ['a key of a text', 'name[input.x]', 'undefined ref: data.t.name._'],
  ['an index past the end', 'cfg.at.hours[2]', 'undefined ref: data.t.cfg.at.hours[2]'],
  ['a name as an index', 'cfg.at.hours.from', 'undefined ref: data.t.cfg.at.hours.from'],
  ['a key that no rule of the name has', 'either.c', 'undefined ref: data.t.either.c'],
  ['a key that no branch has', 'chain.b', 'undefined ref: data.t.chain.b'],
  [
    'a number for a text',
    'startswith(input.x, 5)',
    'startswith: invalid argument(s): operand 2 must be string but got number',
  ],
  ['a set for a text', 'contains({"a"}, input.x)', 'operand 1 must be string but got set'],
  ['an array for a pattern', 'regex.match(["a"], input.x)', 'regex.match: invalid argument(s)'],
  ['a text for a collection', 'max("abc")', 'operand 1 must be one of {array, set} but got string'],
  ['a comprehension for a text', 'lower([x | x := 1])', 'operand 1 must be string but got array'],
  ['a rule’s number for a text', 'startswith(input.x, limit)', 'operand 2 must be string but got number'],
  ['a rule’s member for a text', 'endswith(input.x, cfg.blocked)', 'operand 2 must be string but got set'],
  ['a text in a sum', '1 + "a" == 2', 'plus: invalid argument(s): operand 2 must be number but got string'],
])('refuses %s', async (_what, expression, message) => {
  for (const literal of [expression, `not ${expression}`, `count([1 | ${expression}]) == 0`]) {
    const module = `${RULES}p if { ${literal} }`
    expect((await faults(module)).join()).toMatch(/^12: rego_type_error: /)
    expect((await faults(module)).join()).toContain(message)
    const older = `import future.keywords.if\n${module}`
    expect((await faults(older, { dialect: 'v0' })).join(), 'v0').toContain(message)
  }
})

test.each([
  ['assigned', 'c := {"a": 1}; not c.b', 'undefined ref: c.b'],
  ['assigned from a rule', 'c := cfg; not c.blockd', 'undefined ref: c.blockd'],
  ['assigned in a comprehension', 'count([1 | c := "a"; c[_]]) == 0', 'undefined ref: c._'],
  ['a literal itself', 'not {"a": 1}.b', 'undefined ref: (...).b'],
  ['an operand', 'n := 5; not startswith(input.x, n)', 'operand 2 must be string but got number'],
])('refuses the same of a value that is %s', async (_what, body, message) => {
  expect((await faults(`${RULES}p if { ${body} }`)).join()).toContain(message)
})

/** similar to those above, but the reference implementation accepts them */
test.each([
  ['a function that is called', 'not is_blocked("ann")'],
  ['a function of no operands', 'not nothing.x'],
  ['a function as a replacement', 'not is_blocked("eve") with is_blocked as lacks'],
  ['a key that a rule has', 'not cfg.blocked.ann'],
  ['a key that is computed', 'not cfg[input.x]'],
  ['a key of what is computed', 'not cfg.own.any'],
  ['a key that one of several rules has', 'not either.b'],
  ['a key that one branch has', 'not chain.c'],
  ['a key of the empty object', 'not empty.a'],
  ['a key where keys are computed', 'not keyed.b'],
  ['a member that a set may have', 'not {"a"}.b'],
  ['a place of data without rules', 'not data.other.place'],
  ['a number that may be given', 'to_number("5") == limit'],
  ['operands of unknown types', 'not startswith(cfg.own, input.y)'],
  ['one of two types', 'count({"a": 1}) == count("b")'],
  ['a difference of sets', '{1, 2} - {1} == {2}'],
])('accepts %s', async (_what, body) => {
  expect(
    await ask(`${RULES}lacks(_) := false\np if { ${body} }`, { input: { own: 'o', key: 'k', x: 'x', y: 'y' } }),
  ).toBe(true)
})

test('many rules of one name cost no search: nothing is known about their keys', async () => {
  const many = Array.from({ length: 17 }, (_, i) => `r := {"k${i}": 1} if input.x == ${i}`).join('\n')
  expect(await faults(`${many}\np if not r.other`)).toEqual([])
})

const SAMPLES = ['null', 'true', '1', '"a"', '["a"]', '{"a": 1}', '{"a"}']
const TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object', 'set'] as const

test('every refused type is one that the built-in never accepts', async () => {
  const policy = await compiled('p := 1', { dialect: 'v0' })
  for (const [name, operands] of OPERAND_TYPES) {
    const builtin = BUILTINS.get(name)
    expect(builtin?.arity, name).toBe(operands.length)
    for (const [place, types] of operands.entries())
      for (const [i, sample] of SAMPLES.entries()) {
        if (types.has(TYPES[i] ?? 'null')) continue
        // every other operand gets each of its allowed values
        const others = operands.map((allowed) => SAMPLES.filter((_, at) => allowed.has(TYPES[at] ?? 'null')))
        const given = others.map((all, at) => (at === place ? [sample] : all.slice(0, 3)))
        const bodies = given.reduce<string[][]>(
          (calls, all) => calls.flatMap((c) => all.map((one) => [...c, one])),
          [[]],
        )
        for (const call of bodies) {
          const found = await policy.query(`x = ${name}(${call.join(', ')})`, { now: NOW, seed: '' })
          expect(found, `${name}(${call.join(', ')})`).toEqual([])
        }
      }
  }
})
