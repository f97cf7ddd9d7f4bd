import { expect, test } from 'vitest'
import { EvaluationError } from '../../../shared/rego/errors.ts'
import { ask, askText } from './ask.ts'

const INPUT = { a: { b: [10, 20, 30] }, user: 'Ann', roles: ['dev', 'ops'], empty: {}, no: false, nil: null }

/** Language reference, "References": valid paths, and paths that are undefined without an error */
test.each([
  ['a path', 'p := input.a.b[1]', 20],
  ['an index out of range', 'p := input.a.b[3]', undefined],
  ['a negative index', 'p := input.a.b[-1]', undefined],
  ['text as an index', 'p := input.a.b["0"]', undefined],
  ['a key of a scalar', 'p := input.user.x', undefined],
  ['keys of different types', 'p := [o[1], o["1"]] if { o := {1: "n", "1": "s"} }', ['n', 's']],
  ['an element of a set', 'p := {"x", "y"}["x"]', 'x'],
  ['no element of a set', 'p := {"x", "y"}["z"]', undefined],
  ['an iteration', 'p contains x if { x := input.a.b[_] }', [10, 20, 30]],
  ['an iteration by index', 'p contains i if { input.a.b[i] > 10 }', [1, 2]],
  ['an iteration of a set literal', 'p if { input.user == {"Ann", "Bob"}[_] }', true],
  ['a key that occurs twice', 'p contains x if { [[0, 5], [0, 1]][x][x] = x }', [0, 1]],
  ['a reference inside a reference', 'p := input.a.b[[1, 2][0]]', 20],
  [
    'iterations inside each other',
    'p contains [i, j] if { {"x": [1, 2]}[i][j] }',
    [
      ['x', 0],
      ['x', 1],
    ],
  ],
  ['the result of a call', 'p := split("a.b", ".")[1]', 'b'],
  ['null as a value', 'p := input.nil', null],
  ['a name of JavaScript', 'p := [input.constructor, 1]', undefined],
  ['a part of a composite key', 'p contains y if { {["a", 1], ["b", 2]}[["b", y]] }', [2]],
])('a reference has its value: %s', async (_what, module, wanted) => {
  expect(await ask(module, { input: INPUT })).toEqual(wanted)
})

/** "Rules": values, conflicts, defaults, chains of else, and successful bodies */
test.each([
  ['false ends a body', 'p if { input.no }', undefined],
  ['undefined ends a body', 'p if { input.none }', undefined],
  ['null, 0, "" and empty collections succeed', 'p if { null; 0; ""; []; {}; set() }', true],
  ['several bodies are alternatives', 'p if { false }\np if { true }', true],
  ['equal values are one', 'p := 1 if { true }\np := 1 if { input.user }', 1],
  ['a default stands in', 'default p := 7\np := 1 if { false }', 7],
  ['a default of a comprehension', 'default p := [x | x := 1]\np := 1 if { false }', [1]],
  ['the first branch that succeeds', 'p := 1 if { false } else := 2 if { true } else := 3', 2],
  ['a branch of false is a value', 'default p := 7\np := false if { true } else := 3', false],
  ['null is a value', 'default p := 7\np := null', null],
  ['an undefined value is no value', 'p := input.none\np := 2 if { true }', 2],
  ['an element that is undefined', 'p := [1, input.none]', undefined],
  ['each chain is one candidate', 'p := 1 if { false } else := 2\np := 2 if { true }', 2],
  [
    'a set of all solutions',
    'p contains x if { x := input.roles[_] }\np contains "lead" if { true }',
    ['dev', 'lead', 'ops'],
  ],
  ['an empty set', 'p contains x if { x := input.empty[_] }', []],
  ['an object', 'p[k] := v if { some v, k in input.roles }', { dev: 0, ops: 1 }],
  ['an object of true', 'p[k] if { some k in input.roles }', { dev: true, ops: true }],
  ['an empty object', 'p[k] := 1 if { k := input.empty[_] }', {}],
  [
    'nested keys',
    'p[a][b] := 1 if { some a in ["x", "y"]; some b in ["u", "v"] }',
    { x: { u: 1, v: 1 }, y: { u: 1, v: 1 } },
  ],
  ['sets under keys', 'p[k] contains i if { some i, k in ["a", "b", "a"] }', { a: [0, 2], b: [1] }],
  ['constants beside keys', 'p.x := 1\np[k].z := 2 if { k := "y" }\np.w contains 3', { x: 1, y: { z: 2 }, w: [3] }],
  ['a computed key', 'p[input.user] := 1', { Ann: 1 }],
  ['a key that is no string', 'p[[1]] := 2', { '[1]': 2 }],
  ['a package with what is defined in it', 'p := data.t.q\nq.a := 1\nq.b := 2 if { false }\nq.f(x) := x', { a: 1 }],
  ['a function without operands, a document as well', 'p := [data.t.q, q.f()]\nq.f() := 1', [{ f: 1 }, 1]],
  ['a template as an operand', 'p := f(3, "a3")\nf(x, $"a{x}") := x', 3],
  ['a template in an operand, over a later name', 'p := f(["a3"])\nf([$"a{x}"]) := x if { x = 3 }', 3],
])('a rule has its value: %s', async (_what, module, wanted) => {
  expect(await ask(module, { input: INPUT })).toEqual(wanted)
})

test.each([
  ['two values', 'p := 1\np := 2 if { true }', 'complete rules must not produce multiple outputs'],
  ['two solutions of one body', 'p := x if { x := [1, 2][_] }', 'complete rules must not produce multiple outputs'],
  ['two results', 'p := f(1)\nf(x) := x\nf(1) := 2', 'functions must not produce multiple outputs for same inputs'],
  ['two values of a key', 'p[k] := v if { k := "a"; v := [1, 2][_] }', 'object keys must be unique'],
  ['two values of a key in a comprehension', 'p := {"a": x | x := [1, 2][_]}', 'object keys must be unique'],
  ['a value where keys are', 'p[k] := 1 if { k := "a" }\np.a.b := 2', 'object keys must be unique'],
  ['a hole with two values', 'p := $"{[1, 2][_]}"', 'template-strings must not produce multiple outputs'],
])('a conflict is an error: %s', async (_what, module, message) => {
  await expect(ask(module)).rejects.toThrow(message)
  await expect(ask(module)).rejects.toMatchObject({ code: 'eval_conflict_error' })
})

test('a lookup by key runs only the rules that can match', async () => {
  const conflicting = 'q[k] := v if { k := "a"; v := [1, 2][_] }\nq[k] := 3 if { k := "b" }'
  expect(await ask(`p := q.b\n${conflicting}`)).toBe(3)
  await expect(ask(`p := q\n${conflicting}`)).rejects.toThrow('object keys must be unique')
  expect(await ask('p := q[[1, {"a"}]]\nq contains [1, {x}] if { x := "a" }')).toEqual([1, ['a']])
})

/** "Functions" */
test.each([
  [
    'patterns of operands',
    'p := [f([1, 2]), f({"k": 3}), f("c")]\nf([a, b]) := a + b\nf({"k": v}) := v\nf("c") := "const"',
    [3, 3, 'const'],
  ],
  [
    'one name twice in the operands',
    'p := [g([1, 1]), g([1, 2])]\ndefault g(_) := false\ng([a, a]) := true',
    [true, false],
  ],
  ['a default', 'p := f(2)\ndefault f(_) := "d"\nf(1) := 1', 'd'],
  ['a default does not help an undefined operand', 'p := f(input.none)\ndefault f(_) := "d"', undefined],
  ['else', 'p := [f(1), f(2)]\nf(x) := "one" if { x == 1 } else := "other"', ['one', 'other']],
  ['false as a result', 'p := f(1)\nf(_) := false', false],
  ['a result as last operand', 'p if { f(2, 4) }\nf(x) := x * 2', true],
])('a function has its value: %s', async (_what, module, wanted) => {
  expect(await ask(module)).toEqual(wanted)
})

/** "Comprehensions", "Membership and iteration" */
test.each([
  ['an array keeps order and repeats', 'p := [x | x := [3, 1, 3][_]]', [3, 1, 3]],
  ['a set does not', 'p := {x | x := [3, 1, 3][_]}', [1, 3]],
  ['objects', 'p := {k: v | some k, v in {"a": 1, "b": 2}}', { a: 1, b: 2 }],
  ['always defined', 'p := [[x | x := input.none], {x | false; x := 1}]', [[], []]],
  ['what is built may have several values', 'p := [input.a.b[_] | true]', [10, 20, 30]],
  ['in, by value', 'p := [20 in input.a.b, "x" in {"k": "x"}, 1 in {1}, 1 in 1]', [true, true, true, false]],
  ['in, by pair', 'p := [(1, 20 in input.a.b), ("k", 2 in {"k": 1}), (1, 1 in {1})]', [true, false, true]],
  ['some by value', 'p contains x if { some x in input.a.b; x > 10 }', [20, 30]],
  ['some by pattern', 'p contains y if { some [1, y] in [[1, 2], [3, 4], [1, 5]] }', [2, 5]],
  ['some on a scalar', 'p if { some _ in input.user }', undefined],
  ['every', 'p if { every x in input.a.b { x >= 10 } }', true],
  ['every with a key', 'p if { every i, x in input.a.b { x == (i + 1) * 10 } }', true],
  ['every fails on one', 'p if { every x in input.a.b { x > 10 } }', undefined],
  ['every on nothing', 'p if { every x in input.empty { x > 10 } }', true],
  ['every on a scalar', 'p if { every x in input.user { true } }', undefined],
  ['every on undefined', 'p if { every x in input.none { true } }', undefined],
  [
    'sets in order',
    'p := [x | some x in {"b", [1], 2, null, "a", {3}, false, {"k": 1}}]',
    [null, false, 2, 'a', 'b', [1], { k: 1 }, [3]],
  ],
])('a collection has its value: %s', async (_what, module, wanted) => {
  expect(await ask(module, { input: INPUT })).toEqual(wanted)
})

/** "Negation": calls and operands are evaluated outside of a plain `not` */
test.each([
  ['a reference', 'not input.none', true],
  ['an equality with a reference', 'not input.none == "x"', true],
  ['a unification with a reference', 'not input.none = "x"', true],
  ['another comparison', 'not input.none != "x"', undefined],
  ['a call of a built-in', 'not startswith(input.none, "x")', undefined],
  ['a call inside an equality', 'not lower(input.none) == "x"', undefined],
  ['a call of a function', 'not f(input.none)', undefined],
  ['a call that is undefined itself', 'not f("y")', true],
  ['a reference in an array', 'not [input.none] == [1]', undefined],
  ['an iteration inside', 'not input.roles[_] == "lead"', undefined],
  ['a false value', 'not input.no', true],
  ['with the documents of a with', 'not input.x with input.x as false', true],
])('a negation is evaluated: not, of %s', async (_what, literal, wanted) => {
  const module = literal.includes('roles[_]')
    ? `p if { not any_lead }\nany_lead if { input.roles[_] == "lead" }`
    : `p if { ${literal} }\nf("x") := true`
  expect(await ask(module, { input: INPUT })).toEqual(literal.includes('roles[_]') ? true : wanted)
})

test.each([
  ['another comparison', 'not input.none != "x"', true],
  ['a call inside', 'not lower(input.none) == "x"', true],
  ['a body', 'not { input.user == "Ann"; input.none }', true],
  ['a body that succeeds', 'not { some r in input.roles; r == "dev" }', undefined],
  ['a body in a body', 'not { not { input.user } }', true],
])('a negation as a query is evaluated: not, of %s', async (_what, literal, wanted) => {
  expect(await ask(`import future.keywords.not\np if { ${literal} }`, { input: INPUT })).toEqual(wanted)
})

/** "With": documents and functions, for one literal and everything that it evaluates */
test.each([
  ['a document', 'p := x if { x := q with input.a as 5 }\nq := input.a', 5],
  ['paths that are not there', 'p := x if { x := input.x.y with input.x.y as 1 }', 1],
  ['several together', 'p := x if { x := [input.x, input.y] with input.x as 1 with input.y as 2 }', [1, 2]],
  ['only its literal', 'p if { q with input.user as "Bob"; not q }\nq if { input.user == "Bob" }', true],
  [
    'what follows an iteration',
    'p contains [x, input.user] if { some x in input.roles with input.roles as [1, 2] }',
    [
      [1, 'Ann'],
      [2, 'Ann'],
    ],
  ],
  ['a rule as a whole', 'p := x if { x := data.t.q with data.t.q as 5 }\nq := 1', 5],
  ['a package', 'p := x if { x := data.t.q.a with data.t.q as {"a": 5} }\nq.a := 1', 5],
  ['data that is not there', 'p := x if { x := data.other.x with data.other as {"x": 1} }', 1],
  ['a built-in by a value', 'p := x if { x := count([1, 2]) with count as 7 }', 7],
  ['a built-in by a built-in', 'p := x if { x := count([{}, {"a": 1}]) with count as object.union_n }', { a: 1 }],
  [
    'a built-in by a function',
    'p := x if { x := lower("X") with lower as f }\nf(x) := concat("", ["<", x, ">"])',
    '<X>',
  ],
  ['a function by a function', 'p := x if { x := q with f as g }\nq := f(1)\nf(x) := x\ng(x) := x + 10', 11],
  [
    'a function that calls what it replaces',
    'p := x if { x := lower("X") with lower as f }\nf(x) := concat("", ["<", lower(x), ">"])',
    '<x>',
  ],
  [
    'a replacing function, which sees no replacement',
    'p := x if { x := f(1) with f as g with count as 9 }\nf(x) := x\ng(x) := count([f(x), 2, 3])',
    3,
  ],
  ['each of several values', 'p contains r if { r := q with input.a as input.roles[_] }\nq := input.a', ['dev', 'ops']],
  ['an undefined value', 'p if { true with input as input.none }', undefined],
  ['a value of false', 'p if { time.now_ns() with time.now_ns as false }', undefined],
])('a replacement by with is evaluated: %s', async (_what, module, wanted) => {
  expect(await ask(module, { input: INPUT })).toEqual(wanted)
})

/** "The data document": base documents and rules together */
test('base documents lie under the rules, and neither replaces the other', async () => {
  const data = { t: { base: 1, q: { x: 'base' } }, list: { '0': 'zero' } }
  const module = 'p := [data.t.base, data.t.q, data.list[0]]\nq.x := "rule"\nq.y := "rule"'
  expect(await ask(module, { data })).toEqual([1, { x: 'base', y: 'rule' }, 'zero'])
})

/** a built-in that fails is undefined; strict mode throws the first failure at the end */
test('a failing built-in is undefined, and known in strict mode', async () => {
  const module = 'p := 1 if { 1 / 0 == 1 }\np := 2 if { not q }\nq if { count(input.n) == 1 }'
  expect(await ask(`default p := "d"\np := 1 if { 1 / input.zero == 1 }`, { input: { zero: 0 } })).toBe('d')
  const failure = ask(module, { strict: true })
  await expect(failure).rejects.toBeInstanceOf(EvaluationError)
  await expect(failure).rejects.toMatchObject({
    code: 'eval_builtin_error',
    message: 'div: divide by zero',
    place: { row: 2 },
  })
  await expect(ask('p := x if { x := input.a + 1 }', { strict: true, input: { a: 'a' } })).rejects.toMatchObject({
    code: 'eval_type_error',
    message: 'plus: operand 1 must be number but got string',
  })
})

/** numbers: integers of any size, 64-bit fractions */
test.each([
  ['9007199254740993 + 1', '9007199254740994'],
  ['9007199254740993 * 9007199254740993', '81129638414606699710187514626049'],
  ['0.1 + 0.2 == 0.3', 'true'],
  ['1.5 + 1.5', '3'],
  ['7 / 2', '3.5'],
  ['1 / 3', '0.33333333333333333334'],
  ['-7 % 3', '-1'],
  ['3.0 == 3', 'true'],
  ['{3.0, 3}', '{3.0}'],
  ['1e30 == 1000000000000000000000000000000', 'true'],
  ['[1, 2] < [1, 3]', 'true'],
  ['"\\uffff" < "😀"', 'true'],
])('%s is %s', async (expression, wanted) => {
  expect(await askText(`p := ${expression}`)).toBe(wanted)
})
