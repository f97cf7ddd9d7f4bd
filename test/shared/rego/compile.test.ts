import { expect, test } from 'vitest'
import type { Builtin } from '../../../shared/rego/builtins/builtin.ts'
import { Policy } from '../../../shared/rego/policy.ts'
import { ask, faults, NOW } from './ask.ts'

/** Language reference, "Variables", "Rules", "Functions", "With": invalid texts */
test.each([
  ['assigned twice', 'p if { x := 1; x := 2 }', 'rego_compile_error: var x assigned above'],
  ['declared twice', 'p if { some x; some x; x = 1 }', 'rego_compile_error: var x declared above'],
  ['assigned after use', 'p if { x > 0; x := 1 }', 'rego_compile_error: var x referenced above'],
  ['assigned although an argument', 'f(x) := x if { x := 1 }', 'rego_compile_error: arg x redeclared'],
  ['assigned under not', 'p if { not x := 1 }', 'rego_compile_error: cannot assign vars inside negated expression'],
  ['a number assigned to', 'p if { 1 := 1 }', 'rego_compile_error: cannot assign to number'],
  ['a reference assigned to', 'p if { input.x := 1 }', 'rego_compile_error: cannot assign to ref'],
  ['a call assigned to', 'p if { count([]) := 1 }', 'rego_compile_error: cannot assign to call'],
  ['a constant in a pattern', 'p if { [1, x] := [1, 2]; x }', 'rego_compile_error: cannot assign to number'],
  ['a local named data', 'p if { data := 1; data }', 'rego_compile_error: variables must not shadow data'],
  ['an argument named input', 'f(input) := 1', 'rego_compile_error: variables must not shadow input'],
  ['a rule named input', 'input := 1', 'rego_compile_error: rules must not shadow input'],
  ['an import twice', 'import data.a.x\nimport data.b.x\np := x', 'rego_compile_error: import must not shadow'],
  ['an undeclared name in a template', 'p := $"{x}"', 'rego_compile_error: var x is undeclared'],
  [
    'an undeclared name in a template within another',
    'p if { $"{$"{x}"}"; y = 1 }',
    'rego_compile_error: var x is undeclared',
  ],
  [
    'a later name in a term of a template',
    'p := q if { q := $"{x + 1}"; x = 42 }',
    'rego_compile_error: var x is undeclared',
  ],
  ['an unbound comparison', 'p if { x > 1 }', 'rego_unsafe_var_error: var x is unsafe'],
  ['an equality that binds nothing', 'p if { x == 1 }', 'rego_unsafe_var_error: var x is unsafe'],
  ['two unbound names', 'p if { x = y }', 'rego_unsafe_var_error: var x is unsafe'],
  ['an assignment from nothing', 'p if { x := y; x = 7 }', 'rego_unsafe_var_error: var y is unsafe'],
  ['a name that not would bind', 'p if { not q[x] }\nq contains 1', 'rego_unsafe_var_error: var x is unsafe'],
  ['membership, which binds nothing', 'p if { x in [1] }', 'rego_unsafe_var_error: var x is unsafe'],
  ['a key of the head', 'p[k] := 1 if { true }', 'rego_unsafe_var_error: var k is unsafe'],
  ['a value of the head', 'p := v if { true }', 'rego_unsafe_var_error: var v is unsafe'],
  ['inside a comprehension', 'p := [x | y]', 'rego_unsafe_var_error'],
  ['a value of with', 'p if { true with input as x }', 'rego_unsafe_var_error: var x is unsafe'],
  ['inside every', 'p if { every x in [1] { y > x } }', 'rego_unsafe_var_error: var y is unsafe'],
  ['a set and a value', 'p := 1\np contains 2', 'rego_type_error: conflicting rules data.t.p found'],
  ['a function and a value', 'f(x) := x\nf := 2', 'rego_type_error: conflicting rules data.t.f found'],
  ['two arities', 'f(x) := x\nf(x, y) := y', 'rego_type_error: conflicting rules data.t.f found'],
  ['two defaults', 'default p := 1\ndefault p := 2', 'rego_type_error: multiple default rules data.t.p found'],
  ['a rule inside a value', 'p := {}\np.q := 1', 'rego_type_error: rule data.t.p conflicts with [data.t.p.q]'],
  ['an unknown function', 'p if { foo.bar(1) }', 'rego_type_error: undefined function foo.bar'],
  ['a rule called', 'p := q(1)\nq := 1', 'rego_type_error: undefined function data.t.q'],
  ['a refused built-in', 'p := http.send({})', 'rego_type_error: undefined function http.send'],
  [
    'too many operands',
    'p := f(1, 2, 3)\nf(x) := x',
    'rego_type_error: function data.t.f has arity 1, got 3 arguments',
  ],
  ['too few operands', 'p := count()', 'rego_type_error: function count has arity 1, got 0 arguments'],
  ['print as a value', 'p := print("a")', 'rego_type_error: print(...) used as value'],
  [
    'a deprecated function',
    'p if { any([true]) }',
    'rego_type_error: deprecated built-in function calls in expression: any',
  ],
  ['a rule that needs itself', 'p if { p }', 'rego_recursion_error: rule data.t.p is recursive: data.t.p -> data.t.p'],
  [
    'a circle',
    'p if { q }\nq if { r }\nr if { p }',
    'rule data.t.q is recursive: data.t.q -> data.t.r -> data.t.p -> data.t.q',
  ],
  ['a circle through a package', 'p if { data.t[x] }', 'rego_recursion_error'],
  ['a circle through else', 'p := 1 if { false } else := q\nq := p', 'rego_recursion_error'],
  [
    'a circle through a replacing function',
    'f(x) := y if { y := g(x) with count as f }\ng(x) := x',
    'rego_recursion_error',
  ],
  [
    'an unknown target',
    'p if { true with foo as 1 }',
    'rego_type_error: with keyword target must reference existing input, data, or a function',
  ],
  [
    'a part of a rule as target',
    'p if { true with data.t.q.a as 1 }\nq := {}',
    'rego_compile_error: with keyword cannot partially replace virtual document(s)',
  ],
  ['a relation as target', 'f(_) := 1\np if { true with walk as f }', 'target must not be a relation'],
  ['an operator as target', 'f(_, _) := 1\np if { true with plus as f }', 'target must not be an operator'],
  [
    'a replacement of another arity',
    'f(_, _) := 1\np if { true with count as f }',
    'rego_type_error: function count has arity 1',
  ],
])('refuses %s', async (_what, module, message) => {
  expect((await faults(module)).join('\n')).toContain(message)
})

/** valid policies that are similar to those above */
test.each([
  ['bindings in any order', 'p := z if { z = y + 1; y = x + 1; x = 1 }', 3],
  ['a name bound later', 'p if { x > 1; x = 2 }', true],
  ['a name of an inner scope', 'p := x if { x := 1; [y | x := 2; y := x] == [2] }', 1],
  ['a name of every', 'p if { x := 1; every x in [2] { x == 2 }; x == 1 }', true],
  ['a declared name over a rule', 'p contains q if { some q in [3] }\nq := 1', [3]],
  ['arrays that bind each other', 'p := [x, y] if { [x, 2] = [1, y] }', [1, 2]],
  ['objects that bind each other', 'p := [x, y] if { {"a": x, "b": 2} = {"b": y, "a": 1} }', [1, 2]],
  ['one side in need of the other', 'p := x if { [x, y] = [y, 1] }', 1],
  ['a reference that binds its key', 'p := x if { {"a": 1}[x] == 1 }', 'a'],
  ['a result as last operand', 'p := n if { count([1, 2], n) }', 2],
  ['an outer name in a comprehension', 'p := y if { y := [x | x := 1; z > 0]; z = 1 }', [1]],
  ['two comprehensions with one name', 'p := [[x | x = 1], [x | x = 2]]', [[1], [2]]],
  ['functions of one name in two places', 'p := f(1)\nf(1) := 2\nf(2) := 3', 2],
  ['a rule beside keys', 'p := q.b\nq[x] := 1 if { x := "a" }\nq.b := 2', 2],
  ['rules that look like a circle', 'p := q.a\nq[x] := 1 if { x := "a" }\nq.b := p', 1],
  ['print without effect', 'p if { print(input.none, undefined_here) }', true],
])('accepts %s', async (_what, module, wanted) => {
  expect(await ask(module, { input: {} })).toEqual(wanted)
})

/** A module for each dialect whose body contains only this literal. */
const inBoth = (literal: string): (readonly [module: string, dialect: 'v0' | 'v1'])[] => [
  [`f(x) := startswith(x, "ban")\np if { ${literal} }`, 'v1'],
  [`import future.keywords.every\nf(x) = startswith(x, "ban")\np { ${literal} }`, 'v0'],
]

/** iteration inside `not` would mean that one element fits, where the author means all of them */
test.each([
  ['an operand of a built-in', 'not startswith(input.roles[_], "ban")', '_'],
  ['an operand of a function', 'not f(input.roles[_])', '_'],
  ['a name in place of a wildcard', 'not f(input.roles[i])', 'i'],
  ['the element of a membership', 'not input.roles[_] in {"ban"}', '_'],
  ['the collection of a membership', 'not "ban" in input.all[_]', '_'],
  ['a pattern’s text', 'not regex.match("^b", input.roles[_])', '_'],
  ['a text that is searched', 'not contains(input.roles[_], "b")', '_'],
  ['an inequality', 'not input.roles[_] != "ok"', '_'],
  ['an order', 'not input.roles[_] > "a"', '_'],
  ['an equality', 'not input.roles[_] == "ok"', '_'],
  ['the key of a collection', 'not {"ban"}[input.roles[_]]', '_'],
  ['a collection itself', 'not ["a", "b"][_] == "b"', '_'],
  ['a reference alone', 'not input.roles[_]', '_'],
  ['an element of an array', 'not f([input.roles[_]])', '_'],
  ['a key of a key', 'not f(input.names[input.roles[_]])', '_'],
  ['the key of a call’s result', 'not split(input.text, ",")[_] == "ban"', '_'],
  ['a nested body', 'every x in [1] { x; not f(input.roles[_]) }', '_'],
])('under not, %s binds nothing', async (_what, literal, name) => {
  for (const [module, dialect] of inBoth(literal)) {
    expect((await faults(module, { dialect })).join(), dialect).toContain(`var ${name} is unsafe`)
  }
})

test.each([
  ['an element that is bound before', 'some i; input.roles[i]; not f(input.roles[i])', true],
  ['an element that is bound after', 'not f(input.roles[i]); i = 1', true],
  ['an element by assignment', 'x := input.roles[_]; not f(x)', true],
  ['an operand of a nested call', 'not lower(input.roles[_]) == "ok"', true],
  ['an operand of a nested operator', 'not count(input.roles) - 1 == count(input.all[_])', true],
  ['an element of a collection that is looked into', 'not [input.roles[_]][0] == "ok"', true],
  ['a comprehension', 'not count([x | x := input.roles[_]; f(x)]) == 2', true],
  ['membership of what is known', 'not "no" in input.roles', true],
  ['a key that is known', 'not {"no"}[input.roles[0]]', true],
])('under not, %s is taken', async (_what, literal, wanted) => {
  const input = { roles: ['banned', 'ok'], all: [['x', 'y'], []] }
  for (const [module, dialect] of inBoth(literal)) expect(await ask(module, { dialect, input }), dialect).toBe(wanted)
})

test('every has no negation', async () => {
  const [fault] = await faults('p if { not every x in [1] { x > 0 } }')
  expect(fault).toContain("rego_parse_error: illegal negation of 'every'")
})

test('faults are sorted by position, ten at most', async () => {
  const found = await faults(Array.from({ length: 15 }, (_, i) => `p${i} if { x > ${i} }`).join('\n'))
  expect(found).toHaveLength(10)
  expect(found[0]).toBe('2: rego_unsafe_var_error: var x is unsafe')
  expect(found.at(-1)).toBe('11: rego_unsafe_var_error: var x is unsafe')
})

test('modules of one policy see each other, and a package is no rule', async () => {
  const texts = [
    { file: 'a.rego', text: 'package a\nimport data.b\np := b.q' },
    { file: 'b.rego', text: 'package b\nq := 7' },
  ]
  const policy = await Policy.compile(texts, { dialect: 'v1' })
  expect(policy.document(['a', 'p'], { now: 0n, seed: '' }).value).toBe(7)
  const clash = [...texts, { file: 'c.rego', text: 'package a.p.x\nr := 1' }]
  await expect(Policy.compile(clash, { dialect: 'v1' })).rejects.toThrow(
    'package data.a.p.x conflicts with rule data.a.p',
  )
})

test.each([
  ['the domain of some', 'p := [x | some x in test.later()]'],
  ['a key of some', 'p := [x | some [test.later(), x] in [[["late"], "late"]]]'],
  ['an argument', 'f(x) := x\np := f(test.later())'],
  ['an argument of a head', 'f(test.later()) := ["late"]\np := f(["late"])'],
  ['a head', 'p := test.later()'],
  ['a closure', 'p := y if { y := [x | x := test.later()[_]] }'],
  ['every', 'p := ["late"] if { every x in test.later() { x == "late" } }'],
  ['with', 'q := input\np := x if { x := q with input as test.later() }'],
  ['else', 'p := 1 if { false } else := test.later()'],
])('a built-in that is called in %s is loaded ahead', async (_what, rules) => {
  let loaded = false
  const later: Builtin = {
    name: 'test.later',
    arity: 0,
    load: () => {
      loaded = true
      return Promise.resolve()
    },
    evaluate: () => (loaded ? ['late'] : undefined),
  }
  const texts = [{ text: `package t\n${rules}`, file: 't.rego' }]
  const policy = await Policy.compile(texts, { dialect: 'v1', builtins: [later] })
  expect(policy.document(['t', 'p'], { now: NOW, seed: 's' }).value).toEqual(['late'])
})
